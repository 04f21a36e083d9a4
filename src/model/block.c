/* Reads lists of layers and `repeat:` blocks as written; read.c expands them. */
#include "base/text.h"
#include "model/model.h"
#include "model/read.h"
#include <stdio.h>
#include <string.h>

/* A few bytes of nested blocks could describe more layers than fit in memory, so layers are counted before
 * any block is expanded. MAX_VALUES: as for a whole config (spec/source.h). MAX_EACH_VALUES: YAML values of
 * one entry in a list of `each`. */
enum { MAX_TIMES = 1000, MAX_LAYERS = 10000, MAX_VALUES = 100000, MAX_DEPTH = 8, MAX_EACH_VALUES = 16 };

typedef struct repeat {
  int64_t times; /* 0: the number of values in `each` */
  const gt_spec *each, *layers;
} repeat;

static const gt_field repeat_fields[] = {
    GT_ROW(repeat, times, GT_FIELD_INT, .min = 1, .max = MAX_TIMES,
           .help = "number of repetitions; may be omitted with `each`"),
    GT_ROW(repeat, each, GT_FIELD_NODE, .definition = "each",
           .help = "values that differ between repetitions, such as {width: [16, 32]}: layers refer "
                   "to them as `$width`"),
    GT_ROW(
        repeat, layers, GT_FIELD_NODE, .definition = "layers", .flags = GT_FIELD_REQUIRED,
        .help =
            "layers of one repetition, as in `model`; `from: block_input` reads the input of the repetition"),
    {.name = NULL},
};
const gt_schema gt_repeat_schema = {
    .name = "repeat", .help = "repeat a list of layers", .fields = repeat_fields};

static bool is_repeat(const gt_spec *node) {
  if (node->kind == GT_SPEC_SCALAR) return !strcmp(node->scalar, GT_REPEAT);
  return node->kind == GT_SPEC_MAP && node->count == 1 && !strcmp(node->child[0]->key, GT_REPEAT);
}

static void read_type(gt_layer_template *layer, const char *name, gt_arena *arena, const gt_spec *node,
                      gt_diagnostics *diagnostics) {
  const int count = gt_layer_count();
  const char **names = GT_NEW_N(arena, const char *, count + 1);
  for (int i = 0; i < count; i++) names[i] = gt_layer_at(i)->name;
  names[count] = GT_REPEAT; /* for suggestions after a misspelling */
  const int chosen = gt_schema_choose(node, name, layer->at, "layer", names, count + 1, diagnostics);
  if (chosen >= 0 && chosen < count) layer->type = gt_layer_at(chosen);
}

/* --- settings that differ from pass to pass --- */

/* The name in a reference: "width" for `$width`, with or without quotes; NULL if it is not a reference. */
static const char *reference_name(const gt_spec *node) {
  return node->kind == GT_SPEC_SCALAR && node->scalar[0] == '$' ? node->scalar + 1 : NULL;
}

static bool has_references(const gt_spec *node) {
  bool found = reference_name(node);
  for (int i = 0; i < node->count; i++) found |= has_references(node->child[i]);
  return found;
}

static void report_unknown_reference(const gt_block *block, const gt_spec *node,
                                     gt_diagnostics *diagnostics) {
  for (const gt_block *b = block; b; b = b->outer)
    if (b->each_invalid) return;
  gt_diagnostic *d = gt_error_at(diagnostics, node->at, "no 'each' of an enclosing block defines '%s'",
                                 reference_name(node));
  if (gt_diagnostics_full(diagnostics)) return;
  const char *known[16];
  size_t count = 0;
  for (; block; block = block->outer)
    for (int i = 0; block->each && i < block->each->count && count < 16; i++)
      known[count++] = gt_arena_printf(diagnostics->arena, "$%s", block->each->child[i]->key);
  d->suggestion = gt_nearest(node->scalar, known, count);
}

/* A copy in which the values of the current passes replace the references; NULL after reporting an error. */
static gt_spec *substitute(const gt_block *block, gt_arena *arena, const gt_spec *node,
                           gt_diagnostics *diagnostics) {
  const char *name = reference_name(node);
  const gt_spec *values = NULL, *from = node;
  for (const gt_block *b = block; name && b && !values; b = b->outer) {
    values = gt_spec_find(b->each, name);
    if (values) from = values->child[b->pass];
  }
  if (name && !values) {
    report_unknown_reference(block, node, diagnostics);
    return NULL;
  }
  gt_spec *copy = gt_spec_copy(arena, from);
  copy->key = node->key;
  copy->key_at = node->key_at;
  for (int i = 0; !name && i < node->count; i++) {
    copy->child[i] = substitute(block, arena, node->child[i], diagnostics);
    if (!copy->child[i]) return NULL;
  }
  return copy;
}

static void read_settings(gt_layer_template *layer, gt_arena *arena, gt_diagnostics *diagnostics) {
  const gt_layer_type *type = layer->type;
  layer->config = gt_arena_alloc(arena, type->config_size ? type->config_size : 1);
  char where[128];
  snprintf(where, sizeof where, "in layer '%s'", type->name);
  layer->valid = gt_schema_read(type->schema, layer->config, &gt_layer_common_schema, &layer->common,
                                layer->spec, layer->at, where, arena, diagnostics);
}

void gt_layer_expand(gt_layer_template *layer, gt_arena *arena, gt_diagnostics *diagnostics) {
  if (!layer->unexpanded || !layer->valid) return;
  const gt_layer_common common = layer->common; /* keeps the name and inputs of the first pass */
  layer->spec = substitute(layer->block, arena, layer->unexpanded, diagnostics);
  if (layer->spec) read_settings(layer, arena, diagnostics);
  layer->valid &= layer->spec != NULL;
  layer->common = common;
}

static void expect_layer(gt_arena *arena, gt_diagnostic *diagnostic, const char *type) {
  diagnostic->expected = gt_arena_printf(arena, "- %s or - %s: {...}", type, type);
}

/* True if the layer has the setting. */
static bool has_setting(const gt_layer_type *type, const char *key) {
  for (const gt_field *f = type ? type->schema->fields : NULL; f && f->name; f++)
    if (!strcmp(f->name, key)) return true;
  return false;
}

/* An item with one key as it is written in a list: "relu", "{linear: 64}". */
static const char *format_item(gt_arena *arena, const char *name, const gt_spec *value) {
  bool ignored;
  if (gt_spec_is_null(value) || gt_spec_bool(value, &ignored)) return name;
  return gt_arena_printf(arena, "{%s: %s}", name, value->kind == GT_SPEC_SCALAR ? value->scalar : "...");
}

/* The layer of `name` with one setting as it is written: "linear: 64", "conv2d: {stride: 2}"; with several
 * settings, or one that the layer does not have, their values are left out. */
static const char *format_setting(gt_arena *arena, const char *name, const gt_spec *setting, bool alone) {
  const gt_layer_type *type = gt_layer_find(name);
  const char *shorthand = type ? type->schema->shorthand : NULL;
  if (!alone || setting->kind != GT_SPEC_SCALAR || !has_setting(type, setting->key))
    return gt_arena_printf(arena, "%s: {%s: ...}", name, setting->key);
  if (shorthand && !strcmp(shorthand, setting->key))
    return gt_arena_printf(arena, "%s: %s", name, setting->scalar);
  return gt_arena_printf(arena, "%s: {%s: %s}", name, setting->key, setting->scalar);
}

/* Reports `- {type: relu}` and `- {type: linear, units: 10}`, as other programs write a layer; false: the
 * item does not start so. */
static bool report_type_key(gt_arena *arena, const gt_spec *node, gt_diagnostics *diagnostics) {
  static const char *const words[] = {"type", "layer", "name", "class", "kind", "class_name"};
  const gt_spec *first = node->child[0];
  size_t i = 0;
  while (i < sizeof words / sizeof *words && strcmp(first->key, words[i]) != 0) i++;
  if (i == sizeof words / sizeof *words || first->kind != GT_SPEC_SCALAR) return false;
  const char *name = gt_layer_by_foreign_name(first->scalar, diagnostics);
  if (node->count > 1) name = format_setting(arena, name, node->child[1], node->count == 2);
  gt_error_at(diagnostics, first->key_at, "a layer is written as its name, without '%s'", first->key)
      ->expected = gt_arena_printf(arena, "- %s", name);
  return true;
}

/* Reports several keys in one item, such as settings outside the layer's map. */
static void report_several_keys(gt_arena *arena, const gt_spec *node, gt_diagnostics *diagnostics) {
  const gt_spec *first = node->child[0], *second = node->child[1];
  gt_diagnostic *d = gt_error_at(diagnostics, second->key_at,
                                 "a layer is one entry, but '%s' is next to '%s'", second->key, first->key);
  if (!strcmp(first->key, "expression") && first->kind == GT_SPEC_SCALAR && gt_spec_is_null(second)) {
    d->help = gt_arena_printf(arena, "quotes around a formula with a comma: {expression: \"%s, %s\"}",
                              first->scalar, second->key);
    return;
  }
  const char *other = gt_layer_by_foreign_name(second->key, diagnostics);
  if (gt_layer_find(other) && !has_setting(gt_layer_find(first->key), second->key)) {
    d->help = gt_arena_printf(arena, "each layer is an item of its own: [%s, %s]",
                              format_item(arena, first->key, first), format_item(arena, other, second));
    return;
  }
  d->help = gt_layer_explain_missing_key(second->key);
  if (d->help) return;
  d->expected =
      gt_arena_printf(arena, "the layer's settings inside it: - %s: {..., %s: ...}", first->key, second->key);
  if (gt_position_is_override(second->at))
    d->help = gt_arena_printf(arena, "on the command line: --set model.N.%s.%s=VALUE, or by the layer's name",
                              first->key, second->key);
}

/* `- relu`, `- linear: 10`, `- linear: {units: 10, …}`. */
static void read_layer(gt_layer_template *layer, gt_arena *arena, const gt_spec *node,
                       gt_diagnostics *diagnostics) {
  layer->item = node;
  layer->at = node->at;
  if (node->kind == GT_SPEC_SCALAR) {
    read_type(layer, node->scalar, arena, node, diagnostics);
  } else if (node->kind == GT_SPEC_MAP && node->count && report_type_key(arena, node, diagnostics)) {
    layer->at = node->child[0]->key_at;
    return;
  } else if (node->kind == GT_SPEC_MAP && node->count == 1) {
    layer->at = node->child[0]->key_at;
    read_type(layer, node->child[0]->key, arena, node, diagnostics);
    layer->spec = node->child[0];
  } else if (node->kind == GT_SPEC_MAP && node->count > 1) {
    layer->at = node->child[0]->key_at;
    report_several_keys(arena, node, diagnostics);
    return;
  } else {
    gt_diagnostic *d =
        gt_error_at(diagnostics, node->at, "a layer must be a name, or a name with its settings");
    expect_layer(arena, d, "linear");
    return;
  }
  if (!layer->type) return;
  if (layer->spec && has_references(layer->spec)) {
    layer->unexpanded = layer->spec;
    layer->spec = substitute(layer->block, arena, layer->unexpanded, diagnostics);
  }
  if (layer->spec || !layer->unexpanded) read_settings(layer, arena, diagnostics);
}

static int64_t count_values(const gt_spec *node) {
  int64_t values = 1;
  for (int i = 0; i < node->count; i++) values += count_values(node->child[i]);
  return values;
}

/* Adds the layers of all passes of a block to the list that contains it. A block that is too long adds
 * nothing, so that enclosing blocks report no second error. */
static bool count_passes(gt_block *list, const gt_block *block, gt_position at, gt_diagnostics *diagnostics) {
  const int64_t layers = list->layers + block->times * block->layers;
  const int64_t values = list->values + block->times * block->values;
  if (layers > MAX_LAYERS || values > MAX_VALUES) {
    const bool too_many_layers = layers > MAX_LAYERS;
    return gt_refuse(diagnostics, at,
                     gt_arena_printf(diagnostics->arena, "at most %d %s in all",
                                     too_many_layers ? MAX_LAYERS : MAX_VALUES,
                                     too_many_layers ? "layers" : "values"),
                     "written out, this model would have %lld %s or more",
                     (long long)(too_many_layers ? layers : values), too_many_layers ? "layers" : "values");
  }
  list->layers = layers;
  list->values = values;
  return true;
}

/* Returns the common length of the lists, the number of passes; 0 after reporting an error. */
static int64_t read_each(const gt_spec *each, int64_t times, gt_arena *arena, gt_diagnostics *diagnostics) {
  static const char expected[] = "each: {NAME: [VALUE, …], …}, one value per repetition";
  if (each->kind != GT_SPEC_MAP || !each->count) {
    gt_error_at(diagnostics, each->at, "'each' in 'repeat' must be a map of lists")->expected = expected;
    return 0;
  }
  for (int i = 0; i < each->count; i++) {
    const gt_spec *list = each->child[i];
    if (list->kind != GT_SPEC_SEQUENCE || !list->count || list->count > MAX_TIMES) {
      gt_error_at(diagnostics, list->at, "'%s' must be a list of 1 to %d values", list->key, MAX_TIMES)
          ->expected = expected;
      return 0;
    }
    if (times && list->count != times) {
      gt_error_at(diagnostics, list->at, "'%s' has %d values", list->key, list->count)->expected =
          gt_arena_printf(arena, "%lld, one per repetition", (long long)times);
      return 0;
    }
    for (int k = 0; k < list->count; k++) {
      if (count_values(list->child[k]) <= MAX_EACH_VALUES) continue;
      gt_error_at(diagnostics, list->child[k]->at,
                  "this value is too long to be inserted into settings of layers")
          ->expected = gt_arena_printf(arena, "at most %d values in all", MAX_EACH_VALUES);
      return 0;
    }
    times = list->count;
  }
  return times;
}

static bool read_times(gt_block *block, const repeat *read, gt_position at, gt_arena *arena,
                       gt_diagnostics *diagnostics) {
  block->times = (int)read->times;
  if (!gt_spec_is_null(read->each)) {
    block->times = (int)read_each(read->each, read->times, arena, diagnostics);
    if (block->times) block->each = read->each;
    block->each_invalid = !block->times;
  } else if (!block->times) {
    gt_error_at(diagnostics, at, "'repeat' does not say how many times")->expected =
        "times: 3, or each: {NAME: [VALUE, …]}";
  }
  return block->times;
}

/* `- repeat: {times: 3, layers: […]}`. */
static bool read_repeat(gt_block *list, gt_block *block, gt_arena *arena, const gt_spec *node,
                        gt_diagnostics *diagnostics) {
  const gt_spec *settings = node->kind == GT_SPEC_MAP ? node->child[0] : NULL;
  const gt_position at = settings ? settings->key_at : node->at;
  repeat read = {0};
  *block = (gt_block){.outer = list, .depth = list->depth + 1, .first = -1, .names.arena = arena};
  bool known =
      gt_schema_read(&gt_repeat_schema, &read, NULL, NULL, settings, at, "in 'repeat'", arena, diagnostics);
  if (known) known = read_times(block, &read, at, arena, diagnostics);
  if (block->depth > MAX_DEPTH)
    return gt_refuse(diagnostics, at, gt_arena_printf(arena, "at most %d levels", MAX_DEPTH),
                     "this block is nested too deeply");
  if (read.layers && (read.layers->kind != GT_SPEC_SEQUENCE || !read.layers->count))
    return gt_refuse(diagnostics, read.layers->at, "layers: such as [{linear: 64}, relu]",
                     "'layers' in 'repeat' must be a list of layers");
  if (read.layers) known &= gt_block_read(block, arena, read.layers, diagnostics);
  const gt_spec *times = gt_spec_find(settings, "times");
  return known && count_passes(list, block, times ? times->at : at, diagnostics);
}

bool gt_block_read(gt_block *block, gt_arena *arena, const gt_spec *list, gt_diagnostics *diagnostics) {
  bool known = true;
  block->entries = list->count;
  block->entry = GT_NEW_N(arena, gt_entry, list->count);
  for (int i = 0; i < list->count; i++) {
    gt_entry *entry = &block->entry[i];
    if (is_repeat(list->child[i])) {
      entry->block = GT_NEW(arena, gt_block);
      known &= read_repeat(block, entry->block, arena, list->child[i], diagnostics);
      continue;
    }
    entry->layer = GT_NEW(arena, gt_layer_template);
    entry->layer->block = block;
    entry->layer->first = -1;
    read_layer(entry->layer, arena, list->child[i], diagnostics);
    block->layers++;
    block->values += count_values(list->child[i]);
  }
  return known;
}

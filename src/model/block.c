/* Lists of layers, and blocks of them: what is written, not yet what it is laid out to. */
#include "model/model.h"
#include "model/read.h"
#include <stdio.h>
#include <string.h>

/* A few bytes of nested blocks could ask for more layers than there is memory: what they come to is counted
 * before anything is laid out. The values are those that a config may have (spec/source.h). */
enum { MOST_TIMES = 1000, MOST_LAYERS = 10000, MOST_VALUES = 100000, MOST_DEPTH = 8 };

typedef struct repeat {
  int64_t times;
  const gt_spec *layers;
} repeat;

static const gt_field repeat_fields[] = {
    GT_ROW(repeat, times, GT_FIELD_INT, .min = 1, .max = MOST_TIMES, .flags = GT_FIELD_REQUIRED,
           .help = "how often the layers follow one another"),
    GT_ROW(repeat, layers, GT_FIELD_NODE, .flags = GT_FIELD_REQUIRED,
           .help = "the layers of one pass, as in `model:`; `from: block_input` reads what the pass reads"),
    {.name = NULL},
};
const gt_schema gt_repeat_schema = {
    .name = "repeat", .help = "layers that follow one another several times", .fields = repeat_fields};

static bool is_repeat(const gt_spec *node) {
  if (node->kind == GT_SPEC_SCALAR) return !strcmp(node->scalar, GT_REPEAT);
  return node->kind == GT_SPEC_MAP && node->count == 1 && !strcmp(node->child[0]->key, GT_REPEAT);
}

static void read_type(gt_layer_written *layer, const char *name, gt_arena *arena, const gt_spec *node,
                      gt_diagnostics *diagnostics) {
  const int count = gt_layer_count();
  const char **names = GT_NEW_N(arena, const char *, count + 1);
  for (int i = 0; i < count; i++) names[i] = gt_layer_at(i)->name;
  names[count] = GT_REPEAT; /* for who misspells it */
  const int chosen = gt_schema_choose(node, name, layer->at, "layer", names, count + 1, diagnostics);
  if (chosen >= 0 && chosen < count) layer->type = gt_layer_at(chosen);
}

static void expect_layer(gt_arena *arena, gt_diagnostic *diagnostic, const char *type) {
  diagnostic->expected = gt_arena_printf(arena, "- %s or - %s: {...}", type, type);
}

/* `- relu`, `- linear: 10`, `- linear: {units: 10, …}`. */
static void read_layer(gt_layer_written *layer, gt_arena *arena, const gt_spec *node,
                       gt_diagnostics *diagnostics) {
  layer->at = node->at;
  if (node->kind == GT_SPEC_SCALAR) {
    read_type(layer, node->scalar, arena, node, diagnostics);
  } else if (node->kind == GT_SPEC_MAP && node->count == 1) {
    layer->at = node->child[0]->key_at;
    read_type(layer, node->child[0]->key, arena, node, diagnostics);
    layer->spec = node->child[0];
  } else if (node->kind == GT_SPEC_MAP && node->count > 1) {
    const gt_spec *first = node->child[0], *second = node->child[1];
    layer->at = first->key_at;
    gt_diagnostic *d =
        gt_error_at(diagnostics, second->key_at, "a layer is one entry, but '%s' stands beside '%s'",
                    second->key, first->key);
    d->expected = gt_arena_printf(arena, "the settings of a layer inside it: - %s: {..., %s: ...}",
                                  first->key, second->key);
    return;
  } else {
    gt_diagnostic *d =
        gt_error_at(diagnostics, node->at, "a layer must be a name, or a name with its settings");
    expect_layer(arena, d, "linear");
    return;
  }
  if (!layer->type) return;
  layer->config = gt_arena_alloc(arena, layer->type->config_size ? layer->type->config_size : 1);
  char where[128];
  snprintf(where, sizeof where, "in layer '%s'", layer->type->name);
  layer->valid = gt_schema_read(layer->type->schema, layer->config, &gt_layer_common_schema, &layer->common,
                                layer->spec, layer->at, where, arena, diagnostics);
}

static int64_t values_of(const gt_spec *node) {
  int64_t values = 1;
  for (int i = 0; i < node->count; i++) values += values_of(node->child[i]);
  return values;
}

/* Adds all passes of a block to the list that it stands in; one that is too long counts for nothing, so that
 * those around it are not refused for it, too. */
static bool count_passes(gt_block *list, const gt_block *block, gt_position at, gt_diagnostics *diagnostics) {
  const int64_t layers = list->layers + block->times * block->layers;
  const int64_t values = list->values + block->times * block->values;
  if (layers > MOST_LAYERS || values > MOST_VALUES) {
    const bool most = layers > MOST_LAYERS;
    gt_error_at(diagnostics, at, "written out, this would be a model of %lld %s and more",
                (long long)(most ? layers : values), most ? "layers" : "values")
        ->expected = gt_arena_printf(diagnostics->arena, "at most %d %s in all",
                                     most ? MOST_LAYERS : MOST_VALUES, most ? "layers" : "values");
    return false;
  }
  list->layers = layers;
  list->values = values;
  return true;
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
  block->times = (int)read.times;
  if (block->depth > MOST_DEPTH) {
    gt_error_at(diagnostics, at, "this block stands inside too many others")->expected =
        gt_arena_printf(arena, "at most %d around one another", MOST_DEPTH);
    return false;
  }
  if (read.layers && (read.layers->kind != GT_SPEC_SEQUENCE || !read.layers->count)) {
    gt_error_at(diagnostics, read.layers->at, "'layers' in 'repeat' must be a list of layers")->expected =
        "layers: such as [{linear: 64}, relu]";
    return false;
  }
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
    entry->layer = GT_NEW(arena, gt_layer_written);
    entry->layer->block = block;
    entry->layer->first = -1;
    read_layer(entry->layer, arena, list->child[i], diagnostics);
    block->layers++;
    block->values += values_of(list->child[i]);
  }
  return known;
}

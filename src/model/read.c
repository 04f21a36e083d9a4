#include "model/read.h"
#include "base/text.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 64, LISTED = 8 }; /* LISTED: names of layers in a message */

/* --- layers of all passes --- */

/* Appends an instance of each layer for each pass. */
static void create_instances(gt_parsed_model *parsed, gt_block *block, gt_arena *arena,
                             gt_diagnostics *diagnostics) {
  if (block->first < 0) block->first = parsed->layers;
  for (block->pass = 0; block->pass < block->times; block->pass++)
    for (int i = 0; i < block->entries; i++) {
      if (block->entry[i].block) {
        create_instances(parsed, block->entry[i].block, arena, diagnostics);
        continue;
      }
      gt_layer_template *layer = block->entry[i].layer;
      if (layer->first < 0)
        layer->first = parsed->layers;
      else
        gt_layer_expand(layer, arena, diagnostics);
      parsed->layer[parsed->layers++] =
          (gt_layer_instance){.template = layer, .spec = layer->spec, .config = layer->config};
    }
}

/* Distance of the layer at `index`, which is in the block, from the instance of the same layer in the first
 * pass of the block and of all enclosing blocks. */
static int distance_to_first(const gt_block *block, int index) {
  if (!block) return 0;
  const int outer = distance_to_first(block->outer, index), passes = index - outer - block->first;
  return outer + passes / (int)block->layers * (int)block->layers;
}

/* The pass of the block that contains the layer at `index`, from 1. */
static int pass_of(const gt_block *block, int index) {
  return (distance_to_first(block, index) - distance_to_first(block->outer, index)) / (int)block->layers + 1;
}

static bool in_first_pass(const gt_block *block, int index) {
  return index >= block->first && index < block->first + block->layers;
}

/* --- names --- */

/* The name by which layers of block `within` refer to the layer at `index` of `block`, which has a name: this
 * name itself in its own block; outside, each block that is left adds the number of its pass. */
static const char *name_seen_from(const gt_block *within, const gt_block *block, const char *name, int index,
                                  gt_arena *arena) {
  if (block == within) return name;
  const char *outer = name_seen_from(within, block->outer, name, index, arena);
  const bool number = isdigit((unsigned char)outer[strlen(outer) - 1]);
  return gt_arena_printf(arena, "%s%s%d", outer, number ? "_" : "", pass_of(block, index));
}

static gt_position name_position(const gt_layer_template *layer) {
  const gt_spec *name = gt_spec_find(layer->spec, "name");
  return name ? name->at : layer->at;
}

/* Index of the model's input with this name; -1: none. */
static int find_input(const gt_parsed_model *parsed, const char *name) {
  for (int k = 0; k < parsed->inputs.count; k++)
    if (!strcmp(parsed->inputs.items[k].name, name)) return k;
  return -1;
}

static bool check_name(const gt_parsed_model *parsed, const gt_layer_template *layer,
                       gt_diagnostics *diagnostics) {
  const char *name = layer->common.name;
  if (!gt_is_name(name))
    return gt_refuse(diagnostics, name_position(layer), GT_NAME_RULE, "'%s' cannot be the name of a layer",
                     name);
  if (find_input(parsed, name) >= 0)
    return gt_refuse(diagnostics, name_position(layer), NULL, "a layer cannot be called '%s': that is %s",
                     name, parsed->inputs.count > 1 ? "an input of the model" : "the model's input");
  if (!strcmp(name, GT_BLOCK_INPUT))
    return gt_refuse(diagnostics, name_position(layer), NULL,
                     "a layer cannot be called '" GT_BLOCK_INPUT "': that is the input of a 'repeat' block");
  return true;
}

/* The length of names in blocks is limited, because each pass has a copy. */
static void check_length(gt_layer_template *layer, gt_diagnostics *diagnostics) {
  if (!layer->block->outer || !layer->common.name || strlen(layer->common.name) <= LONGEST_NAME) return;
  gt_error_at(diagnostics, name_position(layer), "this name is too long for a layer in 'repeat'")->expected =
      gt_arena_printf(diagnostics->arena, "at most %d bytes", LONGEST_NAME);
  layer->common.name = NULL;
  layer->valid = false;
}

/* Adds the names of layer `index` to all blocks that contain it. Returns a layer that already has one of
 * them, *name, or NULL. */
static const gt_layer_instance *add_name(gt_parsed_model *parsed, int index, const char **name,
                                         gt_arena *arena) {
  gt_layer_instance *layer = &parsed->layer[index];
  const gt_layer_template *template = layer->template;
  const gt_layer_instance *first_conflict = NULL;
  for (gt_block *block = template->block; block; block = block->outer) {
    if (!in_first_pass(block, index)) continue;
    layer->name = name_seen_from(block, template->block, template->common.name, index, arena);
    const gt_layer_instance *other = &parsed->layer[gt_names_add(&block->names, layer->name, index)];
    if (other == layer || first_conflict) continue;
    first_conflict = other;
    *name = layer->name;
  }
  return first_conflict;
}

/* Names from the config come first, so that an automatic name never conflicts with them. */
static void assign_names(gt_parsed_model *parsed, gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int i = 0; i < parsed->layers; i++) {
    gt_layer_instance *layer = &parsed->layer[i];
    gt_layer_template *template = layer->template;
    const bool first = i == template->first;
    if (first) check_length(template, diagnostics);
    if (!template->common.name) continue;
    const char *name;
    const gt_layer_instance *other = add_name(parsed, i, &name, arena);
    if (other && (first || template->valid))
      gt_error_at(diagnostics, name_position(template),
                  "the name '%s' is already used by the %s layer in line %d", name,
                  other->template->type->name, other->template->at.line);
    if (other || (first && !check_name(parsed, template, diagnostics))) template->valid = false;
  }
  int *number = GT_NEW_N(arena, int, gt_layer_count());
  for (int i = 0; i < parsed->layers; i++) {
    gt_layer_instance *layer = &parsed->layer[i];
    if (layer->name) continue;
    int type = 0;
    while (layer->template->type && gt_layer_at(type) != layer->template->type) type++;
    do {
      const char *name = layer->template->type ? layer->template->type->name : "unknown";
      layer->name = gt_arena_printf(arena, "%s%d", name, ++number[type]);
    } while (gt_names_add(&parsed->block->names, layer->name, i) != i);
  }
}

/* --- inputs --- */

static const char *list_of_inputs(const gt_parsed_model *parsed, gt_arena *arena) {
  const char *list = parsed->inputs.items[0].name;
  for (int k = 1; k < parsed->inputs.count; k++)
    list = gt_arena_printf(arena, "%s, %s", list, parsed->inputs.items[k].name);
  return list;
}

/* Lists the layers that layer `index` may read: all of them, or the nearest ones before it. */
static const char *describe_sources(const gt_parsed_model *parsed, int index, gt_arena *arena) {
  const char *special = list_of_inputs(parsed, arena);
  if (parsed->layer[index].template->block->outer)
    special = gt_arena_printf(arena, "%s, " GT_BLOCK_INPUT, special);
  if (index < LISTED) {
    const char *list = special;
    for (int i = 0; i < index; i++) list = gt_arena_printf(arena, "%s, %s", list, parsed->layer[i].name);
    return gt_arena_printf(arena, "one of the layers before it: %s", list);
  }
  const char *list = "";
  for (int i = index - LISTED; i < index; i++)
    list = gt_arena_printf(arena, "%s, %s", list, parsed->layer[i].name);
  return gt_arena_printf(arena, "%s or one of the %d layers before it, such as%s", special, index, list + 1);
}

/* Index of the layer that a name in `from:` of layer `index` means; -1: none. The innermost block that has
 * the name counts; in a block that contains both layers, it is the layer of the same pass. */
static int find_source(const gt_parsed_model *parsed, int index, const char *name) {
  const gt_block *common = parsed->layer[index].template->block;
  int source = -1;
  for (const gt_block *block = common; block && source < 0; block = block->outer)
    source = gt_names_find(&block->names, name);
  if (source < 0) return source;
  while (!in_first_pass(common, source)) common = common->outer; /* the innermost block that contains both */
  return source + distance_to_first(common, index);
}

static void report_unknown_source(const gt_parsed_model *parsed, int index, gt_position at, const char *name,
                                  gt_arena *arena, gt_diagnostics *diagnostics) {
  const gt_layer_instance *layer = &parsed->layer[index];
  const int later = find_source(parsed, index, name);
  if (later == index) {
    gt_error_at(diagnostics, at, "layer '%s' cannot read itself", name);
    return;
  }
  if (later > index) {
    gt_error_at(diagnostics, at, "layer '%s' cannot read '%s', which comes after it", layer->name, name);
    return;
  }
  if (!strcmp(name, GT_BLOCK_INPUT)) {
    gt_error_at(diagnostics, at, "layer '%s' is not in a block, so it cannot read '%s'", layer->name, name);
    return;
  }
  gt_diagnostic *d =
      gt_error_at(diagnostics, at, "layer '%s' reads '%s', but no layer has this name", layer->name, name);
  if (gt_diagnostics_full(diagnostics)) return;
  const bool block = layer->template->block->outer;
  const char **names = GT_NEW_N(arena, const char *, parsed->inputs.count + index + 1);
  int count = 0;
  for (int k = 0; k < parsed->inputs.count; k++) names[count++] = parsed->inputs.items[k].name;
  for (int i = 0; i < index; i++) names[count++] = parsed->layer[i].name;
  if (block) names[count++] = GT_BLOCK_INPUT;
  d->suggestion = gt_nearest(name, names, (size_t)count);
  d->expected = describe_sources(parsed, index, arena);
}

static void check_count(gt_layer_instance *layer, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_layer_template *template = layer->template;
  const int min = template->type->min_inputs; /* 0: exactly one */
  const gt_spec *from = gt_spec_find(template->spec, "from");
  const gt_position at = from ? from->at : template->at;
  if (layer->inputs < min) {
    gt_error_at(diagnostics, at, "layer '%s' needs at least %d inputs, but reads %d", layer->name, min,
                layer->inputs)
        ->expected = gt_arena_printf(arena, "%s: {from: [NAME, NAME]}", template->type->name);
    template->valid = false;
  } else if (!min && layer->inputs > 1) {
    gt_error_at(diagnostics, at, "layer '%s' reads %d inputs, but %s takes only 1", layer->name,
                layer->inputs, template->type->name);
    template->valid = false;
  }
}

/* Resolves a name in `from:` of the layer at `index`. False if the layer cannot read it. */
static bool resolve(const gt_parsed_model *parsed, int index, const char *name, int *source) {
  const gt_block *block = parsed->layer[index].template->block;
  if (block->outer && !strcmp(name, GT_BLOCK_INPUT)) {
    *source = block->first - 1 + distance_to_first(block, index);
    return true;
  }
  const int input = find_input(parsed, name); /* check_name ensures that no layer has this name */
  *source = input >= 0 ? GT_FROM_INPUT(input) : find_source(parsed, index, name);
  return input >= 0 || (*source >= 0 && *source < index);
}

/* Reports that a layer without `from:` would read the model's input, but there are several. */
static void report_ambiguous_input(const gt_parsed_model *parsed, gt_layer_template *template, gt_position at,
                                   gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_error_at(diagnostics, at, "the model has several inputs, and this layer does not say which one it reads")
      ->expected =
      gt_arena_printf(arena, "%s: {from: NAME}, where NAME is one of %s",
                      template->type ? template->type->name : "LAYER", list_of_inputs(parsed, arena));
  template->valid = false;
}

static void find_inputs(gt_parsed_model *parsed, int index, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_layer_instance *layer = &parsed->layer[index];
  gt_layer_template *template = layer->template;
  const gt_strings *from = &template->common.from;
  layer->inputs = from->count ? from->count : 1;
  layer->input = GT_NEW_N(arena, int, layer->inputs);
  if (!from->count) layer->input[0] = index - 1;
  for (int k = 0; k < layer->inputs; k++) {
    const char *name = from->count ? from->items[k] : GT_BLOCK_INPUT;
    const gt_position at = from->at ? from->at[k] : template->at;
    const bool known = !from->count || resolve(parsed, index, name, &layer->input[k]);
    if (!known) layer->input[k] = GT_FROM_INPUT(0);
    if (index != template->first) continue;
    if (!known) {
      report_unknown_source(parsed, index, at, name, arena, diagnostics);
      template->valid = false;
    } else if (layer->input[k] < 0 && parsed->inputs.count > 1 && !strcmp(name, GT_BLOCK_INPUT)) {
      report_ambiguous_input(parsed, template, at, arena, diagnostics);
    }
  }
  if (template->type && template->valid) check_count(layer, arena, diagnostics);
}

bool gt_model_parse(gt_parsed_model *parsed, gt_arena *arena, const gt_spec *root, gt_model_inputs inputs,
                    gt_diagnostics *diagnostics) {
  const gt_spec *model = gt_spec_find(root, "model");
  *parsed = (gt_parsed_model){.inputs = inputs};
  if (!model && gt_diagnostics_has_suggestion(diagnostics, "model")) return false;
  if (!model || gt_spec_is_null(model) || model->kind != GT_SPEC_SEQUENCE || !model->count) {
    const bool wrong = model && !gt_spec_is_null(model) && model->kind != GT_SPEC_SEQUENCE;
    gt_diagnostic *d = gt_error_at(diagnostics, model ? model->at : root->at, "%s",
                                   wrong   ? "'model' must be a list of layers"
                                   : model ? "'model' has no layers"
                                           : "key 'model' is missing");
    d->expected = "model: a list of layers, such as [{linear: 128}, relu, {linear: 10}]";
    return false;
  }
  gt_block *block = parsed->block = GT_NEW(arena, gt_block);
  *block = (gt_block){.times = 1, .first = -1, .names.arena = arena};
  if (!gt_block_read(block, arena, model, diagnostics)) return false;
  parsed->layer = GT_NEW_N(arena, gt_layer_instance, block->layers);
  create_instances(parsed, block, arena, diagnostics);
  assign_names(parsed, arena, diagnostics);
  for (int i = 0; i < parsed->layers; i++) find_inputs(parsed, i, arena, diagnostics);
  return true;
}

/* --- names and paths --- */

/* The path of a layer's settings in the list, such as "2.repeat.layers.0.linear", or NULL. */
static const char *path_in(gt_arena *arena, const gt_spec *list, const gt_spec *wanted) {
  for (int i = 0; list && i < list->count; i++) {
    const gt_spec *item = list->child[i], *entry = item->count ? item->child[0] : NULL;
    if (item == wanted) return gt_arena_printf(arena, "%d.%s", i, entry ? entry->key : item->scalar);
    if (!entry || !entry->key || strcmp(entry->key, GT_REPEAT)) continue;
    const char *inner = path_in(arena, gt_spec_find(entry, "layers"), wanted);
    if (inner) return gt_arena_printf(arena, "%d." GT_REPEAT ".layers.%s", i, inner);
  }
  return NULL;
}

const gt_spec_names *gt_model_layer_names(gt_arena *arena, const gt_spec *root) {
  gt_diagnostics ignored;
  gt_parsed_model parsed = {0};
  gt_spec_names *names = GT_NEW(arena, gt_spec_names);
  const gt_spec *model = gt_spec_find(root, "model");
  *names = (gt_spec_names){.list = "model", .what = "layer"};
  gt_diagnostics_init(&ignored, arena);
  parsed.block = GT_NEW(arena, gt_block);
  *parsed.block = (gt_block){.times = 1, .first = -1, .names.arena = arena};
  if (!model || model->kind != GT_SPEC_SEQUENCE || !gt_block_read(parsed.block, arena, model, &ignored))
    return names;
  parsed.layer = GT_NEW_N(arena, gt_layer_instance, parsed.block->layers + 1);
  create_instances(&parsed, parsed.block, arena, &ignored);
  assign_names(&parsed, arena, &ignored);
  const char **name = GT_NEW_N(arena, const char *, parsed.layers + 1);
  const char **path = GT_NEW_N(arena, const char *, parsed.layers + 1);
  for (int i = 0; i < parsed.layers; i++) {
    name[names->count] = parsed.layer[i].name;
    path[names->count] = path_in(arena, model, parsed.layer[i].template->item);
    names->count += path[names->count] != NULL;
  }
  names->name = name;
  names->path = path;
  return names;
}

#include "model/read.h"
#include "base/text.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 64, LISTED = 8 };

/* --- layers of all passes --- */

static void lay_out(gt_model_read *read, gt_block *block, gt_arena *arena, gt_diagnostics *diagnostics) {
  if (block->first < 0) block->first = read->layers;
  for (block->pass = 0; block->pass < block->times; block->pass++)
    for (int i = 0; i < block->entries; i++) {
      if (block->entry[i].block) {
        lay_out(read, block->entry[i].block, arena, diagnostics);
        continue;
      }
      gt_layer_written *layer = block->entry[i].layer;
      if (layer->first < 0)
        layer->first = read->layers;
      else
        gt_layer_vary(layer, arena, diagnostics);
      read->layer[read->layers++] =
          (gt_layer_read){.written = layer, .spec = layer->spec, .config = layer->config};
    }
}

/* Number of layers between the one at `index`, which is in the block, and the same layer in the first pass of
 * the block and of all enclosing blocks. */
static int layers_before(const gt_block *block, int index) {
  if (!block) return 0;
  const int outer = layers_before(block->outer, index), passes = index - outer - block->first;
  return outer + passes / (int)block->layers * (int)block->layers;
}

static int pass_of(const gt_block *block, int index) {
  return (layers_before(block, index) - layers_before(block->outer, index)) / (int)block->layers + 1;
}

static bool in_first_pass(const gt_block *block, int index) {
  return index >= block->first && index < block->first + block->layers;
}

/* --- names --- */

/* Name of a layer with a given name as seen from block `within`: the name itself in its own block; each
 * enclosing block adds the number of its pass. */
static const char *name_in(const gt_block *within, const gt_block *block, const char *name, int index,
                           gt_arena *arena) {
  if (block == within) return name;
  const char *outer = name_in(within, block->outer, name, index, arena);
  const bool number = isdigit((unsigned char)outer[strlen(outer) - 1]);
  return gt_arena_printf(arena, "%s%s%d", outer, number ? "_" : "", pass_of(block, index));
}

static gt_position name_position(const gt_layer_written *layer) {
  const gt_spec *name = gt_spec_find(layer->spec, "name");
  return name ? name->at : layer->at;
}

/* Index of the model's input with this name; -1: none. */
static int find_input(const gt_model_read *read, const char *name) {
  for (int k = 0; k < read->inputs.count; k++)
    if (!strcmp(read->inputs.items[k].name, name)) return k;
  return -1;
}

static bool check_name(const gt_model_read *read, const gt_layer_written *layer,
                       gt_diagnostics *diagnostics) {
  const char *name = layer->common.name;
  if (!gt_is_name(name)) {
    gt_error_at(diagnostics, name_position(layer), "'%s' cannot be the name of a layer", name)->expected =
        GT_NAME_RULE;
    return false;
  }
  if (find_input(read, name) >= 0) {
    gt_error_at(diagnostics, name_position(layer), "a layer cannot be called '%s': that is %s", name,
                read->inputs.count > 1 ? "an input of the model" : "the model's input");
    return false;
  }
  if (!strcmp(name, GT_BLOCK_INPUT)) {
    gt_error_at(diagnostics, name_position(layer),
                "a layer cannot be called '" GT_BLOCK_INPUT "': that is the input of a 'repeat' block");
    return false;
  }
  return true;
}

/* Names are copied for each pass, so their length is limited. */
static void check_length(gt_layer_written *layer, gt_diagnostics *diagnostics) {
  if (!layer->block->outer || !layer->common.name || strlen(layer->common.name) <= LONGEST_NAME) return;
  gt_error_at(diagnostics, name_position(layer), "this name is too long for a layer in 'repeat'")->expected =
      gt_arena_printf(diagnostics->arena, "at most %d bytes", LONGEST_NAME);
  layer->common.name = NULL;
  layer->valid = false;
}

/* The layer that already has a name of this one, in the model or in a block that sees both; NULL: none. */
static const gt_layer_read *add_name(gt_model_read *read, int index, const char **name, gt_arena *arena) {
  gt_layer_read *layer = &read->layer[index];
  const gt_layer_written *written = layer->written;
  const gt_layer_read *taken = NULL;
  for (gt_block *block = written->block; block; block = block->outer) {
    if (!in_first_pass(block, index)) continue;
    layer->name = name_in(block, written->block, written->common.name, index, arena);
    const gt_layer_read *other = &read->layer[gt_names_add(&block->names, layer->name, index)];
    if (other == layer || taken) continue;
    taken = other;
    *name = layer->name;
  }
  return taken;
}

/* Given names first, so that an automatic name never takes a given one. */
static void give_names(gt_model_read *read, gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int i = 0; i < read->layers; i++) {
    gt_layer_read *layer = &read->layer[i];
    gt_layer_written *written = layer->written;
    const bool first = i == written->first;
    if (first) check_length(written, diagnostics);
    if (!written->common.name) continue;
    const char *name;
    const gt_layer_read *other = add_name(read, i, &name, arena);
    if (other && (first || written->valid))
      gt_error_at(diagnostics, name_position(written),
                  "the name '%s' is already used by the %s layer in line %d", name,
                  other->written->type->name, other->written->at.line);
    if (other || (first && !check_name(read, written, diagnostics))) written->valid = false;
  }
  int *number = GT_NEW_N(arena, int, gt_layer_count());
  for (int i = 0; i < read->layers; i++) {
    gt_layer_read *layer = &read->layer[i];
    if (layer->name) continue;
    int type = 0;
    while (layer->written->type && gt_layer_at(type) != layer->written->type) type++;
    do {
      const char *name = layer->written->type ? layer->written->type->name : "unknown";
      layer->name = gt_arena_printf(arena, "%s%d", name, ++number[type]);
    } while (gt_names_add(&read->block->names, layer->name, i) != i);
  }
}

/* --- inputs --- */

static const char *list_of_inputs(const gt_model_read *read, gt_arena *arena) {
  const char *list = read->inputs.items[0].name;
  for (int k = 1; k < read->inputs.count; k++)
    list = gt_arena_printf(arena, "%s, %s", list, read->inputs.items[k].name);
  return list;
}

/* Lists the layers that layer `index` may read: all of them, or the nearest ones before it. */
static const char *sources(const gt_model_read *read, int index, gt_arena *arena) {
  const char *special = list_of_inputs(read, arena);
  if (read->layer[index].written->block->outer)
    special = gt_arena_printf(arena, "%s, " GT_BLOCK_INPUT, special);
  if (index < LISTED) {
    const char *list = special;
    for (int i = 0; i < index; i++) list = gt_arena_printf(arena, "%s, %s", list, read->layer[i].name);
    return gt_arena_printf(arena, "one of the layers before it: %s", list);
  }
  const char *list = "";
  for (int i = index - LISTED; i < index; i++)
    list = gt_arena_printf(arena, "%s, %s", list, read->layer[i].name);
  return gt_arena_printf(arena, "%s or one of the %d layers before it, such as%s", special, index, list + 1);
}

/* The layer that a name refers to from the layer at `index`, -1 if none. The innermost block that has the
 * name decides; in a block that holds both layers, it is the one of the same pass. */
static int source_of(const gt_model_read *read, int index, const char *name) {
  const gt_block *own = read->layer[index].written->block;
  int source = -1;
  for (const gt_block *block = own; block && source < 0; block = block->outer)
    source = gt_names_find(&block->names, name);
  if (source < 0) return source;
  while (!in_first_pass(own, source)) own = own->outer;
  return source + layers_before(own, index);
}

static void unknown_source(const gt_model_read *read, int index, gt_position at, const char *name,
                           gt_arena *arena, gt_diagnostics *diagnostics) {
  const gt_layer_read *layer = &read->layer[index];
  const int later = source_of(read, index, name);
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
  const bool block = layer->written->block->outer;
  const char **names = GT_NEW_N(arena, const char *, read->inputs.count + index + 1);
  int count = 0;
  for (int k = 0; k < read->inputs.count; k++) names[count++] = read->inputs.items[k].name;
  for (int i = 0; i < index; i++) names[count++] = read->layer[i].name;
  if (block) names[count++] = GT_BLOCK_INPUT;
  d->suggestion = gt_nearest(name, names, (size_t)count);
  d->expected = sources(read, index, arena);
}

static void check_count(gt_layer_read *layer, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_layer_written *written = layer->written;
  const int least = written->type->min_inputs, most = written->type->max_inputs;
  const gt_spec *from = gt_spec_find(written->spec, "from");
  const gt_position at = from ? from->at : written->at;
  if (layer->inputs < least) {
    gt_error_at(diagnostics, at, "layer '%s' needs at least %d inputs, but reads %d", layer->name, least,
                layer->inputs)
        ->expected = gt_arena_printf(arena, "%s: {from: [NAME, NAME]}", written->type->name);
    written->valid = false;
  } else if (most >= 0 && layer->inputs > most) {
    gt_error_at(diagnostics, at, "layer '%s' reads %d inputs, but %s takes only %d", layer->name,
                layer->inputs, written->type->name, most);
    written->valid = false;
  }
}

/* Resolves a name in `from:` of the layer at `index`; false: it cannot read that. */
static bool resolve(const gt_model_read *read, int index, const char *name, int *source) {
  const gt_block *block = read->layer[index].written->block;
  if (block->outer && !strcmp(name, GT_BLOCK_INPUT)) {
    *source = block->first - 1 + layers_before(block, index);
    return true;
  }
  const int input = find_input(read, name); /* a layer cannot have its name */
  *source = input >= 0 ? GT_FROM_INPUT(input) : source_of(read, index, name);
  return input >= 0 || (*source >= 0 && *source < index);
}

/* The first layer reads the model's input, if there is only one. */
static void ask_which(const gt_model_read *read, gt_layer_written *written, gt_position at, gt_arena *arena,
                      gt_diagnostics *diagnostics) {
  gt_error_at(diagnostics, at, "the model has several inputs, and this layer does not say which one it reads")
      ->expected =
      gt_arena_printf(arena, "%s: {from: NAME}, where NAME is one of %s",
                      written->type ? written->type->name : "LAYER", list_of_inputs(read, arena));
  written->valid = false;
}

static void find_inputs(gt_model_read *read, int index, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_layer_read *layer = &read->layer[index];
  gt_layer_written *written = layer->written;
  const gt_strings *from = &written->common.from;
  layer->inputs = from->count ? from->count : 1;
  layer->input = GT_NEW_N(arena, int, layer->inputs);
  if (!from->count) layer->input[0] = index - 1;
  for (int k = 0; k < layer->inputs; k++) {
    const char *name = from->count ? from->items[k] : GT_BLOCK_INPUT;
    const gt_position at = from->at ? from->at[k] : written->at;
    const bool known = !from->count || resolve(read, index, name, &layer->input[k]);
    if (!known) layer->input[k] = GT_FROM_INPUT(0);
    if (index != written->first) continue;
    if (!known) {
      unknown_source(read, index, at, name, arena, diagnostics);
      written->valid = false;
    } else if (layer->input[k] < 0 && read->inputs.count > 1 && !strcmp(name, GT_BLOCK_INPUT)) {
      ask_which(read, written, at, arena, diagnostics);
    }
  }
  if (written->type && written->valid) check_count(layer, arena, diagnostics);
}

bool gt_model_read_spec(gt_model_read *read, gt_arena *arena, const gt_spec *root, gt_model_inputs inputs,
                        gt_diagnostics *diagnostics) {
  const gt_spec *model = gt_spec_find(root, "model");
  *read = (gt_model_read){.inputs = inputs};
  if (!model && gt_diagnostics_suggest(diagnostics, "model")) return false;
  if (!model || gt_spec_is_null(model) || model->kind != GT_SPEC_SEQUENCE || !model->count) {
    const bool wrong = model && !gt_spec_is_null(model) && model->kind != GT_SPEC_SEQUENCE;
    gt_diagnostic *d = gt_error_at(diagnostics, model ? model->at : root->at, "%s",
                                   wrong   ? "'model' must be a list of layers"
                                   : model ? "'model' has no layers"
                                           : "key 'model' is missing");
    d->expected = "model: a list of layers, such as [{linear: 128}, relu, {linear: 10}]";
    return false;
  }
  gt_block *block = read->block = GT_NEW(arena, gt_block);
  *block = (gt_block){.times = 1, .first = -1, .names.arena = arena};
  if (!gt_block_read(block, arena, model, diagnostics)) return false;
  read->layer = GT_NEW_N(arena, gt_layer_read, block->layers);
  lay_out(read, block, arena, diagnostics);
  give_names(read, arena, diagnostics);
  for (int i = 0; i < read->layers; i++) find_inputs(read, i, arena, diagnostics);
  return true;
}

/* --- names and paths --- */

/* The path of a layer's settings in the list, or NULL. */
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
  gt_diagnostics unheard;
  gt_model_read read = {0};
  gt_spec_names *names = GT_NEW(arena, gt_spec_names);
  const gt_spec *model = gt_spec_find(root, "model");
  *names = (gt_spec_names){.list = "model", .what = "layer"};
  gt_diagnostics_init(&unheard, arena);
  read.block = GT_NEW(arena, gt_block);
  *read.block = (gt_block){.times = 1, .first = -1, .names.arena = arena};
  if (!model || model->kind != GT_SPEC_SEQUENCE || !gt_block_read(read.block, arena, model, &unheard))
    return names;
  read.layer = GT_NEW_N(arena, gt_layer_read, read.block->layers + 1);
  lay_out(&read, read.block, arena, &unheard);
  give_names(&read, arena, &unheard);
  const char **name = GT_NEW_N(arena, const char *, read.layers + 1);
  const char **path = GT_NEW_N(arena, const char *, read.layers + 1);
  for (int i = 0; i < read.layers; i++) {
    name[names->count] = read.layer[i].name;
    path[names->count] = path_in(arena, model, read.layer[i].written->item);
    names->count += path[names->count] != NULL;
  }
  names->name = name;
  names->path = path;
  return names;
}

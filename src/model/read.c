#include "model/read.h"
#include "base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void read_type(gt_layer_read *layer, const char *name, gt_arena *arena, const gt_spec *node,
                      gt_diagnostics *diagnostics) {
  const int count = gt_layer_count();
  const char **names = GT_NEW_N(arena, const char *, count);
  for (int i = 0; i < count; i++) names[i] = gt_layer_at(i)->name;
  const int chosen = gt_schema_choose(node, name, layer->at, "layer", names, count, diagnostics);
  if (chosen >= 0) layer->type = gt_layer_at(chosen);
}

static void expect_layer(gt_arena *arena, gt_diagnostic *diagnostic, const char *type) {
  diagnostic->expected = gt_arena_printf(arena, "- %s or - %s: {...}", type, type);
}

/* `- relu`, `- linear: 10`, `- linear: {units: 10, …}`. */
static void read_layer(gt_layer_read *layer, gt_arena *arena, const gt_spec *node,
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

static gt_position name_position(const gt_layer_read *layer) {
  const gt_spec *name = gt_spec_find(layer->spec, "name");
  return name ? name->at : layer->at;
}

static bool check_name(const gt_layer_read *layer, gt_diagnostics *diagnostics) {
  const char *name = layer->common.name;
  bool fine = isalpha((unsigned char)name[0]) || name[0] == '_';
  for (const char *c = name; *c; c++) fine &= isalnum((unsigned char)*c) || *c == '_' || *c == '-';
  if (!fine) {
    gt_error_at(diagnostics, name_position(layer), "'%s' cannot be the name of a layer", name)->expected =
        "a letter, then letters, digits, '_' or '-'";
    return false;
  }
  if (!strcmp(name, "input")) {
    gt_error_at(diagnostics, name_position(layer), "no layer can be called 'input': it is the model's input");
    return false;
  }
  return true;
}

/* Given names first, so that an automatic one never takes a name that somebody wrote. */
static void give_names(gt_model_read *read, gt_arena *arena, gt_diagnostics *diagnostics) {
  for (int i = 0; i < read->layers; i++) {
    gt_layer_read *layer = &read->layer[i];
    if (!layer->common.name) continue;
    layer->name = layer->common.name;
    const gt_layer_read *other = &read->layer[gt_names_add(&read->names, layer->name, i)];
    if (other != layer)
      gt_error_at(diagnostics, name_position(layer), "the name '%s' is taken by the %s layer of line %d",
                  other->name, other->type->name, other->at.line);
    if (other != layer || !check_name(layer, diagnostics)) layer->valid = false;
  }
  int *number = GT_NEW_N(arena, int, gt_layer_count());
  for (int i = 0; i < read->layers; i++) {
    gt_layer_read *layer = &read->layer[i];
    if (layer->name) continue;
    int type = 0;
    while (layer->type && gt_layer_at(type) != layer->type) type++;
    do {
      const char *name = layer->type ? layer->type->name : "unknown";
      layer->name = gt_arena_printf(arena, "%s%d", name, ++number[type]);
    } while (gt_names_add(&read->names, layer->name, i) != i);
  }
}

enum { LISTED = 8 };

/* The layers that layer `index` may read: all, or the nearest before it. */
static const char *sources(const gt_model_read *read, int index, gt_arena *arena) {
  if (index < LISTED) {
    const char *list = "input";
    for (int i = 0; i < index; i++) list = gt_arena_printf(arena, "%s, %s", list, read->layer[i].name);
    return gt_arena_printf(arena, "one of the layers before it: %s", list);
  }
  const char *list = "";
  for (int i = index - LISTED; i < index; i++)
    list = gt_arena_printf(arena, "%s, %s", list, read->layer[i].name);
  return gt_arena_printf(arena, "input or one of the %d layers before it, such as%s", index, list + 1);
}

static void unknown_source(const gt_model_read *read, int index, gt_position at, const char *name,
                           gt_arena *arena, gt_diagnostics *diagnostics) {
  const gt_layer_read *layer = &read->layer[index];
  const int later = gt_names_find(&read->names, name);
  if (later == index) {
    gt_error_at(diagnostics, at, "layer '%s' cannot read itself", name);
    return;
  }
  if (later > index) {
    gt_error_at(diagnostics, at, "layer '%s' cannot read '%s', which comes after it", layer->name, name);
    return;
  }
  gt_diagnostic *d =
      gt_error_at(diagnostics, at, "layer '%s' reads '%s', but no layer has this name", layer->name, name);
  if (gt_diagnostics_full(diagnostics)) return;
  const char **names = GT_NEW_N(arena, const char *, index + 1);
  names[0] = "input";
  for (int i = 0; i < index; i++) names[i + 1] = read->layer[i].name;
  d->suggestion = gt_nearest(name, names, (size_t)index + 1);
  d->expected = sources(read, index, arena);
}

static void find_inputs(gt_model_read *read, int index, gt_arena *arena, gt_diagnostics *diagnostics) {
  gt_layer_read *layer = &read->layer[index];
  const gt_strings *from = &layer->common.from;
  layer->inputs = from->count ? from->count : 1;
  layer->input = GT_NEW_N(arena, int, layer->inputs);
  if (!from->count) layer->input[0] = index - 1;
  for (int k = 0; k < from->count; k++) {
    const int source = gt_names_find(&read->names, from->items[k]);
    layer->input[k] = source < index ? source : -1;
    if (layer->input[k] >= 0 || !strcmp(from->items[k], "input")) continue;
    unknown_source(read, index, from->at ? from->at[k] : layer->at, from->items[k], arena, diagnostics);
    layer->valid = false;
  }
  if (!layer->type || !layer->valid) return;
  const int least = layer->type->min_inputs, most = layer->type->max_inputs;
  const gt_spec *written = gt_spec_find(layer->spec, "from");
  const gt_position at = written ? written->at : layer->at;
  if (layer->inputs < least) {
    gt_error_at(diagnostics, at, "layer '%s' needs at least %d inputs, but reads %d", layer->name, least,
                layer->inputs)
        ->expected = gt_arena_printf(arena, "%s: {from: [NAME, NAME]}", layer->type->name);
    layer->valid = false;
  } else if (most >= 0 && layer->inputs > most) {
    gt_error_at(diagnostics, at, "layer '%s' reads %d inputs, but %s takes only %d", layer->name,
                layer->inputs, layer->type->name, most);
    layer->valid = false;
  }
}

bool gt_model_read_spec(gt_model_read *read, gt_arena *arena, const gt_spec *root,
                        gt_diagnostics *diagnostics) {
  const gt_spec *model = gt_spec_find(root, "model");
  *read = (gt_model_read){.names.arena = arena};
  if (!model || gt_spec_is_null(model) || model->kind != GT_SPEC_SEQUENCE || !model->count) {
    const bool wrong = model && !gt_spec_is_null(model) && model->kind != GT_SPEC_SEQUENCE;
    gt_diagnostic *d = gt_error_at(diagnostics, model ? model->at : root->at, "%s",
                                   wrong   ? "'model' must be a list of layers"
                                   : model ? "'model' has no layers"
                                           : "key 'model' is missing");
    d->expected = "model: a list of layers, such as [{linear: 128}, relu, {linear: 10}]";
    return false;
  }
  read->layers = model->count;
  read->layer = GT_NEW_N(arena, gt_layer_read, model->count);
  for (int i = 0; i < read->layers; i++) read_layer(&read->layer[i], arena, model->child[i], diagnostics);
  give_names(read, arena, diagnostics);
  for (int i = 0; i < read->layers; i++) find_inputs(read, i, arena, diagnostics);
  return true;
}

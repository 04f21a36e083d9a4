#include "model/named_axes.h"
#include "base/names.h"
#include <string.h>

typedef struct flow { /* what the last axis of a value counts */
  uint32_t lists;     /* bits of lists of names; 0: none */
  bool exact;         /* one list, in its order */
  bool tiled;
} flow;

typedef struct walk {
  gt_named_axes axes;
  gt_names layers; /* indices of layers by name */
  const char *const *input;
  int inputs;
  flow *output;   /* [layers] */
  uint32_t *seen; /* [layers] bits of the lists that were followed backward to this layer */
  gt_arena *arena;
} walk;

static int list_in(uint32_t lists) { return lists ? __builtin_ctz(lists) : -1; }

/* Marks an axis of a slot of the layer; false if there is no such slot. which: 1 + axis, -1: the last. */
static bool mark(const walk *w, const gt_model_layer *layer, const char *name, int which, const flow *of) {
  const gt_store *store = w->axes.model->store;
  const gt_slot *slot = gt_store_find(store, gt_arena_printf(w->arena, "%s.%s", layer->name, name));
  if (!slot || !which) return false;
  const int axis = which < 0 ? slot->shape.rank - 1 : which - 1;
  if (axis >= slot->shape.rank) return false;
  w->axes.slot[slot->index][axis] = (gt_named_axis){list_in(of->lists), of->tiled};
  return true;
}

/* Marks the layer's axes that count its output features (of_output), or those of its input. */
static bool mark_all(const walk *w, const gt_model_layer *layer, bool of_output, const flow *of) {
  bool any = false;
  for (const gt_slot_axes *a = layer->type->axes; a && a->slot; a++) {
    const bool same = layer->type->features == GT_FEATURES_KEPT;
    any |= mark(w, layer, a->slot, of_output && !same ? a->output : a->input, of);
  }
  return any;
}

/* Follows a target's values from layer `index`, which outputs them, backward to the parameters. */
static void follow_backward(walk *w, int index, flow of) {
  const gt_model_layer *layer = &w->axes.model->layer[index];
  const bool keeps = layer->type->features == GT_FEATURES_KEPT;
  if (!(of.lists & ~w->seen[index])) return;
  w->seen[index] |= of.lists;
  if (w->seen[index] & (w->seen[index] - 1)) { /* two targets have its rows: they stay in place */
    mark_all(w, layer, true, &(flow){0});
    of = (flow){.lists = w->seen[index]};
  }
  if (of.exact) w->output[index] = of;
  const bool marked = of.exact && mark_all(w, layer, true, &of);
  if (!marked && layer->parameters) w->axes.by_place[index] |= of.lists;
  if (!keeps && (marked || layer->parameters || layer->type->axes)) return;
  of.exact &= keeps;
  for (int k = 0; k < layer->input_count; k++) {
    const int from = gt_names_find(&w->layers, layer->input[k]);
    if (from >= 0 && from < index) follow_backward(w, from, of);
  }
}

static flow flow_into(const walk *w, const char *name) {
  const int layer = gt_names_find(&w->layers, name);
  if (layer >= 0) return w->output[layer];
  for (int k = 0; k < w->inputs; k++)
    if (!strcmp(w->input[k], name)) return (flow){.lists = 1u << k, .exact = true};
  return (flow){0};
}

/* Follows features through layer `index`, from its inputs to its output. */
static void follow_forward(walk *w, int index) {
  const gt_model_layer *layer = &w->axes.model->layer[index];
  flow in = flow_into(w, layer->input[0]);
  for (int k = 1; k < layer->input_count; k++) {
    const flow other = flow_into(w, layer->input[k]);
    in.exact &= other.exact && other.lists == in.lists && other.tiled == in.tiled;
    in.lists |= other.lists;
  }
  if (!in.lists) return;
  const bool marked = in.exact && mark_all(w, layer, false, &in);
  if (!marked && layer->parameters) w->axes.by_place[index] |= in.lists;
  if (layer->type->features == GT_FEATURES_OTHER && (marked || layer->parameters || layer->type->axes))
    return;
  in.exact &= layer->type->features != GT_FEATURES_OTHER;
  in.tiled |= layer->type->features == GT_FEATURES_TILED;
  if (!w->output[index].lists) w->output[index] = in;
}

gt_named_axes gt_model_named_axes(const gt_model *model, const char *const *input, int inputs,
                                  const char *const *head, int heads, gt_arena *arena) {
  walk w = {
      .axes = {.model = model}, .layers = {.arena = arena}, .input = input, .inputs = inputs, .arena = arena};
  w.axes.slot = gt_arena_alloc_n(arena, (size_t)model->store->slots + 1, sizeof *w.axes.slot);
  w.axes.by_place = GT_NEW_N(arena, uint32_t, model->layers);
  w.output = GT_NEW_N(arena, flow, model->layers);
  w.seen = GT_NEW_N(arena, uint32_t, model->layers);
  for (int i = 0; i < model->store->slots; i++)
    for (int d = 0; d < GT_MAX_RANK; d++) w.axes.slot[i][d].list = -1;
  for (int i = 0; i < model->layers; i++) gt_names_add(&w.layers, model->layer[i].name, i);
  for (int t = 0; t < heads; t++) {
    const int index = head[t] ? gt_names_find(&w.layers, head[t]) : model->layers - 1;
    const flow of = {.lists = 1u << (GT_DATA_MAX_INPUTS + t), .exact = true};
    if (index >= 0) follow_backward(&w, index, of);
  }
  for (int i = 0; i < model->layers; i++) follow_forward(&w, i);
  return w.axes;
}

#include "kan/prune.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- the config --- */

bool gt_kan_prune_config(gt_arena *arena, gt_spec *root, const int *widths, int layers,
                         const gt_kan_edge_functions *functions, gt_diagnostics *diagnostics) {
  const gt_spec *list = gt_spec_find(root, "model");
  for (int i = 0; i < layers; i++) {
    gt_spec *kan = gt_kan_settings(arena, root, i, layers);
    if (!kan) {
      gt_error_at(diagnostics, i < list->count ? list->child[i]->at : list->at,
                  "pruning needs a model that lists its KAN layers one by one");
      return false;
    }
    gt_kan_set(arena, kan, "units", gt_spec_text(arena, gt_arena_printf(arena, "%d", widths[i])));
    gt_kan_set(arena, kan, "mask", gt_spec_text(arena, "true"));
    if (functions)
      gt_kan_set_symbolic(arena, root, i, layers, gt_kan_symbolic_setting(arena, &functions[i].symbolic));
  }
  return true;
}

/* --- values --- */

typedef struct selection { /* what is kept of a layer: old indices of its inputs and outputs */
  const gt_kan_layer *layer;
  int *input, *output;
  const bool *edge;
} selection;

/* The indices of the true elements. */
static int *indices_of(const bool *kept, int count) {
  int *list = gt_alloc(((size_t)count + 1) * sizeof *list), n = 0;
  for (int k = 0; k < count; k++)
    if (kept[k]) list[n++] = k;
  return list;
}

/* Copies the kept inputs' positions of basis functions (knots, centers), a tensor [positions, inputs]. */
static void gather_positions(const selection *c, const gt_slot *slot, const gt_slot *old_slot,
                             const float *old, float *out) {
  const int64_t *d = slot->shape.dim;
  for (int64_t position = 0; position < d[0]; position++)
    for (int64_t i = 0; i < d[1]; i++)
      out[position * d[1] + i] = old[position * old_slot->shape.dim[1] + c->input[i]];
}

/* The index of an element of a tensor by input and output: [blocks, functions, inputs of a block, outputs],
 * [inputs, outputs] or [outputs]. */
static int64_t element_index(gt_shape shape, int64_t function, int64_t i, int64_t o) {
  const int64_t *d = shape.dim;
  if (shape.rank == 4) return ((i / d[2] * d[1] + function) * d[2] + i % d[2]) * d[3] + o;
  return shape.rank == 2 ? i * d[1] + o : o;
}

/* True if the edge is kept and is a sum of basis functions. */
static bool is_sum(const selection *c, int64_t input, int64_t output) {
  return c->edge[input * c->layer->outputs + output] &&
         !gt_kan_edge_function(c->layer, (int)input, (int)output);
}

/* Copies the kept elements of a tensor; a mask is computed: 1 for each kept sum of basis functions. */
static void gather(const selection *c, const gt_slot *slot, const gt_slot *old_slot, const float *old,
                   float *out) {
  const gt_shape s = slot->shape;
  const int64_t functions = s.rank == 4 ? s.dim[1] : 1, outputs = s.dim[s.rank - 1];
  const int64_t inputs = s.rank == 4 ? s.dim[0] * s.dim[2] : s.rank == 2 ? s.dim[0] : 1;
  const size_t dot = gt_slot_layer_length(slot->name);
  const bool is_mask = !strcmp(slot->name + dot, ".mask");
  if (gt_kan_is_symbolic_slot(slot) && !is_mask) return; /* written by gt_kan_edge_functions_write */
  if (s.rank == 2 && strcmp(slot->name + dot, ".base_weight")) {
    gather_positions(c, slot, old_slot, old, out);
    return;
  }
  for (int64_t i = 0; i < inputs; i++)
    for (int64_t o = 0; o < outputs; o++) {
      const int64_t old_i = s.rank > 1 ? c->input[i] : 0, old_o = c->output[o];
      for (int64_t f = 0; f < functions; f++)
        out[element_index(s, f, i, o)] =
            is_mask ? (float)is_sum(c, old_i, old_o) : old[element_index(old_slot->shape, f, old_i, old_o)];
    }
}

static void fill_layer(gt_state_dict *dict, const gt_state_dict *from, const selection *c) {
  const gt_store *store = dict->store;
  const gt_slot_values values = gt_state_dict_values(dict);
  const size_t length = strlen(c->layer->name);
  for (int k = 0; k < store->slots; k++) {
    const gt_slot *slot = store->slot[k], *old_slot = gt_store_find(from->store, slot->name);
    const bool of_layer =
        gt_slot_layer_length(slot->name) == length && !strncmp(slot->name, c->layer->name, length);
    const bool is_mask = of_layer && !strcmp(slot->name + length, ".mask");
    if (of_layer && gt_slot_has_role(slot, GT_WEIGHT_ROLES) && (old_slot || is_mask))
      gather(c, slot, old_slot, old_slot ? gt_state_dict_slot(from, old_slot) : NULL,
             values.find(&values, slot->name));
  }
}

void gt_kan_prune_state_dict(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                             const gt_kan_network *network, const gt_kan_kept *kept,
                             const gt_kan_edge_functions *functions, uint64_t seed) {
  gt_state_dict_init(dict, store, GT_WEIGHT_ROLES, seed);
  for (int l = 0; l < network->layers; l++) {
    const gt_kan_layer *layer = &network->layer[l];
    const selection c = {layer, indices_of(kept->node[l], layer->inputs),
                         indices_of(kept->node[l + 1], layer->outputs), kept->edge[l]};
    fill_layer(dict, from, &c);
    gt_kan_edge_functions_write(&functions[l], layer->name, dict);
    free(c.input);
    free(c.output);
  }
}

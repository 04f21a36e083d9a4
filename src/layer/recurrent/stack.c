/* Stacked layers of a recurrent cell, as in torch.nn.LSTM, GRU and RNN. Inside the stack, time is the first
 * axis, so that the steps of the op are contiguous; axes are permuted only at the input and the output of the
 * stack. If the input is the output of an embedding, the embedding's indices are permuted instead. */
#include "layer/recurrent/stack.h"
#include "layer/review.h"
#include "layer/sequence.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/move.h"
#include "op/table_product.h"
#include <math.h>
#include <string.h>

enum { SEQUENCE, LAST };
const char *const gt_recurrent_results[] = {"sequence", "last", NULL};
const gt_slot_axes gt_recurrent_axes[] = {
    {"weight_ih_l0", .input = 2}, {"weight_ih_l0_reverse", .input = 2}, {NULL}};

typedef struct stack {
  gt_build *build;
  const gt_recurrent_config *c;
  gt_cell cell;
  double forget_bias;
  gt_id lengths;
  bool only_last; /* return: last */
} stack;

/* --- parameters ----------------------------------------------------------------------------------------- */

/* Values of another initializer, with a constant added to the biases of the forget gate, the second
 * quarter. */
typedef struct raised {
  const gt_init *init;
  double forget_bias;
} raised;

static void fill_raised(const void *config, gt_shape shape, const gt_init_stream *stream, float *out) {
  const raised *c = config;
  const int64_t units = shape.dim[0] / 4;
  c->init->type->fill(c->init->config, shape, stream, out);
  for (int64_t u = units; u < 2 * units; u++) out[u] += (float)c->forget_bias;
}

static const gt_init *raise_forget(gt_arena *arena, const gt_init *init, double forget_bias) {
  static const gt_init_type type = {.name = "raised", .fill = fill_raised};
  const raised config = {init, forget_bias};
  return gt_init_create(arena, &type, &config, sizeof config);
}

/* The parameter with its name in PyTorch, such as weight_ih_l0 or bias_hh_l1_reverse. */
static gt_id parameter(const stack *s, const char *name, int64_t layer, bool reverse, gt_shape shape) {
  const double bound = 1 / sqrt((double)s->c->hidden_size);
  gt_arena *arena = s->build->arena;
  const gt_init *init = gt_init_uniform_between(arena, -bound, bound);
  if (s->forget_bias != 0 && !strcmp(name, "bias_ih")) init = raise_forget(arena, init, s->forget_bias);
  name = gt_arena_printf(arena, "%s_l%lld%s", name, (long long)layer, reverse ? "_reverse" : "");
  return gt_build_parameter(s->build, name, shape, init);
}

/* --- layers --------------------------------------------------------------------------------------------- */

/* One direction of a layer: x [T, B, F] to [T, B, H]. */
static gt_id build_direction(const stack *s, gt_id x, int64_t layer, bool reverse) {
  gt_graph *graph = s->build->graph;
  const gt_shape in = gt_node_at(graph, x)->shape;
  const int64_t units = s->c->hidden_size, width = units * gt_cell_gates(s->cell);
  const gt_id w_ih = parameter(s, "weight_ih", layer, reverse, gt_shape_2(width, in.dim[2]));
  const gt_id w_hh = parameter(s, "weight_hh", layer, reverse, gt_shape_2(width, units));
  gt_id bias = GT_NONE, hidden_bias = GT_NONE;
  if (s->c->bias) {
    bias = parameter(s, "bias_ih", layer, reverse, gt_shape_1(width));
    const gt_id hidden = parameter(s, "bias_hh", layer, reverse, gt_shape_1(width));
    if (s->cell == GT_CELL_GRU)
      hidden_bias = hidden;
    else
      bias = gt_add(graph, bias, hidden);
  }
  return gt_recurrent(graph, &(gt_recurrent_input){.cell = s->cell,
                                                   .gates = gt_table_product(graph, x, w_ih, bias),
                                                   .w_hh = w_hh,
                                                   .bias = hidden_bias,
                                                   .lengths = s->lengths,
                                                   .reverse = reverse});
}

/* The state after the last step of each sample; the reverse direction ends at step 0. */
static gt_id last_of(const stack *s, gt_id outputs, bool reverse) {
  gt_graph *graph = s->build->graph;
  if (reverse || s->lengths == GT_NONE) return gt_recurrent_last(graph, outputs);
  return gt_sequence_pool(graph, outputs, s->lengths, GT_SEQUENCE_LAST, true);
}

static gt_id drop(const stack *s, gt_id x) {
  gt_graph *graph = s->build->graph;
  const double p = s->c->dropout;
  if (!s->build->training || p <= 0) return x;
  const gt_id draw = gt_random(graph, gt_node_at(graph, x)->shape, s->build->clock);
  const gt_id mask = gt_where(graph, gt_less(graph, draw, gt_constant(graph, p)), gt_constant(graph, 0),
                              gt_constant(graph, 1 / (1 - p)));
  return gt_mul(graph, x, mask);
}

static gt_id build_layer(const stack *s, gt_id x, int64_t layer) {
  gt_graph *graph = s->build->graph;
  const bool is_top = layer == s->c->num_layers - 1;
  gt_id out[2];
  const int directions = s->c->bidirectional ? 2 : 1;
  for (int d = 0; d < directions; d++) {
    out[d] = build_direction(s, x, layer, d);
    if (out[d] == GT_NONE) return GT_NONE;
    if (is_top && s->only_last) out[d] = last_of(s, out[d], d);
  }
  const gt_id y =
      s->c->bidirectional ? gt_concatenate(graph, out, 2, is_top && s->only_last ? 1 : 2) : out[0];
  return is_top ? y : drop(s, y);
}

gt_id gt_recurrent_stack(gt_build *build, const gt_recurrent_config *config, gt_cell cell, double forget_bias,
                         const gt_id *input) {
  static const int swapped[] = {1, 0, 2};
  const stack s = {.build = build,
                   .c = config,
                   .cell = cell,
                   .forget_bias = forget_bias,
                   .lengths = gt_build_lengths(build, 0),
                   .only_last = !strcmp(config->result, gt_recurrent_results[LAST])};
  if (!gt_sequence_check(build, input)) return GT_NONE;
  if (config->dropout > 0 && config->num_layers == 1)
    gt_review_add_finding(build, GT_FINDING_no_effect, "dropout",
                          "drops outputs of every layer but the last, and has only one")
        ->help = "set num_layers: 2, or add a dropout layer after it";
  if (config->bidirectional) gt_review_order(build, "bidirectional", "bidirectional: false");
  gt_id x = gt_gather_swapped(build->graph, input[0]);
  for (int64_t layer = 0; layer < config->num_layers && x != GT_NONE; layer++) x = build_layer(&s, x, layer);
  return x == GT_NONE || s.only_last ? x : gt_permute(build->graph, x, swapped);
}

#include "layer/norm.h"
#include "layer/sequence.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "op/reduce.h"

int64_t gt_norm_count(gt_shape shape, uint32_t axes) {
  int64_t count = 1;
  for (int d = 0; d < shape.rank; d++)
    if (axes >> d & 1) count *= shape.dim[d];
  return count;
}

gt_id gt_norm_weighted(gt_graph *graph, gt_id x, gt_id weight) {
  if (weight == GT_NONE || x == GT_NONE) return x;
  gt_shape one_per_row = gt_node_at(graph, x)->shape;
  for (int d = 1; d < one_per_row.rank; d++) one_per_row.dim[d] = 1;
  return gt_mul(graph, x, gt_reshape(graph, weight, one_per_row));
}

typedef struct variance_inputs { /* inputs of the gradient of a variance */
  gt_id x, centered, count;
  gt_derivative derivative;
} variance_inputs;

/* d variance / dx = 2 (x - mean) / count. The derivative through the mean is a multiple of the sum of x -
 * mean, which is 0, so it is not computed. `centered` still depends on x through the mean, because loss `pde`
 * differentiates this gradient again. */
static void variance_gradient(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                              const bool *wanted, gt_id *input_gradient) {
  const variance_inputs *s = derivative->context;
  if (!wanted[0]) return;
  const gt_id factor =
      gt_expand(graph, gt_div(graph, output_gradient, s->count), gt_node_at(graph, s->x)->shape);
  const gt_id half = gt_mul(graph, factor, s->centered);
  input_gradient[0] = gt_add(graph, half, half);
}

gt_moments gt_norm_moments(gt_graph *graph, gt_id x, uint32_t axes, gt_id count) {
  gt_moments m;
  variance_inputs *s = GT_NEW(graph->arena, variance_inputs);
  m.mean = gt_div(graph, gt_sum(graph, x, axes, true), count);
  m.centered = gt_sub(graph, x, m.mean);
  m.variance = gt_div(graph, gt_sum(graph, gt_mul(graph, m.centered, m.centered), axes, true), count);
  *s = (variance_inputs){.x = x, .centered = m.centered, .count = count};
  s->derivative = (gt_derivative){&s->x, 1, variance_gradient, s};
  gt_graph_set_derivative(graph, m.variance, &s->derivative);
  return m;
}

gt_id gt_norm_rsqrt(gt_graph *graph, gt_id square, double eps) {
  return gt_reciprocal(graph, gt_sqrt(graph, gt_add(graph, square, gt_constant(graph, eps))));
}

gt_id gt_norm_scale(gt_graph *graph, gt_id x, gt_id square, double eps) {
  return gt_mul(graph, x, gt_norm_rsqrt(graph, square, eps));
}

gt_norm_running gt_norm_read_running(gt_build *build, int64_t channels) {
  return (gt_norm_running){gt_build_state(build, "running_mean", gt_shape_1(channels), 0),
                           gt_build_variance(build, "running_var", gt_shape_1(channels), 1),
                           gt_build_counter(build, "num_batches_tracked")};
}

const gt_slot_axes gt_norm_axes[] = {{"weight", .input = -1},
                                     {"bias", .input = -1},
                                     {"running_mean", .input = -1},
                                     {"running_var", .input = -1},
                                     {NULL}};

bool gt_norm_uses_batch(const gt_build *build, bool tracks) {
  return !tracks || (build->training && !build->frozen);
}

/* before + share * (now - before); `now` is reshaped to the shape of `before`. */
static gt_id moving_average(gt_graph *graph, gt_id before, gt_id now, gt_id share) {
  now = gt_reshape(graph, now, gt_node_at(graph, before)->shape);
  return gt_add(graph, before, gt_mul(graph, share, gt_sub(graph, now, before)));
}

void gt_norm_update_running(gt_build *build, gt_norm_running before, gt_id mean, gt_id variance,
                            gt_id share) {
  gt_build_update(build, "running_mean", moving_average(build->graph, before.mean, mean, share));
  gt_build_update(build, "running_var", moving_average(build->graph, before.variance, variance, share));
}

gt_id gt_norm_affine(gt_build *build, gt_id x, gt_shape shape, bool weight, bool bias) {
  gt_graph *graph = build->graph;
  if (weight)
    x = gt_mul(graph, x, gt_build_parameter(build, "weight", shape, gt_init_constant_of(build->arena, 1)));
  if (bias)
    x = gt_add(graph, x, gt_build_parameter(build, "bias", shape, gt_init_constant_of(build->arena, 0)));
  return x;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* The inputs and statistics of normalized rows, for their gradient. */
typedef struct rows {
  gt_norm_form form;
  gt_id input[3]; /* x, then weight and bias if they exist */
  gt_id mean;
  gt_id inverse; /* 1 / sqrt(variance or mean square + eps) */
  gt_derivative derivative;
} rows;

static gt_id scaled(gt_graph *graph, gt_id x, gt_id weight) {
  return weight == GT_NONE ? x : gt_mul(graph, x, weight);
}

static gt_id normalized(gt_graph *graph, const rows *r) {
  const gt_id x = r->input[0], centered = r->form.centered ? gt_sub(graph, x, r->mean) : x;
  return gt_mul(graph, centered, r->inverse);
}

/* With g for dL/dy, n = (x - mean) * inverse and h = g * weight, means along the row:
 *   dL/dbias = sum of g, dL/dweight = sum of g n, dL/dx = inverse * (h - mean(h) - n mean(h n)),
 * without mean(h) if rows are not centered. n is computed again from x for each consumer, because reading x
 * costs no more than reading n. */
static void gradient(gt_graph *graph, const gt_derivative *derivative, gt_id output_gradient,
                     const bool *wanted, gt_id *input_gradient) {
  const rows *r = derivative->context;
  const gt_norm_form *form = &r->form;
  int next = 1;
  if (wanted[0]) {
    const gt_id n = normalized(graph, r);
    const gt_id h = scaled(graph, output_gradient, form->weight);
    const gt_id mean_hn = gt_mean(graph, gt_mul(graph, h, n), form->axes, true);
    gt_id bracket = gt_sub(graph, h, gt_mul(graph, n, mean_hn));
    if (form->centered) bracket = gt_sub(graph, bracket, gt_mean(graph, h, form->axes, true));
    input_gradient[0] = gt_mul(graph, bracket, r->inverse);
  }
  if (form->weight != GT_NONE) {
    const gt_shape shape = gt_node_at(graph, form->weight)->shape;
    if (wanted[next])
      input_gradient[next] = gt_sum_to(graph, gt_mul(graph, output_gradient, normalized(graph, r)), shape);
    next++;
  }
  if (form->bias != GT_NONE && wanted[next])
    input_gradient[next] = gt_sum_to(graph, output_gradient, gt_node_at(graph, form->bias)->shape);
}

gt_id gt_norm_rows(gt_build *build, gt_id x, const gt_norm_form *form) {
  gt_graph *graph = build->graph;
  rows *r = GT_NEW(build->arena, rows);
  int inputs = 0;
  *r = (rows){.form = *form, .mean = GT_NONE};
  gt_id centered = x;
  r->input[inputs++] = x;
  if (form->centered) {
    r->mean = gt_mean(graph, x, form->axes, true);
    centered = gt_sub(graph, x, r->mean);
  }
  const gt_id mean_square = gt_mean(graph, gt_mul(graph, centered, centered), form->axes, true);
  r->inverse = gt_norm_rsqrt(graph, mean_square, form->eps);
  gt_id y = scaled(graph, gt_mul(graph, centered, r->inverse), form->weight);
  if (form->bias != GT_NONE) y = gt_add(graph, y, form->bias);
  if (form->weight != GT_NONE) r->input[inputs++] = form->weight;
  if (form->bias != GT_NONE) r->input[inputs++] = form->bias;
  r->derivative = (gt_derivative){r->input, inputs, gradient, r};
  gt_graph_set_derivative(graph, y, &r->derivative);
  return y;
}

bool gt_norm_check_padding(gt_build *build, const gt_id *input, uint32_t axes) {
  return !(axes & 1u << 1) ||
         gt_sequence_refuse_padding(build, input,
                                    "layer_norm or rms_norm, which normalize each step by itself");
}

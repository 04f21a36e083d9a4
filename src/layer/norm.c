#include "layer/norm.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"

int64_t gt_norm_count(gt_shape shape, uint32_t axes) {
  int64_t count = 1;
  for (int d = 0; d < shape.rank; d++)
    if (axes >> d & 1) count *= shape.dim[d];
  return count;
}

gt_id gt_norm_weighted(gt_graph *graph, gt_id x, gt_id weight) {
  if (weight == GT_NONE || x == GT_NONE) return x;
  gt_shape rows = gt_node_at(graph, x)->shape;
  for (int d = 1; d < rows.rank; d++) rows.dim[d] = 1;
  return gt_mul(graph, x, gt_reshape(graph, weight, rows));
}

gt_moments gt_norm_moments(gt_graph *graph, gt_id x, uint32_t axes, gt_id weight, gt_id count) {
  gt_moments m;
  const gt_id sum = gt_sum(graph, gt_norm_weighted(graph, x, weight), axes, true);
  m.mean = gt_div(graph, sum, count);
  m.centered = gt_sub(graph, x, m.mean);
  /* The variance does not change with the mean: what differentiation would add up there is zero. */
  const gt_id spread = gt_sub(graph, x, gt_div(graph, gt_stop_gradient(graph, sum), count));
  const gt_id squares = gt_norm_weighted(graph, gt_mul(graph, spread, spread), weight);
  m.variance = gt_div(graph, gt_sum(graph, squares, axes, true), count);
  return m;
}

gt_id gt_norm_inverse(gt_graph *graph, gt_id square, double eps) {
  return gt_reciprocal(graph, gt_sqrt(graph, gt_add(graph, square, gt_constant(graph, eps))));
}

gt_id gt_norm_scale(gt_graph *graph, gt_id x, gt_id square, double eps) {
  return gt_mul(graph, x, gt_norm_inverse(graph, square, eps));
}

gt_norm_running gt_norm_read_running(gt_build *build, int64_t channels) {
  return (gt_norm_running){gt_build_state(build, "running_mean", gt_shape_1(channels), 0),
                           gt_build_state(build, "running_var", gt_shape_1(channels), 1),
                           gt_build_state(build, "num_batches_tracked", gt_shape_1(1), 0)};
}

/* before + share * (now - before), with now of another shape. */
static gt_id moved(gt_graph *graph, gt_id before, gt_id now, gt_id share) {
  now = gt_reshape(graph, now, gt_node_at(graph, before)->shape);
  return gt_add(graph, before, gt_mul(graph, share, gt_sub(graph, now, before)));
}

void gt_norm_move(gt_build *build, gt_norm_running before, gt_id mean, gt_id variance, gt_id share) {
  gt_build_update(build, "running_mean", moved(build->graph, before.mean, mean, share));
  gt_build_update(build, "running_var", moved(build->graph, before.variance, variance, share));
}

gt_id gt_norm_affine(gt_build *build, gt_id x, gt_shape shape, bool weight, bool bias) {
  gt_graph *graph = build->graph;
  if (weight)
    x = gt_mul(graph, x, gt_build_parameter(build, "weight", shape, gt_init_constant_of(build->arena, 1)));
  if (bias)
    x = gt_add(graph, x, gt_build_parameter(build, "bias", shape, gt_init_constant_of(build->arena, 0)));
  return x;
}

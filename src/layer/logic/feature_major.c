#include "layer/logic/logic_init.h"
#include "op/core.h"
#include "op/move.h"

/* If x is a reshape of a value [batch, features], permutes that value, so that the permutes of consecutive
 * layers cancel. */
gt_id gt_feature_major(gt_graph *graph, gt_id x) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const gt_shape flat = gt_shape_2(shape.dim[0], gt_shape_count(shape) / shape.dim[0]);
  const gt_id origin = gt_reshape_origin(graph, x);
  const bool is_flat = gt_shape_equal(gt_node_at(graph, origin)->shape, flat);
  return gt_permute(graph, is_flat ? origin : gt_reshape(graph, x, flat), (const int[]){1, 0});
}

gt_id gt_batch_major(gt_graph *graph, gt_id x) {
  if (x == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(graph, x)->shape;
  const gt_id flat = gt_reshape(graph, x, gt_shape_2(-1, shape.dim[shape.rank - 1]));
  return gt_permute(graph, flat, (const int[]){1, 0});
}

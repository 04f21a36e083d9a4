/* Reductions over axes (src/op/reduce.c). axes: bit d set = axis d is reduced; 0 = all axes. keep: reduced
 * axes remain, with length 1. The order of additions is fixed: chunks of a fixed size, then the results of
 * the chunks in order. max and min divide their gradient equally among ties. */
#ifndef GT_OP_REDUCE_H
#define GT_OP_REDUCE_H
#include "graph/graph.h"
typedef struct gt_reduce_attribute {
  uint32_t axes, keep;
} gt_reduce_attribute;
gt_id gt_sum(gt_graph *graph, gt_id x, uint32_t axes, bool keep);
gt_id gt_mean(gt_graph *graph, gt_id x, uint32_t axes, bool keep);
gt_id gt_reduce_max(gt_graph *graph, gt_id x, uint32_t axes, bool keep);
gt_id gt_reduce_min(gt_graph *graph, gt_id x, uint32_t axes, bool keep);
/* The value of `if_finite` (one element) if every value of x is finite, else 0; no gradient. One pass,
 * whatever the length. */
gt_id gt_all_finite(gt_graph *graph, gt_id x, gt_id if_finite);
/* Sums x down to `shape`, from which it was broadcast (the gradient of a broadcast). */
gt_id gt_sum_to(gt_graph *graph, gt_id x, gt_shape shape);
#endif

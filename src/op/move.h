/* Data movement (src/op/move.c), for F32 or I32. All ops use one kernel, which gathers elements, except
 * expand of F32 values: that is an elementwise instruction, so that fusion avoids the larger copy. */
#ifndef GT_OP_MOVE_H
#define GT_OP_MOVE_H
#include "graph/graph.h"
/* Axis d of the result is axis axes[d] of x. Consecutive permutes are merged, or cancel. */
gt_id gt_permute(gt_graph *graph, gt_id x, const int *axes);
gt_id gt_expand(gt_graph *graph, gt_id x, gt_shape shape); /* NumPy broadcasting to `shape` */
gt_id gt_pad(gt_graph *graph, gt_id x, const int64_t *before, const int64_t *after, double value);
/* The number of zeros that a pad adds at the start of this axis; -1 if the node is not a pad with zeros. */
int64_t gt_pad_before(const gt_graph *graph, gt_id node, int axis);
gt_id gt_shrink(gt_graph *graph, gt_id x, const int64_t *start, const int64_t *stop);
/* The first position of this axis that a shrink reads; -1 if the node is not a shrink. */
int64_t gt_shrink_start(const gt_graph *graph, gt_id node, int axis);
/* Every step-th element of each axis, from 0. */
gt_id gt_stride(gt_graph *graph, gt_id x, const int64_t *step);
/* The adjoint of stride: element i of each axis is moved to i * step; the others, up to `shape`, are zero. */
gt_id gt_dilate(gt_graph *graph, gt_id x, const int64_t *step, gt_shape shape);
gt_id gt_concatenate(gt_graph *graph, const gt_id *x, int count, int axis);
#endif

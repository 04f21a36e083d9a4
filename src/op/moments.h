/* Mean and variance of columns (src/op/moments.c), as batch norm wants them. x: F32 [batch, …, columns];
 * weight: F32 [batch], how often each entry of the batch counts, or GT_NONE: once. Results, F32 [columns]:
 * the mean over all other axes, (gt_result 1) the mean square of what is off it, which is the biased
 * variance, and (gt_result 2) 1 / sqrt(variance + eps); the first two are 0 where nothing counts. What does
 * not count is not looked at, be it infinite. x is read once, or not at all if the kernel that writes it has
 * joined its columns beside; no sum of squares about zero is made. */
#ifndef GT_OP_MOMENTS_H
#define GT_OP_MOMENTS_H
#include "graph/graph.h"
gt_id gt_column_moments(gt_graph *graph, gt_id x, gt_id weight, double eps);
#endif

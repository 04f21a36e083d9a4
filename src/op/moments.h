/* Mean and variance of columns (src/op/moments.c), for batch norm. x: F32 [batch, …, columns]; weight: F32
 * [batch], the weight of each entry of the batch, or GT_NONE for 1. Results, F32 [columns]: the mean over all
 * other axes, (gt_result 1) the biased variance, and (gt_result 2) 1 / sqrt(variance + eps); the first two
 * are 0 if all weights are 0. Entries with weight 0 are ignored even if they are infinite. x is read once, or
 * not at all if the kernel that writes it also computes the moments; sums of squares are always taken about
 * the mean. */
#ifndef GT_OP_MOMENTS_H
#define GT_OP_MOMENTS_H
#include "graph/graph.h"
gt_id gt_column_moments(gt_graph *graph, gt_id x, gt_id weight, double eps);
#endif

/* Rows of a table by integer index, and the ops of the gradient (src/op/gather.c): positions are sorted by
 * index once, then the gradient of each row is the sum over its positions in ascending order, so that its
 * bits depend neither on the scheduling of a device nor on the number of threads. */
#ifndef GT_OP_GATHER_H
#define GT_OP_GATHER_H
#include "graph/graph.h"

/* table F32 [V, D…], index I32 [N…] -> F32 [N…, D…]. If an index is outside [0, V) the row is NaN, and its
 * gradient is dropped. The gradient of row `padding` is 0; -1: there is no such row. */
gt_id gt_gather(gt_graph *graph, gt_id table, gt_id index, int64_t padding);
/* Exchanges the first two axes of x, [M, N, D…] -> [N, M, D…]. If x is the result of a gather by an index [M,
 * N], the index is permuted instead of the gathered rows, which are larger. */
gt_id gt_gather_swapped(gt_graph *graph, gt_id x);

typedef struct gt_gather_parts {
  gt_id table, index;
  int64_t padding;
} gt_gather_parts;
bool gt_gather_find(const gt_graph *graph, gt_id x, gt_gather_parts *parts); /* false if x is not a gather */

/* The two ops of the gather's gradient, which have no gradients themselves.
 * gt_gather_order: the indices I32 [N…] and their positions, I32 [2, N], sorted by index (negative ones at
 * the end), then by position. */
gt_id gt_gather_order(gt_graph *graph, gt_id index);
/* F32 [rows, D…]: row r is the sum of the entries of x, F32 [N…, D…], with index r. Indices outside [0, rows)
 * are ignored, and row `padding` is zero. */
gt_id gt_gather_sum(gt_graph *graph, gt_id x, gt_id index, int64_t rows, int64_t padding);
/* The same from the result of gt_gather_order: F32 [rows, D], D elements for each index. */
gt_id gt_gather_sum_ordered(gt_graph *graph, gt_id x, gt_id order, int64_t rows, int64_t padding);
#endif

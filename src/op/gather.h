/* Rows of a table by integer index, and what their gradient takes: the positions sorted by index once, then
 * for each row the sum over its positions in rising order, so that the bits depend neither on the device's
 * schedule nor on the number of threads (src/op/gather.c). */
#ifndef GT_OP_GATHER_H
#define GT_OP_GATHER_H
#include "graph/graph.h"

/* table F32 [V, D…], index I32 [N…] -> F32 [N…, D…]. Where an index lies outside [0, V) the row is NaN, and
 * its gradient goes nowhere. Row `padding` gets no gradient; -1: there is no such row. */
gt_id gt_gather(gt_graph *graph, gt_id table, gt_id index, int64_t padding);

/* What a gather's gradient is made of; they have none themselves.
 * The indices I32 [N…] and their positions, I32 [2, N], by rising index (negative ones at the end) and
 * position. */
gt_id gt_gather_order(gt_graph *graph, gt_id index);
/* F32 [rows, D…]: the sum of those x, F32 [N…, D…], whose index is the row. Indices outside [0, rows) count
 * nowhere, and row `padding` is zero. */
gt_id gt_gather_sum(gt_graph *graph, gt_id x, gt_id index, int64_t rows, int64_t padding);
/* The same with the order given, as gt_gather_order has it: F32 [rows, D], D elements for each index. */
gt_id gt_gather_sum_ordered(gt_graph *graph, gt_id x, gt_id order, int64_t rows, int64_t padding);
#endif

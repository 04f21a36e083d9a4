/* Windows of consecutive rows, one for each start (src/op/slice_rows.c), as JAX's dynamic_slice under vmap:
 *   data [R, D…] F32 or I32, start I32 [B] -> [B, count, D…]
 * Row r of result b is row start[b] + begin + r of the data; begin >= 0. Rows outside of the data are NaN, or
 * -1 for integers; if start[b] itself is outside, so are all rows of result b. The op has no gradient: data
 * is not a parameter. */
#ifndef GT_OP_SLICE_ROWS_H
#define GT_OP_SLICE_ROWS_H
#include "graph/graph.h"

gt_id gt_slice_rows(gt_graph *graph, gt_id data, gt_id start, int64_t begin, int64_t count);
#endif

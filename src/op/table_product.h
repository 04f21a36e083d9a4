/* The product of an embedding's rows and a weight. Tokens repeat the rows of a small table, so the table is
 * multiplied once and rows of the result are gathered: the same values up to rounding. The gradient is then a
 * sum by index and GEMMs over the rows of the table instead of GEMMs over all tokens. */
#ifndef GT_OP_TABLE_PRODUCT_H
#define GT_OP_TABLE_PRODUCT_H
#include "graph/graph.h"

/* x Wᵀ + b: x F32 [..., in], W [units, in], b [units] or GT_NONE -> F32 [..., units]. If x consists of rows
 * of a table (gt_gather, also through a reshape that keeps the last axis), at least GT_TABLE_PRODUCT_REPEATS
 * times as many as the table has, the result is computed as rows of (table Wᵀ + b). Then an index outside the
 * table gives NaN and no gradient, as in the gather. The gather's padding row has no gradient in the table,
 * but contributes to those of W and b. */
gt_id gt_table_product(gt_graph *graph, gt_id x, gt_id weight, gt_id bias);

enum { GT_TABLE_PRODUCT_REPEATS = 4 };
#endif

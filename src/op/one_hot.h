/* One-hot encoding of the categories of a table (src/op/one_hot.c). A row of x has one value per stored
 * column: a number, or the code of a category as a float. Feature f of y is the number itself, or 1 if the
 * code of its column is that of the feature, else 0. The encoding exists only for a batch, never for a whole
 * dataset. */
#ifndef GT_OP_ONE_HOT_H
#define GT_OP_ONE_HOT_H
#include "graph/graph.h"

enum { GT_ONE_HOT_NUMBER = -1 }; /* instead of a code: the feature is the number */

/* y F32 [B, F] from x F32 [B, S] and features I32 [2, F]: the stored column of each feature, in [0, S), then
 * its code or GT_ONE_HOT_NUMBER. bits: all numbers are known to be 0 or 1. A column outside of [0, S) is read
 * as NaN. The op has no gradient: x is data. */
gt_id gt_one_hot(gt_graph *graph, gt_id x, gt_id features, bool bits);
#endif

/* An op with three results, for tests: x F32 [n] to x x [n], 3 x [1, n] and, in I32, whether x is negative
 * [n]. */
#ifndef GT_TESTS_THREE_H
#define GT_TESTS_THREE_H
#include "graph/graph.h"

gt_id three(gt_graph *graph, gt_id x);
/* The same with an epilogue on the first result: can be planned, but not run. */
gt_id three_and_more(gt_graph *graph, gt_id x);
/* The last arguments of its gradient function. */
extern gt_id three_given[3];
#endif

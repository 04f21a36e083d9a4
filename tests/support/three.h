/* An op with three results, for tests of x F32 [n]: x * x, F32 [n]; 3 * x, F32 [1, n]; and 1 where x is
 * negative, else 0, I32 [n]. */
#ifndef GT_TESTS_THREE_H
#define GT_TESTS_THREE_H
#include "graph/graph.h"

gt_id three(gt_graph *graph, gt_id x);
/* The same with an epilogue on the first result: can be planned, but not run. */
gt_id three_and_more(gt_graph *graph, gt_id x);
/* The argument `given` of the last call of its gradient function. */
extern gt_id three_gradients[3];
#endif

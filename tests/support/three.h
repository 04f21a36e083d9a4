/* For tests: an op with three results for its input x, F32 [n]: x * x, F32 [n]; 3 * x, F32 [1, n]; and 1
 * where x is negative, otherwise 0, I32 [n]. */
#ifndef GT_TESTS_THREE_H
#define GT_TESTS_THREE_H
#include "graph/graph.h"

gt_id three(gt_graph *graph, gt_id x);
/* The same op, but the planner may fuse an epilogue into its first result. Its kernel ignores the epilogue,
 * so it can be planned, but not run. */
gt_id three_fusable(gt_graph *graph, gt_id x);
/* The gradients of the three results that were passed to the last call of the op's gradient function. */
extern gt_id three_gradients[3];
#endif

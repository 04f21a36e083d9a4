/* Normalizes the constants of symbolic edges: the network computes the same, but its nodes, and the arguments
 * and values of its functions, are neither large nor small nor differences of large numbers. This reduces
 * rounding in float32, and an optimizer converges faster. */
#ifndef GT_KAN_NORMALIZE_H
#define GT_KAN_NORMALIZE_H
#include "kan/network.h"

/* Also makes the mean of a hidden node 0 and its standard deviation 1, if all its edges, in and out, are
 * symbolic. */
void gt_kan_normalize(gt_kan_network *network, const gt_kan_trace *trace);
#endif

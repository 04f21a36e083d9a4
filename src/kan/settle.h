/* The constants of edges that are functions, settled: the network stays what it was, but what nodes hold,
 * what functions take in and what they give is neither large nor small, nor the difference of large numbers.
 * float32 tells more of such a network, and an optimizer gets on better with it. */
#ifndef GT_KAN_SETTLE_H
#define GT_KAN_SETTLE_H
#include "kan/network.h"

/* Hidden nodes are made numbers of mean 0 and deviation 1 where every edge on both sides is a function. */
void gt_kan_settle(gt_kan_network *network, const gt_kan_trace *trace);
#endif

/* Chains of elementwise nodes of equal size. A node with several consumers is computed once and written to
 * memory; a second consumer can instead recompute it, if its chain is cheap. */
#ifndef GT_OP_CHAIN_H
#define GT_OP_CHAIN_H
#include "graph/graph.h"

enum { GT_CHAIN_NODES = 8 };
typedef struct gt_chain {
  gt_id node[GT_CHAIN_NODES]; /* in topological order; the last is the requested node */
  int nodes;
  gt_id source; /* the only input of the same size as the chain; GT_NONE: all inputs are smaller */
} gt_chain;

/* The chain that computes a node. False if the node is not elementwise, or if the chain is too long, has
 * several inputs of its size, or uses random numbers. */
bool gt_chain_of(const gt_graph *graph, gt_id id, gt_chain *chain);
/* Emits the chain again, in the scopes of the original nodes; returns the copy of its last node. */
gt_id gt_chain_recompute(gt_graph *graph, const gt_chain *chain);
/* The value for another consumer: if all inputs of its chain are smaller than the value, a recomputed copy,
 * which is faster than reading it; else the value itself. */
gt_id gt_recompute_if_smaller(gt_graph *graph, gt_id id);
#endif

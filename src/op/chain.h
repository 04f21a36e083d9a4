/* Chains of elementwise nodes with as many elements each, which may be computed once more: a node read by
 * several would else be written, as each node is computed once. */
#ifndef GT_OP_CHAIN_H
#define GT_OP_CHAIN_H
#include "graph/graph.h"

enum { GT_CHAIN_NODES = 8 };
typedef struct gt_chain {
  gt_id node[GT_CHAIN_NODES]; /* inputs before what is made of them; the last is what was asked for */
  int nodes;
  gt_id from; /* what it is made of, besides what is smaller; GT_NONE: nothing is as large */
} gt_chain;

/* false: it is longer, made of several that are as large, or of random numbers. */
bool gt_chain_of(const gt_graph *graph, gt_id id, gt_chain *chain);
/* Its last node once more, in the scopes of the first time. */
gt_id gt_chain_again(gt_graph *graph, const gt_chain *chain);
/* A value for one more reader: where it is made of less than itself it is made once more, which costs less
 * than to read it; else it is that value. */
gt_id gt_again_if_smaller(gt_graph *graph, gt_id id);
#endif

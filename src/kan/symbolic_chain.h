/* Chains: the hidden nodes that have one input edge, from the same node, and one output edge, to the same
 * node. Together they are a function of one variable. That function may be in the library although no choice
 * of functions for the single edges leads to it: training can fold a sine at its minimum into the sine of an
 * absolute value, or split a square into a sum of two functions. Within kan/ only. Owner: the search. */
#ifndef GT_KAN_SYMBOLIC_CHAIN_H
#define GT_KAN_SYMBOLIC_CHAIN_H
#include "kan/symbolic.h"

typedef struct gt_symbolic_chain {
  int layer, from,
      to; /* from node `from` of layer - 1, through nodes of `layer`, to node `to` of layer + 1 */
  int first_in, first_out; /* the edges of its first node; gt_symbolic_chain_replace removes all others */
  int nodes;
} gt_symbolic_chain;

/* True if edge index `edge` leads into the first node of a chain that one function would simplify: a chain of
 * several nodes, or of one node neither of whose edges is linear. */
bool gt_symbolic_chain_at(const gt_symbolic *s, int edge, gt_symbolic_chain *chain);
/* True if the edge leads into or out of a node of the chain. */
bool gt_symbolic_chain_has(const gt_symbolic *s, const gt_symbolic_chain *chain, int edge);
/* x: the values of its input node; y: the sum of what its edges add to its output node. [samples] each. */
void gt_symbolic_chain_values(const gt_symbolic *s, const gt_symbolic_chain *chain,
                              const gt_symbolic_data *data, double *x, double *y);
/* Replaces it by one node: `fit`, c f(a x + b) + d, on the first edge in and `line` on the first edge out. */
void gt_symbolic_chain_replace(gt_symbolic *s, const gt_symbolic_chain *chain, const gt_edge_fit *fit,
                               const gt_edge_fit *line);
#endif

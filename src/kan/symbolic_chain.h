/* A chain: all hidden nodes whose only input edge comes from the same node and whose only output edge leads
 * to the same node. Together they are a function of one variable. That function may be in the library
 * although no choice of functions for the single edges leads to it: training can fold a sine at its minimum
 * into the sine of an absolute value, or split a square into a sum of two functions. Within kan/ only. Owner:
 * the search. */
#ifndef GT_KAN_SYMBOLIC_CHAIN_H
#define GT_KAN_SYMBOLIC_CHAIN_H
#include "kan/symbolic.h"

/* A chain leads from node `from` of `layer` - 1 through hidden nodes of `layer` to node `to` of `layer` +
 * 1. */
typedef struct gt_symbolic_chain {
  int layer, from, to;
  int first_in, first_out; /* edges into and out of its first node, which gt_symbolic_chain_replace keeps */
  int nodes;               /* number of hidden nodes */
} gt_symbolic_chain;

/* True if edge index `edge` leads into the first node of a chain that one function would simplify: a chain of
 * several nodes, or of one node neither of whose edges is linear. */
bool gt_symbolic_chain_at(const gt_symbolic *s, int edge, gt_symbolic_chain *chain);
/* True if the edge leads into or out of a node of the chain. */
bool gt_symbolic_chain_has(const gt_symbolic *s, const gt_symbolic_chain *chain, int edge);
/* x: the values of the chain's input node; y: the sum of what its edges add to its output node; [samples]. */
void gt_symbolic_chain_values(const gt_symbolic *s, const gt_symbolic_chain *chain,
                              const gt_symbolic_data *data, double *x, double *y);
/* Replaces the chain by its first node: the edge into it becomes `fit`, c f(a x + b) + d, the edge out of it
 * `line`. */
void gt_symbolic_chain_replace(gt_symbolic *s, const gt_symbolic_chain *chain, const gt_edge_fit *fit,
                               const gt_edge_fit *line);
#endif

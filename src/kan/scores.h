/* Scores: how much each edge and node contributes to the outputs of a network; and pruning by these scores.
 * They are the attribution scores of pykan (Liu et al., "KAN 2.0", 2024), computed from the outputs back:
 * each output scores 1; an edge scores the score of its output node times the standard deviation of the
 * edge's values over that of the node's; an input or hidden node scores the sum of its outgoing edges. */
#ifndef GT_KAN_SCORES_H
#define GT_KAN_SCORES_H
#include "kan/network.h"

typedef struct gt_kan_scores {
  gt_arena arena;
  double **node; /* [layers + 1]: [width] */
  double **edge; /* [layers]: [inputs, outputs] */
} gt_kan_scores;
void gt_kan_scores_find(gt_kan_scores *scores, const gt_kan_network *network, const gt_kan_trace *trace);
void gt_kan_scores_finish(gt_kan_scores *scores); /* accepts a zeroed one */

typedef struct gt_kan_limits {
  double node, edge; /* nodes and edges with higher scores are kept */
  int most;          /* maximum number of nodes to keep in a hidden layer; 0: no limit */
} gt_kan_limits;

/* What pruning keeps: hidden nodes whose strongest incoming edge and strongest outgoing edge both score above
 * limits.node, and edges between kept nodes that score above limits.edge. Nodes that are left without
 * outgoing edges are removed, too. The best node of each hidden layer is always kept, and so are the best
 * incoming edge of each node, and the best outgoing edge of each node that scores above limits.edge: an input
 * is dropped only if its edges together contribute little. */
typedef struct gt_kan_kept {
  gt_arena arena;
  bool **node; /* [layers + 1]: true for all inputs and outputs */
  bool **edge; /* [layers] */
} gt_kan_kept;
void gt_kan_choose_kept(gt_kan_kept *kept, const gt_kan_network *network, const gt_kan_scores *scores,
                        gt_kan_limits limits);
void gt_kan_kept_finish(gt_kan_kept *kept); /* accepts a zeroed one */
/* Number of kept outputs of a layer, and of its kept edges. */
int gt_kan_kept_nodes(const gt_kan_kept *kept, const gt_kan_network *network, int layer);
int gt_kan_kept_edges(const gt_kan_kept *kept, const gt_kan_network *network, int layer);
#endif

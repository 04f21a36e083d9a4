/* How much of a network's output comes by way of each edge and node, and what pruning leaves of it. Scores as
 * pykan attributes them (Liu et al., "KAN 2.0", 2024): each output has 1; of a node's score an edge that
 * leads into it has as much as its values' deviation is of the node's, and a node the sum of its outgoing
 * edges. */
#ifndef GT_KAN_SCORES_H
#define GT_KAN_SCORES_H
#include "kan/network.h"

typedef struct gt_kan_scores {
  int layers;
  double **node; /* [layers + 1]: [width] */
  double **edge; /* [layers]: [inputs, outputs] */
} gt_kan_scores;
void gt_kan_scores_find(gt_kan_scores *scores, const gt_kan_network *network, const gt_kan_trace *trace);
void gt_kan_scores_finish(gt_kan_scores *scores); /* accepts a zeroed one */

typedef struct gt_kan_limits {
  double node, edge; /* scores above them stay */
  int most;          /* nodes of a hidden layer; 0: any number */
} gt_kan_limits;

/* What is kept: hidden nodes of which both the strongest edge that leads in and the strongest that leads out
 * score above a limit, edges between these above another; nodes that this leaves without edges on a side go,
 * too. Of each hidden layer the best node stays, of each node the best edge in, and of each node that scores
 * above the edges' limit the best edge out: so an input goes only where it says little by way of all edges.
 */
typedef struct gt_kan_kept {
  int layers;
  bool **node; /* [layers + 1]: inputs and outputs all stay */
  bool **edge; /* [layers] */
} gt_kan_kept;
void gt_kan_choose(gt_kan_kept *kept, const gt_kan_network *network, const gt_kan_scores *scores,
                   gt_kan_limits limits);
void gt_kan_kept_finish(gt_kan_kept *kept); /* accepts a zeroed one */
int gt_kan_kept_nodes(const gt_kan_kept *kept, const gt_kan_network *network, int layer); /* of its outputs */
int gt_kan_kept_edges(const gt_kan_kept *kept, const gt_kan_network *network, int layer);
#endif

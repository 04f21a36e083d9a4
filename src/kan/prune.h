/* Pruning: writes the config and the parameters of a network with only the nodes and edges that are kept.
 * Removing nodes makes layers narrower; removed edges between kept nodes get a mask of 0. */
#ifndef GT_KAN_PRUNE_H
#define GT_KAN_PRUNE_H
#include "kan/symbolic_edges.h"
#include "spec/spec.h"

/* Sets `units`, `mask: true` and the symbolic edges of each layer of a config that lists its layers one by
 * one. functions: [layers]; NULL: the symbolic edges are set later. False if the config has its layers in
 * blocks, which is reported. */
bool gt_kan_prune_config(gt_arena *arena, gt_spec *root, const int *widths, int layers,
                         const gt_kan_edge_functions *functions, gt_diagnostics *diagnostics);
/* Copies the values of `from`, which `network` was read from, to the store of the pruned model. All other
 * slots of the store are initialized as in a new run. */
void gt_kan_prune_state_dict(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                             const gt_kan_network *network, const gt_kan_kept *kept,
                             const gt_kan_edge_functions *functions, uint64_t seed);
#endif

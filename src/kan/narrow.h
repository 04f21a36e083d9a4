/* Pruning carried out: the config and the values of a network that has only the nodes and edges that are
 * kept. Nodes that go make layers narrower; of edges between nodes that stay, the mask is 0. */
#ifndef GT_KAN_NARROW_H
#define GT_KAN_NARROW_H
#include "kan/snap.h"
#include "spec/spec.h"

/* Gives the layers of a config, which stand in its list one by one, their numbers of nodes, each a mask, and
 * the edges that are functions: snapping [layers], or NULL, where they are told later. False (reported) where
 * the config has them in blocks. */
bool gt_kan_narrow_config(gt_arena *arena, gt_spec *root, const int *widths, int layers,
                          const gt_kan_snapping *snapping, gt_diagnostics *diagnostics);
/* The values of `from`, of which `network` was read, in the store of the narrower model. Everything else that
 * the store holds begins as in a new run. */
void gt_kan_prune_state_dict(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                             const gt_kan_network *network, const gt_kan_kept *kept,
                             const gt_kan_snapping *snapping, uint64_t seed);
#endif

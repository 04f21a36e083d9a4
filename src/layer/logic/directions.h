/* Initial gates of an automaton's perception. Kernels share their wiring, so if all gates return their first
 * input, every kernel reads the same neighbor: information travels in one direction only, and several gates
 * must change together before it can travel in another. Here each kernel starts with a different neighbor.
 * Private to this room. */
#ifndef GT_LAYER_DIRECTIONS_H
#define GT_LAYER_DIRECTIONS_H
#include "op/logic/logic_ca.h"

/* The initial function of each gate, GT_LOGIC_FIRST or _SECOND (layer/logic/logic_init.h), in the arena: an
 * output of kernel k returns neighbor k mod n of the n neighbors that its gates can reach; if outputs share
 * gates, the last output decides. Neighbors are numbered N, S, W, E, then NW, SE, NE, SW. With more than four
 * kernels, the diagonal ones come first: with them and one straight neighbor, information reaches every cell
 * in at most as many steps as the board is wide. wiring: as in gt_logic_ca. */
const uint8_t *gt_directions(gt_arena *arena, const gt_logic_ca_attribute *attribute, uint32_t channels,
                             const int32_t *wiring);
#endif

/* How an automaton's perception begins to look around. Kernels share their wiring, so gates that all pass
 * their first input on make every kernel see the same neighbour: what a cell knows then travels one way only,
 * and gates must change together before it can travel another. Here each kernel begins with another
 * neighbour. Private to this room. */
#ifndef GT_LAYER_DIRECTIONS_H
#define GT_LAYER_DIRECTIONS_H
#include "op/logic/logic_ca.h"

/* The function that each gate begins with, GT_LOGIC_FIRST or _SECOND (layer/logic/logic_init.h), in the
 * arena: an output of kernel k passes on number k, round and round, of the neighbours that its gates can
 * reach; where outputs share gates, the last one decides. They are numbered N, S, W, E, then NW, SE, NE, SW;
 * with more than four kernels the latter four come first: with them and any straight one, no cell is farther
 * than the board is wide. wiring: as gt_logic_ca's. */
const uint8_t *gt_directions(gt_arena *arena, const gt_logic_ca_attribute *attribute, uint32_t channels,
                             const int32_t *wiring);
#endif

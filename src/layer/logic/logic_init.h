/* Shared by the layers logic, logic_conv2d and logic_ca. Private to this room. First the initial logits of
 * gates, [gates, 16]: the setting `init`. */
#ifndef GT_LAYER_LOGIC_INIT_H
#define GT_LAYER_LOGIC_INIT_H
#include "layer/init.h"
#include "op/logic/logic_ca.h"

/* normal: drawn from the standard normal distribution. pass_through: logit 10 for the function that returns
 * the gate's first input, 0 for the others. residual: logit 5 for it, which gives it a probability of 91 %
 * (Petersen et al., NeurIPS 2024). */
extern const char *const gt_logic_inits[];
const gt_init *gt_logic_init(const char *name);
/* The functions of two inputs that return the first or the second. */
enum { GT_LOGIC_FIRST = 3, GT_LOGIC_SECOND = 5 };
/* Logit `strength` for function chosen[g] of gate g, 0 for the others. chosen: must outlive the init; NULL:
 * GT_LOGIC_FIRST for all gates. */
const gt_init *gt_logic_init_pass(gt_arena *arena, double strength, const uint8_t *chosen);

/* --- initial gates of an automaton's perception (directions.c) ---
 * Kernels share their wiring, so if all gates return their first input, every kernel reads the same neighbor:
 * information travels in one direction only, and several gates must change together before it can travel in
 * another. Here each kernel starts with a different neighbor. */

/* The initial function of each gate, GT_LOGIC_FIRST or _SECOND, in the arena: an output of kernel k returns
 * neighbor k mod n of the n neighbors that its gates can reach; if outputs share gates, the last output
 * decides. Neighbors are numbered N, S, W, E, then NW, SE, NE, SW. With more than four kernels, the diagonal
 * ones come first: with them and one straight neighbor, information reaches every cell in at most as many
 * steps as the board is wide. wiring: as in gt_logic_ca. */
const uint8_t *gt_directions(gt_arena *arena, const gt_logic_ca_attribute *attribute, uint32_t channels,
                             const int32_t *wiring);

/* --- layers of gates compute with the batch innermost (feature_major.c) --- */

/* Permutes a value [batch, …] to [features, batch]; the output of another layer of gates, even reshaped, is
 * not copied. */
gt_id gt_feature_major(gt_graph *graph, gt_id x);
/* The reverse: permutes a value […, batch] to [batch, features]. */
gt_id gt_batch_major(gt_graph *graph, gt_id x);
#endif

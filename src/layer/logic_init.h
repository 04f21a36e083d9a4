/* Initial logits of gates, [gates, 16]: what the layers logic and logic_ca call `init`. Private to this room.
 */
#ifndef GT_LAYER_LOGIC_INIT_H
#define GT_LAYER_LOGIC_INIT_H
#include "layer/init.h"

/* normal (standard); pass_through: 10 on the gate that gives its first input, else 0; residual: 5 on it, 91 %
 * (Petersen et al., NeurIPS 2024). */
extern const char *const gt_logic_inits[];
const gt_init *gt_logic_init(const char *name);
/* So much on the gate that gives its first input, else 0. */
const gt_init *gt_logic_init_pass(gt_arena *arena, double strength);
#endif

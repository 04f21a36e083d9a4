/* Initial logits of gates, [gates, 16]: what the layers logic and logic_ca call `init`. Private to this room.
 */
#ifndef GT_LAYER_LOGIC_INIT_H
#define GT_LAYER_LOGIC_INIT_H
#include "layer/init.h"

/* normal (standard); pass_through: 10 on the gate that gives its first input, else 0; residual: 5 on it, 91 %
 * (Petersen et al., NeurIPS 2024). */
extern const char *const gt_logic_inits[];
const gt_init *gt_logic_init(const char *name);
/* The functions of two inputs that give the first or the second. */
enum { GT_LOGIC_FIRST = 3, GT_LOGIC_SECOND = 5 };
/* So much on the function that `chosen` says of each gate (it must outlive the init), or on its first input
 * if NULL, else 0.
 */
const gt_init *gt_logic_init_pass(gt_arena *arena, double strength, const uint8_t *chosen);
#endif

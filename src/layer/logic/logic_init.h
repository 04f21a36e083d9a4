/* Initial logits of gates, [gates, 16]: the setting `init` of the layers logic and logic_ca. Private to this
 * room. */
#ifndef GT_LAYER_LOGIC_INIT_H
#define GT_LAYER_LOGIC_INIT_H
#include "layer/init.h"

/* normal (standard); pass_through: 10 for the gate that returns its first input, else 0; residual: 5 for it,
 * probability 91 % (Petersen et al., NeurIPS 2024). */
extern const char *const gt_logic_inits[];
const gt_init *gt_logic_init(const char *name);
/* The functions of two inputs that return the first or the second. */
enum { GT_LOGIC_FIRST = 3, GT_LOGIC_SECOND = 5 };
/* Logit `strength` for each gate's function in `chosen` (which must outlive the init), or for its first input
 * if NULL; 0 for the others. */
const gt_init *gt_logic_init_pass(gt_arena *arena, double strength, const uint8_t *chosen);
#endif

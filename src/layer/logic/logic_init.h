/* Initial logits of gates, [gates, 16]: the setting `init` of the layers logic, logic_conv2d and
 * logic_ca. Private to this room. */
#ifndef GT_LAYER_LOGIC_INIT_H
#define GT_LAYER_LOGIC_INIT_H
#include "layer/init.h"

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
#endif

/* Coefficients of KAN layers, [blocks, functions, inputs of a block, outputs], as they begin and as a phase
 * with another grid takes them over. */
#ifndef GT_LAYER_KAN_INIT_H
#define GT_LAYER_KAN_INIT_H
#include "layer/init.h"
#include "op/kan/kan.h"
#include "store/store.h"

typedef struct gt_kan_start {
  gt_kan_attribute a;
  uint32_t points;  /* > 0: splines through so many values, evenly distributed with this spread … */
  double deviation; /* … or normally distributed coefficients */
  double noise, scale;
  double base; /* where the attribute has a base: its weights reach so far to either side, evenly */
} gt_kan_start;

const gt_init *gt_kan_start_of(gt_arena *arena, const gt_kan_start *start);
/* gt_slot.refit, where the form of coefficients is a gt_kan_attribute: least squares over the new grid, so
 * that each function of an input stays what it was, as far as the new basis can say it. Knots of an input's
 * own are the old ones, with as many more or fewer between them. */
void gt_kan_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                  const gt_slot_values *was);
#endif

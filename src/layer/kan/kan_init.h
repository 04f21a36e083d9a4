/* Coefficients of KAN layers, [blocks, functions, inputs of a block, outputs]: their initial values, and
 * their conversion to the grid of another phase. */
#ifndef GT_LAYER_KAN_INIT_H
#define GT_LAYER_KAN_INIT_H
#include "layer/init.h"
#include "op/kan/kan.h"
#include "store/store.h"

/* Initial coefficients: if points > 0, those of splines fitted to this number of random values, uniform in
 * [-noise/2, noise/2]; otherwise normally distributed with standard deviation `deviation`. Both are
 * multiplied by `scale`. */
typedef struct gt_kan_init_settings {
  gt_kan_attribute a;
  uint32_t points;
  double deviation;
  double noise, scale;
  double base; /* if the attribute has a base: its weights are uniform in [-base, base] */
} gt_kan_init_settings;

const gt_init *gt_kan_init_create(gt_arena *arena, const gt_kan_init_settings *settings);
/* gt_slot.refit for coefficients whose form is a gt_kan_attribute: fits by least squares over the new grid,
 * so that the functions of an input change as little as the new basis allows. Knots per input are refined or
 * coarsened from the old ones. */
void gt_kan_refit(const gt_slot *before, const float *old, const gt_slot *now, float *out,
                  const gt_slot_values *values_before);
const char *gt_kan_describe_refit(const gt_slot *before, const gt_slot *now, gt_arena *arena);
#endif

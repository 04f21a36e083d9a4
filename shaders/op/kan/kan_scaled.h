/* y = c f: coefficients c [lines, outputs], where lines = blocks * functions * BLOCK, with the base as the
 * last function, times the factors f of their edges (kan_scale.h): [blocks, PARTS, BLOCK, outputs]. BLOCK:
 * inputs per block. With PARTS = 1 the base has no factors and is copied. */
#ifndef GT_OP_KAN_SCALED_H
#define GT_OP_KAN_SCALED_H
#include "op/kan/kan_scale_spec.h"
GT_ARGS(gt_kan_scaled_args) {
  GT_FLOATS c, f, y;
  uint lines, outputs;
};
#endif

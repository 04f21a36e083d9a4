/* y = c f: coefficients c [lines, outputs], lines = inputs * total, times the factors f of their edges
 * (kan_scale.h). */
#ifndef GT_OP_KAN_SCALED_H
#define GT_OP_KAN_SCALED_H
#include "op/kan/kan_scale_spec.h"
GT_ARGS(gt_kan_scaled_args) {
  GT_FLOATS c, f, y;
  uint lines, outputs;
};
#endif

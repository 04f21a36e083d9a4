/* y = c f: coefficients [lines = inputs * total, outputs] times the factors of their edges, as in
 * kan_scale.h, whose specialization constants it has. */
#ifndef GT_OP_KAN_SCALED_H
#define GT_OP_KAN_SCALED_H
#include "op/kan/kan_scale_spec.h"
GT_ARGS(gt_kan_scaled_args) {
  GT_FLOATS c, f, y;
  uint lines, outputs;
};
#endif

/* The gradient of W = C f, the coefficients C [inputs * total, outputs] times the factors f of their edges
 * (op/kan/basis.h). Given w, the gradient of W, it computes dc = w f and df, the sums of w C over the
 * functions of each edge. If f has two parts, the second is for the base; otherwise the base has no factor.
 * dc may use the memory of w. */
#ifndef GT_OP_KAN_SCALE_H
#define GT_OP_KAN_SCALE_H
#include "op/kan/kan_scale_spec.h"
GT_ARGS(gt_kan_scale_args) {
  GT_FLOATS w, c, f, dc, df;
  GT_WORDS flag; /* set to 0 if a gradient is not finite (GT_SPEC_CHECKED) */
  uint inputs, outputs;
};
#endif

/* Of W = C f, the coefficients [inputs * total, outputs] times a factor of their edge (op/kan/basis.h), given
 * the gradient w of W: dc = w f, and df, the sums of w C over the functions of an edge. Where f has two
 * parts, the second is the factor of the base; else the base has none. dc may lie where w does. */
#ifndef GT_OP_KAN_SCALE_H
#define GT_OP_KAN_SCALE_H
#include "op/kan/kan_scale_spec.h"
GT_ARGS(gt_kan_scale_args) {
  GT_FLOATS w, c, f, dc, df;
  GT_WORDS flag; /* GT_SPEC_CHECKED */
  uint inputs, outputs;
};
#endif

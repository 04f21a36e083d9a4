/* Of W = C f, the coefficients [inputs * total, outputs] times a factor of their edge (op/kan/basis.h), given
 * the gradient w of W: dc = w f, and df, the sums of w C over the functions of an edge. Where f has two
 * parts, the second is the factor of the base; else the base has none. dc may lie where w does. */
#ifndef GT_OP_KAN_SCALE_H
#define GT_OP_KAN_SCALE_H
#include "lib/args.h"
#define GT_KAN_SCALE_SPEC_QUADS  3 /* 1: outputs is a multiple of 4 */
#define GT_KAN_SCALE_SPEC_SHARES 4 /* of the functions, each an invocation's: they divide the workgroup */
#define GT_KAN_SCALE_SPEC_TERMS  5 /* functions, without the base */
#define GT_KAN_SCALE_SPEC_BASE   6
#define GT_KAN_SCALE_SPEC_BLOCK  7
#define GT_KAN_SCALE_SPEC_PARTS  8
#define GT_KAN_SCALE_SPEC_THERE  9 /* 1: dc does lie where w does */
GT_ARGS(gt_kan_scale_args) {
  GT_FLOATS w, c, f, dc, df;
  uint inputs, outputs;
};
#endif

/* One fused elementwise program over `count` elements (step/program.h). */
#include "lib/args.h"
#define GT_ELEMENTWISE_SPEC_QUADS 3 /* 1: `count` and `row_length` are multiples of 4 */
GT_ARGS(gt_elementwise_args) {
  GT_FLOATS x[8];         /* inputs */
  GT_FLOATS y[4];         /* outputs, each [count] */
  GT_WORDS clock;         /* for GT_I_RANDOM */
  GT_WORDS layout_;       /* for GT_LOAD_GENERAL */
  uint count, row_length; /* row_length: lib/opcodes.h */
};

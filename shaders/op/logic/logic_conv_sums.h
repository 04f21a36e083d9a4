/* y [count] = the sum of the slices of x [slices, count], added in order. */
#include "lib/args.h"
GT_ARGS(gt_logic_conv_sums_args) {
  GT_FLOATS x, y;
  uint count, slices;
};

/* y [batch, groups] = scale * the number of rows, of the `each` rows of a group in x [groups * each, words],
 * in which the bit of the sample is set. */
#include "lib/args.h"
GT_ARGS(gt_logic_bits_sum_args) {
  GT_WORDS x;
  GT_FLOATS y;
  uint batch, groups, each, words;
  float scale;
};

/* Group sums on bits: y [batch, groups] = scale * the number of ones among the sample's bits in the group's
 * `each` rows of x [groups * each, words]. */
#include "lib/args.h"
GT_ARGS(gt_logic_bits_sum_args) {
  GT_WORDS x;
  GT_FLOATS y;
  uint batch, groups, group_size, words;
  float scale;
};

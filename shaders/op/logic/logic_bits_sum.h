/* Group sums on bits: y [batch, groups] = scale * the number of ones among the sample's bits in the group's
 * `group_size` rows of x [groups * group_size, words]. */
#include "lib/args.h"
GT_ARGS(gt_logic_bits_sum_args) {
  GT_WORDS x;
  GT_FLOATS y;
  uint batch, groups, group_size, words;
  float scale;
};

/* Sums of neighboring rows, feature-major: `groups` groups of `each` rows of `batch` values.
 *
 * group_sum     y [batch, groups] = scale * sums of x [groups * each, batch].
 *
 * group_spread  y [groups * each, batch] = scale * x [groups, batch] */
#include "lib/args.h"
#define GT_GROUP_SUM_SPEC_LANES \
  3 /* invocations that share the rows of a group: a power of two that divides the size of the workgroup */
#define GT_GROUP_SUM_SPEC_QUADS 4 /* 1: the batch is a multiple of 4 */
GT_ARGS(gt_group_sum_args) {
  GT_FLOATS x, y;
  uint groups, each, batch;
  float scale;
};

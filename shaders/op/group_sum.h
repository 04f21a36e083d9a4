/* Sums of neighboring features. The data is feature-major: `groups` groups of `group_size` rows of `batch`
 * values.
 *
 * Kernel group_sum: y [batch, groups] = scale * the sum over the rows of each group of x [groups *
 * group_size, batch].
 *
 * Kernel group_spread, its gradient: each row of y [groups * group_size, batch] is scale * the row of its
 * group in x [groups, batch]. */
#include "lib/args.h"
/* LANES: invocations that share the rows of a group, a power of two that divides the size of the workgroup.
 * QUADS: 1 if the batch is a multiple of 4. */
#define GT_GROUP_SUM_SPEC_LANES 3
#define GT_GROUP_SUM_SPEC_QUADS 4
GT_ARGS(gt_group_sum_args) {
  GT_FLOATS x, y;
  uint groups, group_size, batch;
  float scale;
};

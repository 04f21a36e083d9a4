/* Sums of neighbouring rows, feature-major: `groups` groups of `each` rows of `batch` values.
 *
 * group_sum     y [batch, groups] = scale * sums of x [groups * each, batch]. Own spec constants: 3 lanes
 * that share the rows of a group, a power of two that divides the workgroup; 4 as in op/logic/logic.glsl
 *
 * group_spread  y [groups * each, batch] = scale * x [groups, batch] */
#include "lib/args.h"
GT_ARGS(gt_group_sum_args) {
  GT_FLOATS x, y;
  uint groups, each, batch;
  float scale;
};

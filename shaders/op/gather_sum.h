/* y [rows, width] = for each row the sum of the rows of x [n, width] whose key it is, zeros for row `padding`
 * and for a row without any. order [2, n]: as gather_order gives it. Own spec constants: 3 below, 4: 1 where
 * the width is a multiple of 4.
 *
 * The order of adding depends on n only. The places of the order are cut into blocks of `block` (0: none).
 * What lies in blocks that hold one key only comes from `partial` [n / block, width], their sums, which a
 * step with spec constant 3 set writes before; to them are added, one after another, what comes before them
 * and then what comes behind. */
#include "lib/args.h"
GT_ARGS(gt_gather_sum_args) {
  GT_WORDS order;
  GT_FLOATS x, partial, y;
  uint n, rows, width, block, padding;
};

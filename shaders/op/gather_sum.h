/* y [rows, width] = for each row the sum of the rows of x [n, width] whose key it is, zeros for row `padding`
 * and for a row without any. order [2, n]: as gather_order gives it.
 *
 * The order of adding depends on n only. The places of the order are cut into blocks of `block` (0: none).
 * What lies in blocks that hold one key only comes from `partial` [n / block, width], their sums, which a
 * step with GT_GATHER_SUM_SPEC_BLOCKS set writes before; to them are added, one after another, what comes
 * before them and then what comes behind. */
#include "lib/args.h"
#define GT_GATHER_SUM_SPEC_BLOCKS 3 /* 1: the sums of blocks that hold one key */
#define GT_GATHER_SUM_SPEC_QUADS  4 /* 1: the width is a multiple of 4 */
GT_ARGS(gt_gather_sum_args) {
  GT_WORDS order;
  GT_FLOATS x, partial, y;
  uint n, rows, width, block, padding;
};

/* Row r of y [rows, width] is the sum of the rows of x [n, width] with key r; it is 0 for row `padding` and
 * for a row without keys. order [2, n]: the sorted keys and their positions (op/gather_order.h).
 *
 * The order of additions depends only on n. The sorted positions are divided into blocks of `block` (0: no
 * blocks). An earlier step with GT_GATHER_SUM_SPEC_BLOCKS writes the sums of blocks with a single key to
 * `partial` [n / block, width]. A row adds its positions before the first such block, then the sums of the
 * blocks, then the positions after the last one. */
#include "lib/args.h"
#define GT_GATHER_SUM_SPEC_BLOCKS 3 /* 1: this step computes the sums of blocks with a single key */
#define GT_GATHER_SUM_SPEC_QUADS  4 /* 1: the width is a multiple of 4 */
GT_ARGS(gt_gather_sum_args) {
  GT_WORDS order;
  GT_FLOATS x, partial, y;
  uint n, rows, width, block, padding;
};

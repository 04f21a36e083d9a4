/* Moves data by gathering. For each element of the iteration box dim[0..rank): per axis j = index * mul +
 * add; if for every axis j >= 0, j % div == 0 and j / div < limit, the value is x[sum of j / div * stride],
 * else `fill`. It is stored to y[out_offset + sum of index * out_stride]. Layout words: rank, then per axis
 * {dim, mul, add, div, limit, stride, out_stride} (add is signed), 7 words per axis. */
#include "lib/args.h"
GT_ARGS(gt_move_args) {
  GT_WORDS x, y, layout_;
  uint count, out_offset, fill; /* fill: the bits of the value */
};

/* Copies a strided box of elements, for slices, padding, transposes and concatenation. The box has `count`
 * elements and `rank` axes. On each axis, index runs from 0 to dim - 1, and j = index * mul + add. If j >= 0,
 * j % div == 0 and j / div < limit on every axis, the value is x[sum over axes of j / div * stride],
 * otherwise `fill`. It is stored to y[out_offset + sum over axes of index * out_stride]. `layout_`: rank,
 * then 7 words per axis: {dim, mul, add (signed), div, limit, stride, out_stride}. */
#include "lib/args.h"
GT_ARGS(gt_move_args) {
  GT_WORDS x, y, layout_;
  uint count, out_offset, fill; /* fill: the value's bits */
};

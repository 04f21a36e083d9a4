/* Slice b of y [slices, count, width] has the `count` rows of data [rows, width] from start[b] + begin on, as
 * words. Rows that do not exist are `outside`; if start[b] is out of range, the whole slice is. */
#include "lib/args.h"
GT_ARGS(gt_slice_rows_args) {
  GT_WORDS data, start;
  GT_WORDS y;
  uint slices, count, width, rows, begin, outside;
};

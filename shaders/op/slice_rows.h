/* y [slices, count, width]: the rows start[b] + begin … of data [rows, width], as words; `outside` where
 * there are none. */
#include "lib/args.h"
GT_ARGS(gt_slice_rows_args) {
  GT_WORDS data, start;
  GT_WORDS y;
  uint slices, count, width, rows, begin, outside;
};

/* y [n, width] = rows of table [rows, width] by index [n]; NaN where the index is not one of a row. Own spec
 * constant 3: 1 where the width is a multiple of 4 */
#include "lib/args.h"
GT_ARGS(gt_gather_args) {
  GT_FLOATS table;
  GT_WORDS index;
  GT_FLOATS y;
  uint n, rows, width;
};

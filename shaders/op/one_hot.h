/* y [rows, width] from x [rows, stored] and features [2, width]: feature f is x[column[f]] if code[f] is
 * negative, else 1 if x[column[f]] == code[f], else 0. */
#include "lib/args.h"
GT_ARGS(gt_one_hot_args) {
  GT_FLOATS x;
  GT_WORDS features;
  GT_FLOATS y;
  uint rows, width, stored;
};

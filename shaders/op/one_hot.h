/* Computes the features y [rows, width] of a network from the stored values x [rows, stored]. features [2,
 * width] has the column and the code of each feature: feature f is x[column[f]] if code[f] is negative,
 * otherwise 1 if x[column[f]] == code[f] and 0 if not. */
#include "lib/args.h"
GT_ARGS(gt_one_hot_args) {
  GT_FLOATS x;
  GT_WORDS features;
  GT_FLOATS y;
  uint rows, width, stored;
};

/* y = softmax or log-softmax (own spec constant 3 = 1) of each row of x [rows, columns]. */
#include "lib/args.h"
GT_ARGS(gt_softmax_args) {
  GT_FLOATS x, y;
  uint rows, columns;
};

/* y = softmax or log-softmax of each row of x [rows, columns]. */
#include "lib/args.h"
#define GT_SOFTMAX_SPEC_LOG 3 /* 1: log-softmax; the next id is GT_SPEC_PER_LANE */
GT_ARGS(gt_softmax_args) {
  GT_FLOATS x, y;
  uint rows, columns;
};

/* log[step % rows][k] = x[k][0] (op/core.h). One workgroup. */
#include "lib/args.h"
GT_ARGS(gt_log_row_args) {
  GT_FLOATS x[8];
  GT_WORDS clock;
  GT_FLOATS log;
  uint rows, count;
};

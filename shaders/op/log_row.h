/* Row step % rows of log [rows, count] = the elements of x[0], x[1], … one after the other (op/core.h). Runs
 * as one workgroup. */
#include "lib/args.h"
GT_ARGS(gt_log_row_args) {
  GT_FLOATS x[8];
  GT_WORDS clock;
  GT_FLOATS log;
  uint rows, count, inputs;
  uint width[8]; /* elements of each input; their sum is `count` */
};

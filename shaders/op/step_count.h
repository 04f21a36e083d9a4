/* The number of steps of sequences after a layer that changes it (src/op/step_count.h). */
#include "lib/args.h"
GT_ARGS(gt_step_count_args) {
  GT_WORDS lengths; /* [batch] */
  GT_WORDS y;
  int multiplier, offset, divisor, most;
  uint batch;
};

/* now = {step, seed, seed, 0, table row step % rows}; then state.step += 1 (op/core.h). One workgroup. */
#include "lib/args.h"
GT_ARGS(gt_clock_args) {
  GT_WORDS state, table, now;
  uint rows, scalars;
};

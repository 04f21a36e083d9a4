/* Writes `now` = {step, two words of the seed, 0, row step % rows of `table`}, then adds 1 to the step in
 * `state` (op/core.h). Runs as one workgroup. */
#include "lib/args.h"
GT_ARGS(gt_clock_args) {
  GT_WORDS state, table, now;
  uint rows, scalars; /* of the table: its rows, and the values of a row */
};

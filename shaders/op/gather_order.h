/* Stable sort of positions by key: y [2, n] has the sorted keys, then their positions. Keys are compared as
 * unsigned words, so negative ones come last.
 *
 * Kernel gather_order sorts each run of `run` consecutive keys of x [n].
 *
 * Kernel gather_merge merges pairs of adjacent sorted runs of x [2, n], of `run` keys each. */
#include "lib/args.h"
GT_ARGS(gt_gather_order_args) {
  GT_WORDS x, y;
  uint n, run;
};

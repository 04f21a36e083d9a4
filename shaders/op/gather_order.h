/* Stable sort of positions by key: y [2, n] are the sorted keys, then their positions. Keys are compared as
 * unsigned words: negative ones come last.
 *
 * gather_order  sorts each run of `run` consecutive keys of x [n]
 *
 * gather_merge  merges pairs of adjacent sorted runs of x [2, n] */
#include "lib/args.h"
GT_ARGS(gt_gather_order_args) {
  GT_WORDS x, y;
  uint n, run;
};

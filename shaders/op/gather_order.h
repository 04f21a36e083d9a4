/* Positions in the order of their keys, those of equal keys in rising order: y [2, n] are the keys in that
 * order, then the positions. Keys are compared as words: negative ones come last.
 *
 * gather_order  the runs of `run` neighbours in x [n], the keys, each for itself
 *
 * gather_merge  pairs of neighbouring runs in x [2, n], each of which is in order, become one run each */
#include "lib/args.h"
GT_ARGS(gt_gather_order_args) {
  GT_WORDS x, y;
  uint n, run;
};

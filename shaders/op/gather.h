/* Row i of y [n, width] is row index[i] of table [rows, width], or NaN if the index is out of range. */
#include "lib/args.h"
#define GT_GATHER_SPEC_QUADS 3 /* 1: the width is a multiple of 4 */
GT_ARGS(gt_gather_args) {
  GT_FLOATS table;
  GT_WORDS index;
  GT_FLOATS y;
  uint n, rows, width;
};

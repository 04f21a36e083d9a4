/* out[o, c, n] = reduction over r in chunk c of program(o, r, n): the iteration space is [outer, reduced,
 * inner], row-major, cut along `reduced` into chunks of `chunk` (out is [outer, chunks, inner]). The prologue
 * program reads logical element (o * reduced + r) * inner + n. Own spec constants: 3 kind (0 sum, 1 max, 2
 * min, 3 finite: the word at `flag` becomes 0 if a value is not finite, and nothing else is written). */
#include "lib/args.h"
GT_ARGS(gt_reduce_args) {
  GT_FLOATS x[8];
  GT_FLOATS y;
  GT_WORDS clock;
  GT_WORDS layout_;
  GT_WORDS flag;
  uint outer, reduced, inner, chunk, chunks, row;
  float scale; /* multiplies the result (mean) */
};

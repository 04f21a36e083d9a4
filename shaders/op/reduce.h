/* out[o, c, n] = reduction over r in chunk c of program(o, r, n): the iteration space is [outer, reduced,
 * inner], row-major, cut along `reduced` into chunks of `chunk` (out is [outer, chunks, inner]). The prologue
 * program reads logical element (o * reduced + r) * inner + n. */
#include "lib/args.h"
#define GT_REDUCE_SPEC_KIND 3
#define GT_REDUCE_SPEC_ACROSS \
  5 /* of kernel reduce_columns: quads of inner elements of a workgroup, a power of two */
#define GT_REDUCE_SPEC_QUADS    6 /* of the same kernel, 1: rows of the program are whole quads, too */
#define GT_REDUCE_SPEC_PER_LANE 4 /* 1: an invocation has an output to itself; 0: a workgroup (inner = 1) */
/* Kinds. */
#define GT_REDUCE_SUM 0
#define GT_REDUCE_MAX 1
#define GT_REDUCE_MIN 2
#define GT_REDUCE_FINITE                                                                                    \
  3 /* the word at `flag` becomes 0 if a value is not finite; nothing else is written. As by any other kind \
       with GT_SPEC_CHECKED, if a result is not finite */
GT_ARGS(gt_reduce_args) {
  GT_FLOATS x[8];
  GT_FLOATS y;
  GT_WORDS clock;
  GT_WORDS layout_;
  GT_WORDS flag;
  uint outer, reduced, inner, chunk, chunks, row;
  float scale; /* multiplies the result (mean) */
};

/* out[o, c, n] = reduction over r in chunk c of program(o, r, n): the iteration space is [outer, reduced,
 * inner], row-major, divided along `reduced` into chunks of `chunk` (out is [outer, chunks, inner]). The
 * prologue program reads logical element (o * reduced + r) * inner + n. */
#include "lib/args.h"
#define GT_REDUCE_SPEC_KIND 3
#define GT_REDUCE_SPEC_ACROSS \
  5 /* for kernel reduce_columns: groups of 4 inner elements per workgroup, a power of two */
#define GT_REDUCE_SPEC_QUADS    6 /* for the same kernel. 1: gt_reduce_args.row is a multiple of 4 */
#define GT_REDUCE_SPEC_PER_LANE 4 /* 1: one output per invocation; 0: one per workgroup (inner = 1) */
/* Kinds. */
#define GT_REDUCE_SUM 0
#define GT_REDUCE_MAX 1
#define GT_REDUCE_MIN 2
#define GT_REDUCE_FINITE                                                                                 \
  3 /* values are 0 if finite, else 1, and their maximum is taken: clears the word at `flag` if it is 1, \
       writes nothing else (see GT_SPEC_CHECKED) */
GT_ARGS(gt_reduce_args) {
  GT_FLOATS x[8];
  GT_FLOATS y;
  GT_WORDS clock;
  GT_WORDS layout_;
  GT_WORDS flag;
  uint outer, reduced, inner, chunk, chunks, row; /* row: length of a row of the program (lib/program.glsl) */
  float scale;                                    /* multiplies the result (mean) */
};

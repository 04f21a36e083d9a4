/* y[o, c, n] = reduction of program(o, r, n) over the r in chunk c. The iteration space is [outer, reduced,
 * inner], row-major, divided along `reduced` into `chunks` chunks of `chunk` values; y is [outer, chunks,
 * inner]. The program (lib/program.glsl) computes the values from the inputs x; element (o, r, n) is its
 * element (o * reduced + r) * inner + n. */
#include "lib/args.h"
#define GT_REDUCE_SPEC_KIND     3
#define GT_REDUCE_SPEC_PER_LANE 4 /* 1: one output per invocation; 0: one per workgroup (inner = 1) */
/* For kernel reduce_columns. ACROSS: vec4s of inner elements per workgroup, a power of two. QUADS: 1 if
 * gt_reduce_args.row is a multiple of 4. */
#define GT_REDUCE_SPEC_ACROSS 5
#define GT_REDUCE_SPEC_QUADS  6
/* Values of GT_REDUCE_SPEC_KIND. */
#define GT_REDUCE_SUM 0
#define GT_REDUCE_MAX 1
#define GT_REDUCE_MIN 2
/* Sets the word at `flag` to 0 if a value is not finite, and writes nothing else. */
#define GT_REDUCE_FINITE 3
GT_ARGS(gt_reduce_args) {
  GT_FLOATS x[8];
  GT_FLOATS y;
  GT_WORDS clock;
  GT_WORDS layout_;
  GT_WORDS flag;
  uint outer, reduced, inner, chunk, chunks, row_length; /* row_length: of the program (lib/program.glsl) */
  float scale; /* factor of the result, such as 1 / reduced for a mean */
};

/* One row program over [rows, width] (step/lowering.h): an elementwise program some of whose instructions
 * join a value along the row. It runs in passes over the row: pass p evaluates the program as far as the
 * reductions of that pass, whose operands need those of earlier passes only, and joins; the last pass writes.
 * What has a value for each element is read once, before the first pass, where a row's invocations can keep
 * it.
 */
#include "lib/args.h"
#define GT_ROWS_SPEC_LANES     3  /* invocations that share a row, a power of two */
#define GT_ROWS_SPEC_PASSES    4  /* passes that join */
#define GT_ROWS_SPEC_NARROW    5  /* bit k: output k has one value a row */
#define GT_ROWS_SPEC_REDUCTION 6  /* ..9: 0: there is none, else 1 + its pass */
#define GT_ROWS_SPEC_OPCODE    10 /* ..13: GT_I_ROW_… of it */
#define GT_ROWS_SPEC_WHOLE     14 /* rows are whole quads */
#define GT_ROWS_SPEC_EACH      16 /* quads that an invocation has at once */
#define GT_ROWS_SPEC_KEPT      17 /* those are all that it has of a row */
GT_ARGS(gt_rows_args) {
  GT_FLOATS x[8];
  GT_FLOATS y[4];
  GT_WORDS clock;
  uint rows, row; /* row: their length */
};

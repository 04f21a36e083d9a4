/* One row program over [rows, width] (step/lowering.h): an elementwise program in which some instructions
 * reduce a value along the row. It runs in passes over the row: pass p evaluates the operands of its
 * reductions, which depend only on reductions of earlier passes, and reduces them; the last pass writes the
 * outputs. Per-element inputs are read only once, before the first pass, if the invocations of a row can keep
 * them in registers. */
#include "lib/args.h"
#define GT_ROWS_SPEC_LANES     3  /* invocations that share a row, a power of two */
#define GT_ROWS_SPEC_PASSES    4  /* passes with reductions */
#define GT_ROWS_SPEC_NARROW    5  /* bit k: output k has one value per row */
#define GT_ROWS_SPEC_REDUCTION 6  /* ..9, per reduction: 0: unused, otherwise 1 + its pass */
#define GT_ROWS_SPEC_OPCODE    10 /* ..13, per reduction: GT_I_ROW_… */
#define GT_ROWS_SPEC_WHOLE     14 /* 1: the length of a row is a multiple of 4 */
#define GT_ROWS_SPEC_EACH      16 /* vec4s per invocation and round */
#define GT_ROWS_SPEC_KEPT      17 /* 1: one round covers the row, so inputs stay in registers */
GT_ARGS(gt_rows_args) {
  GT_FLOATS x[8];
  GT_FLOATS y[4];
  GT_WORDS clock;
  uint rows, row_length;
};

/* Operand kinds of a GEMM: dense, im2col, basis functions, table rows, bytes; the loader of each is
 * load_NAME.glsl.
 *
 * Factors of products: of what elements an operand consists. A factor is a matrix of lines, each a row of
 * neighbours: four of them from a multiple of four on, a quad, are read at once. An operand that is not
 * transposed has its rows as lines, a transposed one its columns. Included by the headers of the products'
 * kernels; its specialization constants have the same numbers in all of them. */
#ifndef GT_OP_FACTOR_H
#define GT_OP_FACTOR_H
#include "lib/columns.h"
#define GT_FACTOR_DENSE        0 /* as it lies in memory, each entry of the batch by itself */
#define GT_FACTOR_SIDE_BY_SIDE 1 /* likewise, but a line of one entry is followed by that of the next */
#define GT_FACTOR_PATCHES      2 /* a line holds all that one position of a convolution sees: patches.h */
#define GT_FACTOR_TAPS         3 /* dense, but only some of its lines, which stand in a list: patches.h */
#define GT_FACTOR_BYTES        4 /* dense, but of bytes, as the geometry says: load_bytes.glsl */
#define GT_FACTOR_ROWS         5 /* a line holds some of a table's rows, by their numbers: table_rows.h */
#define GT_FACTOR_BASIS        6 /* a line holds the basis functions of one line of inputs: op/kan/basis.h */
#define GT_FACTOR_REPEATED     7 /* dense, but all of a line once in each segment of k */
#define GT_FACTOR_COEFFICIENTS 8 /* of a basis, transposed: in each segment those of one function */
#define GT_FACTOR_SCALED \
  9                   /* coefficients as they lie in memory, times factors of their edges: op/kan/basis.h */
#define GT_FACTORS 10 /* kinds */

/* Where the rows of the result go. */
#define GT_RESULT_DENSE        0
#define GT_RESULT_SIDE_BY_SIDE 1 /* as a factor's lines */
#define GT_RESULT_PLACED       2 /* likewise, but to places that the geometry says: patches.h */

#define GT_FACTOR_SPEC_A      16 /* the kind of A */
#define GT_FACTOR_SPEC_B      17
#define GT_FACTOR_SPEC_RESULT 18 /* GT_RESULT_… */
#define GT_FACTOR_SPEC_OWN \
  19 /* the first of those that kinds have for themselves: patches, or rows of tables, then bases … */
#define GT_FACTOR_SPEC_END 27 /* … and the end of them */
/* Not 0: k consists of segments of this length, a multiple of GT_FACTOR_SLICE. What is summed over one is
 * drained: it is multiplied, element by element, with derivatives of basis functions, and added to what came
 * before. */
#define GT_FACTOR_SPEC_SEGMENT 27
#define GT_FACTOR_SLICE        16
#define GT_FACTOR_DEEP_SLICE   32 /* on matrix units */
/* What is joined of the result's columns, beside: GT_COLUMNS_… or 0. It goes to where the second of the
 * epilogue's outputs would. If there is one, it is summed up, too (GT_COLUMNS_SUMS) or alone
 * (GT_COLUMNS_SUM), and written nowhere. The result is dense, of one entry of a batch, and no second kernel
 * adds its parts. */
#define GT_FACTOR_SPEC_COLUMNS 28
/* Bits: what follows each row of the result (follow.glsl), cross-entropy with labels that are smoothed so
 * much, to `range`, and its gradient. The result is dense and as wide as a tile at most, its epilogue has no
 * more than two inputs and one output, and neither columns nor a flag. Or the epilogue is a row program
 * (rows_behind.glsl): of the same results, without segments, with as many inputs and outputs as there is room
 * for, the third to `range`. */
#define GT_FACTOR_SPEC_FOLLOWED  29
#define GT_FACTOR_SPEC_SMOOTHING 30 /* float; or of a row program, op/rows.h: … */
#define GT_FOLLOWED_BY_SLOPE     1u
#define GT_FOLLOWED_BY_LOSS      2u
#define GT_FOLLOWED_BY_ROWS      4u
/* … five bits for each reduction, 0 or 1 + its pass and, times 8, which of GT_I_ROW_… it is; then 4 bits for
 * the number of passes, and a bit for each output that has one value a row. */
#define GT_ROWS_BEHIND_REDUCTION_BITS 5
#define GT_ROWS_BEHIND_OPCODE         8u
#define GT_ROWS_BEHIND_PASSES         20
#define GT_ROWS_BEHIND_NARROW         24
#define GT_ROWS_BEHIND_Y              3 /* of the epilogue's inputs: the fourth output */
#define GT_FOLLOW_LABELS              2 /* of the epilogue's inputs */
#define GT_FOLLOW_ROW_GRADIENT        3
#define GT_FOLLOW_Y                   1 /* of its outputs */
#endif

/* Operand kinds of a GEMM: dense, im2col, basis functions, table rows, bytes; the loader of each is
 * load_NAME.glsl. Included by the headers of all GEMM kernels, in which the specialization constants below
 * have the same ids.
 *
 * The kernels use these names. A product is a GEMM, a factor is an operand (except for the factors by which a
 * KAN's coefficients are multiplied: op/kan/basis.h). A line is a sequence of elements that are contiguous in
 * memory (for a computed operand: would be): a row of the operand or, if it is transposed, a column. A
 * position is an index in a line. A quad is four neighboring elements from a position that is a multiple of
 * four; loaders read a quad at once. */
#ifndef GT_OP_FACTOR_H
#define GT_OP_FACTOR_H
#include "lib/columns.h"
#define GT_FACTOR_DENSE        0  /* as in memory, one matrix per batch entry */
#define GT_FACTOR_SIDE_BY_SIDE 1  /* dense, batch entries interleaved line by line */
#define GT_FACTOR_PATCHES      2  /* im2col: a line has what one position of a convolution reads: patches.h */
#define GT_FACTOR_TAPS         3  /* dense, only the lines that a list names: patches.h */
#define GT_FACTOR_BYTES        4  /* dense, uint8 with a scale in the geometry: load_bytes.glsl */
#define GT_FACTOR_ROWS         5  /* a line has some rows of a table, by index: table_rows.h */
#define GT_FACTOR_BASIS        6  /* a line has the basis functions of one line of inputs: op/kan/basis.h */
#define GT_FACTOR_REPEATED     7  /* dense, the whole line repeated in each segment of K */
#define GT_FACTOR_COEFFICIENTS 8  /* coefficients of a basis, transposed: one function per segment of K */
#define GT_FACTOR_SCALED       9  /* coefficients as in memory, times factors of edges: op/kan/basis.h */
#define GT_FACTORS             10 /* number of kinds */

/* Where the rows of the result are stored. */
#define GT_RESULT_DENSE        0
#define GT_RESULT_SIDE_BY_SIDE 1 /* batch entries interleaved row by row */
#define GT_RESULT_PLACED       2 /* the same, at rows that follow from the geometry: patches.h */

#define GT_FACTOR_SPEC_A      16 /* the kind of A */
#define GT_FACTOR_SPEC_B      17 /* the kind of B */
#define GT_FACTOR_SPEC_RESULT 18 /* GT_RESULT_… */
/* Constants of the kinds: first those of patches or of table rows, then those of bases. END: the next id. */
#define GT_FACTOR_SPEC_OWN 19
#define GT_FACTOR_SPEC_END 27
/* Not 0: K consists of segments of this length, a multiple of GT_FACTOR_SLICE. The sums of a segment are
 * drained at its end: multiplied elementwise by derivatives of basis functions and added to the total. */
#define GT_FACTOR_SPEC_SEGMENT 27
#define GT_FACTOR_SLICE        16
#define GT_FACTOR_DEEP_SLICE   32 /* on matrix units */
/* Reductions over the result's columns in the epilogue: GT_COLUMNS_… (lib/columns.h) or 0. They are stored as
 * the epilogue's second output. If the epilogue has a second output itself, that is not stored but summed: in
 * addition to the first (GT_COLUMNS_SUMS) or only it (GT_COLUMNS_SUM). Requires a dense result, one batch
 * entry, and no second kernel for split-K. */
#define GT_FACTOR_SPEC_COLUMNS 28
/* Bits: the fused consumers of whole rows of the result. Either cross-entropy with label smoothing, stored to
 * `range`, and its gradient (follow.glsl): for a dense result that is at most as wide as a tile, whose
 * epilogue has at most two inputs and one output, no column reductions and no flag. Or the epilogue is a row
 * program (rows_behind.glsl): for the same results, without segments, with as many inputs and outputs as the
 * arguments allow; its third output is `range`. */
#define GT_FACTOR_SPEC_FOLLOWED 29
#define GT_FOLLOWED_BY_SLOPE    1u /* the gradient of cross-entropy */
#define GT_FOLLOWED_BY_LOSS     2u /* cross-entropy */
#define GT_FOLLOWED_BY_ROWS     4u /* a row program */
/* For cross-entropy: the label smoothing, a float. For a row program (op/rows.h) bit fields: five bits per
 * reduction: 0 if it is unused, otherwise 1 + its pass + 8 * (its opcode - GT_I_ROW_SUM); four bits: the
 * number of passes; and a bit for each output: 1 if it has one value per row. */
#define GT_FACTOR_SPEC_SMOOTHING      30
#define GT_ROWS_BEHIND_REDUCTION_BITS 5
#define GT_ROWS_BEHIND_OPCODE         8u /* the factor of (its opcode - GT_I_ROW_SUM) */
#define GT_ROWS_BEHIND_PASSES         20 /* the first bit of the number of passes */
#define GT_ROWS_BEHIND_NARROW         24 /* the first of the outputs' bits */
/* Arguments of the epilogue that have another use here: indices of its inputs (x). */
#define GT_ROWS_BEHIND_Y       3 /* the fourth output of a row program */
#define GT_FOLLOW_LABELS       2
#define GT_FOLLOW_ROW_GRADIENT 3
/* Index of its output (y). */
#define GT_FOLLOW_Y 1 /* the gradient of cross-entropy */
#endif

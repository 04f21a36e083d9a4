/* Constants of the forward convolution with few input channels.
 *
 * The product of matmul.h, A Bᵀ with patches as A, a dense B and few elements in a line of both: a
 * convolution of few input channels. A workgroup has 4 * QUADS columns, and CHUNKS times POSITIONS = 4 * SETS
 * rows, whose patches are made in shared memory, where B lies, too. An invocation has four neighbouring rows
 * by WIDE quads of columns. */
#include "op/matmul/matmul.h"
#include "op/matmul/stage.h"
#define GT_SHALLOW_SPEC_QUADS  3 /* a power of two, at least 4 * WIDE */
#define GT_SHALLOW_SPEC_WIDE   4 /* 1 or 2 */
#define GT_SHALLOW_SPEC_SETS   5 /* a workgroup is of QUADS / WIDE * SETS */
#define GT_SHALLOW_SPEC_CHUNKS 6
#define GT_SHALLOW_SPEC_UNROLL \
  8 /* elements that are multiplied in straight code, GT_SHALLOW_MOST_UNROLL at most */
#define GT_SHALLOW_SPEC_ROWS 9 /* elements, a multiple of that */

#define GT_SHALLOW_MOST_UNROLL 8

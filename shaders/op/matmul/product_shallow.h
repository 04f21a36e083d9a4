/* Constants of the forward convolution with few input channels: the GEMM A Bᵀ of matmul.h with patches of few
 * elements as A and a dense B. A workgroup computes 4 * QUADS columns and CHUNKS * POSITIONS rows, POSITIONS
 * = 4 * SETS; it stages the rows' patches and B in shared memory. An invocation computes four neighboring
 * rows by WIDE quads of columns. */
#include "op/matmul/matmul.h"
#include "op/matmul/stage.h"
#define GT_SHALLOW_SPEC_QUADS  3 /* a power of two, at least 4 * WIDE */
#define GT_SHALLOW_SPEC_WIDE   4 /* 1 or 2 */
#define GT_SHALLOW_SPEC_SETS   5 /* a workgroup has QUADS / WIDE * SETS invocations */
#define GT_SHALLOW_SPEC_CHUNKS 6 /* chunks of POSITIONS rows per workgroup */
#define GT_SHALLOW_SPEC_UNROLL 8 /* elements multiplied in straight code, at most GT_SHALLOW_MOST_UNROLL */
#define GT_SHALLOW_SPEC_ROWS   9 /* of the transposed tile: elements of a patch, padded for UNROLL */

#define GT_SHALLOW_MOST_UNROLL 8

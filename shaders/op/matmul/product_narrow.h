/* Constants of the wgrad of a convolution with few input channels: the GEMM Aᵀ B of matmul.h with a dense A,
 * and patches of few elements as B, summed over many lines (positions). A workgroup computes 4 * QUADS rows
 * of the result, all columns, over its part of the lines (split-K), POSITIONS = 4 * GROUPS * SETS lines at a
 * time; it stages their patches in shared memory. An invocation computes four rows by TAPS columns over four
 * neighboring lines at a time: the GROUPS groups divide the columns, the SETS sets divide the lines. Partial
 * sums are always stored to `partial`. */
#include "op/matmul/matmul.h"
#include "op/matmul/stage.h"
#define GT_NARROW_SPEC_QUADS  3 /* a power of two, at least 4 */
#define GT_NARROW_SPEC_GROUPS 4 /* a power of two */
#define GT_NARROW_SPEC_SETS   5 /* a power of two; a workgroup has QUADS * GROUPS * SETS invocations */
#define GT_NARROW_SPEC_TAPS   6 /* columns of an invocation, at most GT_NARROW_MOST_TAPS */
#define GT_NARROW_SPEC_CHUNK  8 /* lines per part */

#define GT_NARROW_MOST_TAPS 9

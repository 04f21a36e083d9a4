/* Constants of the skinny-N GEMM without staging.
 *
 * The product of matmul.h where the result has few columns: the last layer of a network. An invocation has
 * every so many-th quad of k in one line, for all columns: it reads its elements of both factors from memory
 * as they are, multiplies them, and a tree joins what the shares of a line have. Neighbouring invocations
 * have neighbouring lines, of which a workgroup has one or several: then they read the same elements of B at
 * once. Nothing is staged, and nothing waits for a slice. */
#include "op/matmul/matmul.h"
#define GT_FEW_SPEC_COLUMNS 3 /* n, GT_FEW_MOST_COLUMNS at most */
#define GT_FEW_SPEC_SHARES  4 /* invocations of a line, a power of two and GT_FEW_LEAST_SHARES at least */
/* GT_MATMUL_SPEC_TRANS_B and, of EXTENTS, QUADS_OF_… as in matmul.h; A is not transposed. */

#define GT_FEW_MOST_COLUMNS 16
#define GT_FEW_LEAST_SHARES 8

/* Constants of the skinny-N GEMM with B staged: the GEMM of matmul.h for results with few columns and many
 * lines (rows), such as the last layer of a network with a large batch. SHARES invocations share a line: each
 * multiplies every SHARES-th quad of K, for all columns; neighboring invocations have neighboring quads.
 * Elements of A are read from memory; chunks of B along K are staged in shared memory, column by column, for
 * all lines of the workgroup. At the end the sums of a line's shares are added in a fixed order. */
#include "op/matmul/matmul.h"
#define GT_THIN_SPEC_COLUMNS 3 /* n, at most GT_FEW_MOST_COLUMNS */
#define GT_THIN_SPEC_SHARES  4 /* invocations per line, a multiple of 4 */
#define GT_THIN_SPEC_CHUNK   5 /* quads of K per chunk, a multiple of SHARES * GT_THIN_AT_ONCE */
/* The kernel also has GT_MATMUL_SPEC_TRANS_B and the bits QUADS_OF_… of GT_MATMUL_SPEC_EXTENTS. A is not
 * transposed. */

#define GT_THIN_AT_ONCE 2 /* quads that an invocation multiplies while it loads as many */
/* Floats from the sums of one line's shares to those of the next in shared memory: 4 more than needed,
 * against bank conflicts. */
#define GT_THIN_SUMS(columns, shares) ((columns) * (shares) + 4)

/* Constants of the skinny-N GEMM with B staged.
 *
 * The product of matmul.h where the result has few columns and many lines: the last layer of a network at a
 * large batch. An invocation has every so many-th quad of k in one line, for all columns, and neighbours have
 * neighbouring quads. It takes its elements of A from memory as they are; B's, a chunk of k at a time, lie in
 * shared memory column by column, for all lines of a workgroup. In the end what the shares of a line have is
 * added, always in the same order. */
#include "op/matmul/matmul.h"
#define GT_THIN_SPEC_COLUMNS 3 /* n, as few as product_few has at most */
#define GT_THIN_SPEC_SHARES  4 /* invocations of a line, a multiple of four */
#define GT_THIN_SPEC_CHUNK   5 /* quads of k, a multiple of SHARES times GT_THIN_AT_ONCE */
/* GT_MATMUL_SPEC_TRANS_B and, of EXTENTS, QUADS_OF_… as in matmul.h; A is not transposed. */

#define GT_THIN_AT_ONCE 2 /* quads that an invocation multiplies, and fetches meanwhile */
/* Floats of shared memory from the sums of one line's shares to those of the next: no multiple of 32. */
#define GT_THIN_SUMS(columns, shares) ((columns) * (shares) + 4)

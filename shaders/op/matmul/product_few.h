/* Constants of the skinny-N GEMM without staging: the GEMM of matmul.h for results with few columns, such as
 * the last layer of a network. SHARES invocations share a line (row) of A: each multiplies every SHARES-th
 * quad of K, for all columns, and a tree reduction adds their sums. Operands are read from memory without
 * staging. Neighboring invocations have neighboring lines, if a workgroup has several, and so read the same
 * elements of B at the same time. */
#include "op/matmul/matmul.h"
#define GT_FEW_SPEC_COLUMNS 3 /* n, at most GT_FEW_MOST_COLUMNS */
#define GT_FEW_SPEC_SHARES  4 /* invocations per line, a power of two, at least GT_FEW_LEAST_SHARES */
/* The kernel also has GT_MATMUL_SPEC_TRANS_B and the bits QUADS_OF_… of GT_MATMUL_SPEC_EXTENTS. A is not
 * transposed. */

#define GT_FEW_MOST_COLUMNS 16
#define GT_FEW_LEAST_SHARES 8

/* Constants of the per-edge dgrad of a KAN layer with few outputs: the GEMM of matmul.h with segments of few
 * elements (factor.h). An invocation computes the gradients of a quad of neighboring inputs in one line, over
 * a share of the functions. It loads the line of g into registers, times the factors of the edges if there
 * are any, and loops over its functions. Neighboring invocations have neighboring lines and so read the same
 * coefficients at the same time. Nothing is staged: with K tiles in shared memory a workgroup would wait at
 * three barriers per function. */
#include "op/matmul/matmul.h"
#define GT_EDGES_SPEC_OUTPUTS 3 /* outputs, at most GT_EDGES_MOST_OUTPUTS */

#define GT_EDGES_MOST_OUTPUTS 16
#define GT_EDGES_LINES        32 /* lines per workgroup */
#define GT_EDGES_MOST_SHARES  16

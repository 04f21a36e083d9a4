/* Constants of the small-N wgrad of a KAN layer or of a linear layer with few outputs: the GEMM Aᵀ B of
 * matmul.h with few columns, summed over many lines (samples). A has a KAN's basis functions, or is dense. An
 * invocation has the sums of one input in registers, all its functions by OUTPUTS columns, and computes the
 * functions of every (LOCAL_X / INPUTS)-th line of its part of K (lines.h). Then the sums of invocations with
 * the same input are added in shared memory, ROUND functions at a time, and stored to `partial`: K is always
 * split. */
#include "op/matmul/lines.h"
#include "op/matmul/matmul.h"
#define GT_OUTER_SPEC_ROUND 8 /* functions per round */
#define GT_OUTER_SPEC_PART  9 /* lines per part */
/* The kernel also has GT_MATMUL_SPEC_SPLIT and GT_MATMUL_SPEC_ARRIVE. */

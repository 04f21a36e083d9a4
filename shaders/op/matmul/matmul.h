/* C[batch, m, n] = epilogue(A · B); stride_a/b: elements from one batch entry to the next (0: shared).
 * With GT_MATMUL_SPEC_SPLIT > 1 raw partial sums go to `partial` [split, batch, m, n], kernel matmul_finish
 * adds them in order and runs the epilogue. */
#include "lib/args.h"
#include "op/matmul/factor.h"
#define GT_MATMUL_SPEC_BM      3 /* tile of a workgroup, on the CPU of a call */
#define GT_MATMUL_SPEC_BN      4
#define GT_MATMUL_SPEC_BK      5 /* depth of a slice in shared memory */
#define GT_MATMUL_SPEC_TM      6 /* tile of an invocation */
#define GT_MATMUL_SPEC_TN      7
#define GT_MATMUL_SPEC_TRANS_A 8
#define GT_MATMUL_SPEC_TRANS_B 9
#define GT_MATMUL_SPEC_SPLIT   10 /* parts of k */
#define GT_MATMUL_SPEC_UNROLL  11 /* depth of straight code, a divisor of BK */
#define GT_MATMUL_SPEC_WHOLE   12 /* m, n and each part of k are multiples of BM, BN and BK */
#define GT_MATMUL_SPEC_RASTER  13 /* rows of tiles that are walked at a time, at least 1 */
GT_ARGS(gt_matmul_args) {
  GT_FLOATS a, b, partial, range; /* partial: of a product in segments what they are drained with */
  GT_FLOATS x[4];                 /* epilogue inputs */
  GT_FLOATS y[2];                 /* epilogue outputs, each [batch, m, n] */
  GT_WORDS clock;
  GT_WORDS geometry; /* of the operand that is not dense, for its kind to use as it likes */
  uint m, n, k, batch, stride_a, stride_b, split, k_chunk;
};

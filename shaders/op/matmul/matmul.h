/* C[batch, m, n] = epilogue(A · B); stride_a/b: elements from one batch entry to the next (0: shared).
 * Own spec constants: 3 BM, 4 BN, 5 BK, 6 TM, 7 TN, 8 trans_a, 9 trans_b, 10 split_k (> 1: raw partial sums
 * go to `partial` [split, batch, m, n], kernel matmul_finish adds them in order and runs the epilogue),
 * 11 depth of straight code, a divisor of BK; 12 edge: 0 where every tile is whole (m, n and each part of k are
 * multiples of BM, BN and BK, and strides of 4); 13 raster: rows of tiles that are walked at a time. */
#include "lib/args.h"
GT_ARGS(gt_matmul_args) {
  GT_FLOATS a, b, partial;
  GT_FLOATS x[4]; /* epilogue inputs */
  GT_FLOATS y[2]; /* epilogue outputs, each [batch, m, n] */
  GT_WORDS clock;
  uint m, n, k, batch, stride_a, stride_b, split, k_chunk;
};

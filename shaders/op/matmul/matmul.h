/* Arguments and specialization constants of GEMM with a fused epilogue; all GEMM kernels share them.
 *
 * C[batch, m, n] = epilogue(A · B); stride_a/b: elements from one batch entry to the next (0: shared).
 * With GT_MATMUL_SPEC_SPLIT > 1 raw partial sums go to `partial` [split, batch, m, n]. They are added in
 * order, and the epilogue is run, by kernel matmul_finish, or by the workgroup of a tile that is done last
 * (arrive.glsl). */
#include "lib/args.h"
#include "op/matmul/factor.h"
#define GT_MATMUL_SPEC_BM      3 /* tile of a workgroup, on the CPU of a call */
#define GT_MATMUL_SPEC_BN      4
#define GT_MATMUL_SPEC_BK      5 /* depth of a slice in shared memory; on the CPU of a part of k */
#define GT_MATMUL_SPEC_TM      6 /* tile of an invocation */
#define GT_MATMUL_SPEC_TN      7
#define GT_MATMUL_SPEC_TRANS_A 8
#define GT_MATMUL_SPEC_TRANS_B 9
#define GT_MATMUL_SPEC_SPLIT   10 /* parts of k */
#define GT_MATMUL_SPEC_UNROLL  11 /* depth of straight code, a divisor of BK */
#define GT_MATMUL_SPEC_EXTENTS 12 /* bits, below */
#define GT_MATMUL_SPEC_RASTER  13 /* rows of tiles that are walked at a time, at least 1 */
#define GT_MATMUL_SPEC_ARRIVE  14 /* 1: the last workgroup of a tile adds the parts */
#define GT_MATMUL_WHOLE        1u /* m, n and each part of k are multiples of BM, BN and BK */
#define GT_MATMUL_QUADS        2u /* n is a multiple of four */
/* Lines of A, of B, in memory are whole quads. */
#define GT_MATMUL_QUADS_OF_A 16u
#define GT_MATMUL_QUADS_OF_B 32u
/* Finds the roots of its result's lines (range.h) for products on matrix units: to inputs that the epilogue
 * has not, GT_MATMUL_ROOTS_…. For whole k only. */
#define GT_MATMUL_MEASURES_ROWS    4u
#define GT_MATMUL_MEASURES_COLUMNS 8u
#define GT_MATMUL_ROOTS_OF_ROWS    2
#define GT_MATMUL_ROOTS_OF_COLUMNS 3
GT_ARGS(gt_matmul_args) {
  GT_FLOATS a, b, partial, range; /* partial: of a product in segments what they are drained with, unless it
                                     is cut along k: then that is `range` */
  GT_FLOATS x[4];                 /* epilogue inputs */
  GT_FLOATS y[2];                 /* epilogue outputs, each [batch, m, n] */
  GT_WORDS clock;
  GT_WORDS geometry; /* of the operand that is not dense, for its kind to use as it likes */
  GT_WORDS arrivals; /* of each tile of each entry of the batch, how many of its workgroups are done: 0 before
                        and after */
  uint m, n, k, batch, stride_a, stride_b;
};
/* Where k is cut into parts: how long each is, the last but for what is missing. A part consists of whole
 * units, at best so many of them that all parts are of equal length. */
#define GT_MATMUL_PART(k, split, unit) (((k) + (unit) * (split)-1u) / ((unit) * (split)) * (unit))

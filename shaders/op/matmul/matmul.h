/* Arguments of GEMM with a fused epilogue, which all GEMM kernels share, and the specialization constants of
 * the kernel on scalar units.
 *
 * C[batch, m, n] = epilogue(A · B); stride_a/b: elements from one batch entry to the next (0: shared). With
 * split-K (GT_MATMUL_SPEC_SPLIT > 1) K is divided into parts, and partial sums are written to `partial`
 * [split, batch, m, n]. Then kernel matmul_finish, or the last workgroup to finish a tile (arrive.glsl), adds
 * them in order and runs the epilogue. */
#include "lib/args.h"
#include "op/matmul/factor.h"
#define GT_MATMUL_SPEC_BM      3 /* BM x BN: the tile of a workgroup; on the CPU, of one call of the kernel */
#define GT_MATMUL_SPEC_BN      4
#define GT_MATMUL_SPEC_BK      5 /* depth of a K tile (slice) in shared memory; on the CPU, of a part of K */
#define GT_MATMUL_SPEC_TM      6 /* TM x TN: the tile of an invocation */
#define GT_MATMUL_SPEC_TN      7
#define GT_MATMUL_SPEC_TRANS_A 8
#define GT_MATMUL_SPEC_TRANS_B 9
#define GT_MATMUL_SPEC_SPLIT   10 /* parts of K */
#define GT_MATMUL_SPEC_UNROLL  11 /* steps along K in straight code, a divisor of BK / teams (matmul.comp) */
#define GT_MATMUL_SPEC_EXTENTS 12 /* bits, below */
#define GT_MATMUL_SPEC_RASTER  13 /* rows of tiles that are processed column by column, at least 1 */
#define GT_MATMUL_SPEC_ARRIVE  14 /* 1: the last workgroup to finish a tile adds the parts */
/* Bits of GT_MATMUL_SPEC_EXTENTS. */
#define GT_MATMUL_WHOLE 1u /* m, n and each part of K are multiples of BM, BN and BK */
#define GT_MATMUL_QUADS 2u /* n is a multiple of 4 and, without split-K, TN too: results are whole quads */
/* The length of the lines of A, or of B, is a multiple of 4. */
#define GT_MATMUL_QUADS_OF_A 16u
#define GT_MATMUL_QUADS_OF_B 32u
/* Writes the roots (range.h) of the result's rows or columns, for a GEMM on matrix units that reads it. Their
 * buffers are passed as inputs GT_MATMUL_ROOTS_… of the epilogue, which it does not use. Not with split-K. */
#define GT_MATMUL_MEASURES_ROWS    4u
#define GT_MATMUL_MEASURES_COLUMNS 8u
#define GT_MATMUL_ROOTS_OF_ROWS    2
#define GT_MATMUL_ROOTS_OF_COLUMNS 3
GT_ARGS(gt_matmul_args) {
  /* partial: partial sums of split-K. If K consists of segments, the inputs at which derivatives are taken
   * (load_segments.glsl) are in `partial`, or in `range` with split-K. range: otherwise the scales of
   * operands on matrix units (range.h), or an output of a fused consumer (factor.h). */
  GT_FLOATS a, b, partial, range;
  GT_FLOATS x[4]; /* epilogue inputs */
  GT_FLOATS y[2]; /* epilogue outputs, each [batch, m, n] */
  GT_WORDS clock;
  GT_WORDS geometry; /* words of the operand that is not dense; each kind defines them (factor.h) */
  GT_WORDS arrivals; /* per tile and batch entry: how many of its workgroups are done; 0 before and after */
  uint m, n, k, batch, stride_a, stride_b;
};
/* The length of a part of K with split-K: whole units; the last part may be shorter. */
#define GT_MATMUL_PART(k, split, unit) (((k) + (unit) * (split)-1u) / ((unit) * (split)) * (unit))

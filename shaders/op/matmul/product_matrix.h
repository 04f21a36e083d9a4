/* Specialization constants of GEMM on matrix units; float32 operands can be split into two 16 bit parts.
 *
 * The product of matmul.h on matrix units, with its arguments: factors become 16 bits wide while they are
 * staged, sums are floats. Own specialization constants: */
#include "op/matmul/matmul.h"
#include "op/matmul/range.h"
#define GT_MATRIX_SPEC_BM       3 /* tile of a workgroup, multiples of the subgroup's */
#define GT_MATRIX_SPEC_BN       4
#define GT_MATRIX_SPEC_BK       5 /* depth of a slab, a multiple of the units' k and of 8 */
#define GT_MATRIX_SPEC_SM       6 /* tile of a subgroup, multiples of the units' m and n, of 8 both */
#define GT_MATRIX_SPEC_SN       7
#define GT_MATRIX_SPEC_FORM     8  /* bits, below */
#define GT_MATRIX_SPEC_SPLIT    9  /* as in matmul.h */
#define GT_MATRIX_SPEC_M        10 /* the units' own extents */
#define GT_MATRIX_SPEC_N        11
#define GT_MATRIX_SPEC_K        12
#define GT_MATRIX_SPEC_SUBGROUP 13 /* lanes of a subgroup */
#define GT_MATRIX_SPEC_WRITE    14 /* how sums are written: product_matrix_write.glsl */

#define GT_MATRIX_SPEC_BLOCK 3 /* of kernel patches_range */

#define GT_MATRIX_TRANS_A 1u
#define GT_MATRIX_TRANS_B 2u
#define GT_MATRIX_STEADY  4u   /* factors can be read four elements at a time: product_matrix.glsl, FAST */
#define GT_MATRIX_WHOLE   8u   /* m, n and each part of k are multiples of BM, BN and BK */
#define GT_MATRIX_BLOCKS  64u  /* of kernel product_range: patches are not measured */
#define GT_MATRIX_TAIL    32u  /* a part of k is no multiple of BK */
#define GT_MATRIX_ARRIVE  128u /* the last workgroup of a tile adds the parts: arrive.glsl */
#define GT_MATRIX_QUADS   256u /* n is a multiple of four */
#define GT_MATRIX_BRIEF   512u /* code is to be short rather than fast */
/* The roots of range.h, where those of a factor are known before: they lie by themselves then, A's at
 * `range`, B's at an input that the epilogue has not, with 2 ^ (0 to 2) to a depth, as tiles were shorter.
 * B's bits are twice A's. */
#define GT_MATRIX_KNOWN_A  1024u
#define GT_MATRIX_KNOWN_B  2048u
#define GT_MATRIX_EVEN_A   65536u /* one root for all of it */
#define GT_MATRIX_EVEN_B   131072u
#define GT_MATRIX_PARTS_A  524288u /* times the exponent */
#define GT_MATRIX_PARTS_B  2097152u
#define GT_MATRIX_ROOTS_B  3        /* of the epilogue's inputs */
#define GT_MATRIX_MATRICES 262144u  /* m and n are multiples of the units' */
#define GT_MATRIX_SHIFTED  8388608u /* what a factor of bytes stands for has a shift */
/* Finds the roots of its result's lines, as if they were of a factor: of rows for each tile of columns, to
 * `partial`, of columns for each tile of rows, to `arrivals`. For whole k only. */
#define GT_MATRIX_MEASURES_ROWS    16384u
#define GT_MATRIX_MEASURES_COLUMNS 32768u
#define GT_MATRIX_HALVES           16u /* elements are sums of two float16, as exact as floats */

/* Specialization constants of GEMM on matrix units, with the arguments of matmul.h: operands are converted to
 * 16 bits when they are staged, or split into two 16-bit parts; sums are floats. */
#include "op/matmul/matmul.h"
#include "op/matmul/range.h"
#define GT_MATRIX_SPEC_BM       3 /* BM x BN: the tile of a workgroup, multiples of SM and SN */
#define GT_MATRIX_SPEC_BN       4
#define GT_MATRIX_SPEC_BK       5 /* depth of a K tile (slab), a multiple of the matrices' K and of 8 */
#define GT_MATRIX_SPEC_SM       6 /* SM x SN: the tile of a subgroup, multiples of M and N and of 8 */
#define GT_MATRIX_SPEC_SN       7
#define GT_MATRIX_SPEC_FORM     8  /* bits, below */
#define GT_MATRIX_SPEC_SPLIT    9  /* as in matmul.h */
#define GT_MATRIX_SPEC_M        10 /* M, N, K: the extents of the units' matrices */
#define GT_MATRIX_SPEC_N        11
#define GT_MATRIX_SPEC_K        12
#define GT_MATRIX_SPEC_SUBGROUP 13 /* lanes of a subgroup */
#define GT_MATRIX_SPEC_WRITE    14 /* how results are written: product_matrix_write.glsl */

#define GT_MATRIX_SPEC_BLOCK 3 /* of kernel patches_range: channels of a block (patches_blocks.h) */

/* Bits of GT_MATRIX_SPEC_FORM. */
#define GT_MATRIX_TRANS_A 1u
#define GT_MATRIX_TRANS_B 2u
#define GT_MATRIX_STEADY  4u   /* operands can be read as vec4s without checks: product_matrix.glsl, FAST */
#define GT_MATRIX_WHOLE   8u   /* m, n and each part of K are multiples of BM, BN and BK */
#define GT_MATRIX_BLOCKS  64u  /* of kernel product_range: patches_range writes the roots of patches */
#define GT_MATRIX_TAIL    32u  /* a part of K is not a multiple of BK */
#define GT_MATRIX_ARRIVE  128u /* the last workgroup to finish a tile adds the parts: arrive.glsl */
#define GT_MATRIX_QUADS   256u /* n is a multiple of 4 */
#define GT_MATRIX_BRIEF   512u /* short code, which compiles fast */
/* Roots (range.h) that product_range does not compute: another kernel has written them, or one root for the
 * whole operand follows from its op or format. Roots are then in separate buffers: those of A in `range`,
 * those of B in input GT_MATRIX_ROOTS_B of the epilogue, which it does not use. The bit of B is twice that of
 * A; GT_MATRIX_PARTS_B is a field of two bits, as GT_MATRIX_PARTS_A. */
#define GT_MATRIX_KNOWN_A 1024u
#define GT_MATRIX_KNOWN_B 2048u
#define GT_MATRIX_EVEN_A  65536u /* one root for the whole operand */
#define GT_MATRIX_EVEN_B  131072u
#define GT_MATRIX_PARTS_A 524288u /* times e, 0 to 2: 2^e roots per depth (product_matrix_roots.glsl) */
#define GT_MATRIX_PARTS_B 2097152u
#define GT_MATRIX_ROOTS_B 3
/* More bits. */
#define GT_MATRIX_MATRICES 262144u  /* m and n are multiples of the matrices' M and N */
#define GT_MATRIX_SHIFTED  8388608u /* a uint8 operand has a shift */
/* Writes the roots of the result: of rows, per tile of columns, to `partial`; of columns, per tile of rows,
 * to `arrivals`. Not with split-K. */
#define GT_MATRIX_MEASURES_ROWS    16384u
#define GT_MATRIX_MEASURES_COLUMNS 32768u
#define GT_MATRIX_HALVES           16u /* split product: elements are sums of two float16 */

/* measures.glsl for the scalar GEMM kernel.
 *
 * What kernels on scalar units find of their result's lines, as their constant EXTENTS says (matmul.h): measures.glsl, with
 * tiles of BM x BN. */
const uint MEASURING = ((EXTENTS / GT_MATMUL_MEASURES_ROWS & 3u) + 3u) / 4u;
const bool MEASURES_ROWS = (EXTENTS & GT_MATMUL_MEASURES_ROWS) != 0u;
const bool MEASURES_COLUMNS = (EXTENTS & GT_MATMUL_MEASURES_COLUMNS) != 0u;
/* The bits of the largest elements of the tile's lines, where they are wanted. */
shared uint largest[MEASURING * (BM + BN) + 1u];
#define GT_MEASURES_WORD(i)    largest[i]
#define GT_MEASURES_OF_ROWS    x[GT_MATMUL_ROOTS_OF_ROWS]
#define GT_MEASURES_OF_COLUMNS x[GT_MATMUL_ROOTS_OF_COLUMNS]
#include "op/matmul/measures.glsl"

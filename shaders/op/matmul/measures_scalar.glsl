/* measures.glsl for GEMM kernels on scalar units, with tiles of BM x BN. Their constant EXTENTS (matmul.h) says which
 * roots are written. */
/* 1 if roots are written, otherwise 0. */
const uint MEASURING = ((EXTENTS / GT_MATMUL_MEASURES_ROWS & 3u) + 3u) / 4u;
const bool MEASURES_ROWS = (EXTENTS & GT_MATMUL_MEASURES_ROWS) != 0u;
const bool MEASURES_COLUMNS = (EXTENTS & GT_MATMUL_MEASURES_COLUMNS) != 0u;
/* The amax (bits) of the tile's rows and columns. */
shared uint largest[MEASURING * (BM + BN) + 1u];
#define GT_MEASURES_WORD(i)    largest[i]
#define GT_MEASURES_OF_ROWS    x[GT_MATMUL_ROOTS_OF_ROWS]
#define GT_MEASURES_OF_COLUMNS x[GT_MATMUL_ROOTS_OF_COLUMNS]
#include "op/matmul/measures.glsl"

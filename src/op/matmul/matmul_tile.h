/* One tile of a product by vector instructions of our own. Every element is the same chain of fused
 * multiply-adds whatever the instruction set, the tile and the strides: k ascending, a fresh sum for each
 * GT_MATMUL_DEPTH of k, these sums added in order. */
#ifndef GT_OP_MATMUL_TILE_H
#define GT_OP_MATMUL_TILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_matmul_operands { /* c[m, n] = op(a) op(b), op(a) [m, k], op(b) [k, n] */
  const float *a, *b;
  size_t lda, ldb;
  bool trans_a, trans_b;
  uint32_t m, n, k;
} gt_matmul_operands;

enum {
  GT_MATMUL_TILE = 256,       /* largest edge of a tile */
  GT_MATMUL_DEPTH = 256,      /* of k, between two visits of c */
  GT_MATMUL_PACK = 160 * 1024 /* floats that a tile needs to work with */
};

/* m, n <= GT_MATMUL_TILE, 0 < m, n, k; pack: GT_MATMUL_PACK floats. */
typedef void gt_matmul_tile(const gt_matmul_operands *o, float *c, size_t ldc, float *pack);
gt_matmul_tile gt_matmul_tile_avx2, gt_matmul_tile_avx512;

/* What computes a product with so many rows on this processor, or on a lesser one that GTRAIN_CPU names
 * (portable, avx2, avx512). NULL: OpenBLAS, which is faster at few rows. */
gt_matmul_tile *gt_matmul_own_tile(uint32_t m);
#endif

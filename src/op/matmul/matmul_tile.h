/* One tile of a product by vector instructions of our own. Every element is the same chain of fused
 * multiply-adds whatever the instruction set, the tile and the strides: k ascending, a fresh sum for each
 * GT_MATMUL_DEPTH of k, these sums added in order. */
#ifndef GT_OP_MATMUL_TILE_H
#define GT_OP_MATMUL_TILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A factor that is not dense (shaders/op/matmul/factor.h), where its elements are made as a tile copies them.
 */
typedef struct gt_factor {
  /* to[i * step + j] = the element at `position` + j of line `line` + i, i < lines, j < positions <= step. */
  void (*make)(const struct gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
               uint32_t positions, float *to, size_t step);
  const float *from;
  const uint32_t *geometry;
  const uint32_t *spec;                /* the step's */
  uint32_t entry;                      /* of the batch */
  uint32_t wide, stride;               /* if it lies in memory: length of a line, from entry to entry */
  uint32_t first_line, first_position; /* where the tile begins: to be added to both */
} gt_factor;

static inline void gt_factor_make(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                                  uint32_t positions, float *to, size_t step) {
  factor->make(factor, factor->first_line + line, lines, factor->first_position + position, positions, to,
               step);
}

typedef struct gt_matmul_operands { /* c[m, n] = op(a) op(b), op(a) [m, k], op(b) [k, n] */
  const float *a, *b;
  size_t lda, ldb;
  bool trans_a, trans_b;
  uint32_t m, n, k;
  const gt_factor *made_a, *made_b; /* instead of a and lda, b and ldb; NULL: dense. Not with trans_b */
} gt_matmul_operands;

enum {
  GT_MATMUL_TILE = 512,       /* largest edge of a tile */
  GT_MATMUL_DEPTH = 256,      /* of k, between two visits of c */
  GT_MATMUL_PACK = 304 * 1024 /* floats that a tile needs to work with */
};

/* m, n <= GT_MATMUL_TILE, 0 < m, n, k; pack: GT_MATMUL_PACK floats. */
typedef void gt_matmul_tile(const gt_matmul_operands *o, float *c, size_t ldc, float *pack);
gt_matmul_tile gt_matmul_tile_avx2, gt_matmul_tile_avx512;

/* What computes a product with so many rows on this processor, or on a lesser one that GTRAIN_CPU names
 * (portable, avx2, avx512). NULL: OpenBLAS, which is faster at few rows. */
gt_matmul_tile *gt_matmul_own_tile(uint32_t m);
/* The instruction set of these tiles: "portable" (which has none, so that all products are OpenBLAS's),
 * "avx2" or "avx512". */
const char *gt_matmul_instructions(void);
#endif

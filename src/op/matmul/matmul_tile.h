/* One tile of a GEMM, computed by our own vector instructions. Each element is the same chain of fused
 * multiply-adds for every instruction set, tile size and stride: k ascending, a new sum for each
 * GT_MATMUL_DEPTH of K, these sums added in order. */
#ifndef GT_OP_MATMUL_TILE_H
#define GT_OP_MATMUL_TILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operand that is computed on load (shaders/op/matmul/factor.h), while a tile copies it. A line is a row
 * of it in memory. */
typedef struct gt_factor {
  /* to[i * step + j] = the element at `position` + j of line `line` + i, i < lines, j < positions <= step. */
  void (*make)(const struct gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
               uint32_t positions, float *to, size_t step);
  const float *from;                   /* what it is computed from: an image, a table, inputs */
  const uint32_t *geometry;            /* words of the loader (gt_product.geometry) */
  const uint32_t *spec;                /* specialization constants of the step */
  uint32_t entry;                      /* number of the batch entry */
  uint32_t wide, stride;               /* length of a line; elements from one batch entry to the next */
  uint32_t first_line, first_position; /* of the tile: gt_factor_make adds them */
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
  const gt_factor *made_a, *made_b; /* computed operands, instead of a and lda, b and ldb; NULL: dense. made_b
                                       not with trans_b */
} gt_matmul_operands;

enum {
  GT_MATMUL_TILE = 512,       /* largest edge of a tile */
  GT_MATMUL_DEPTH = 256,      /* elements of K that are summed in registers, before the sums are added to c */
  GT_MATMUL_PACK = 304 * 1024 /* floats of a tile's work memory */
};

/* m, n <= GT_MATMUL_TILE, 0 < m, n, k; pack: GT_MATMUL_PACK floats. */
typedef void gt_matmul_tile(const gt_matmul_operands *o, float *c, size_t ldc, float *pack);
gt_matmul_tile gt_matmul_tile_avx2, gt_matmul_tile_avx512;

/* The tile function for a product with m rows, on this processor or on a lesser one that GTRAIN_CPU names
 * (portable, avx2, avx512). NULL: OpenBLAS, which is faster with few rows. */
gt_matmul_tile *gt_matmul_own_tile(uint32_t m);
/* The instruction set of these tiles: "avx2", "avx512", or "portable" if there are none, so that OpenBLAS
 * computes all products. */
const char *gt_matmul_instructions(void);
#endif

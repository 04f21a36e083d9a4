/* How a product is cut: a pure function of its shape and the target, so that a plan never depends on what ran
 * before. On the CPU only bm and bn count (the grid of tiles; k is never split, so bits never depend on
 * threads). */
#ifndef GT_OP_MATMUL_CONFIG_H
#define GT_OP_MATMUL_CONFIG_H
#include "shaders/op/matmul/factor.h"
#include "step/lowering.h"

typedef struct gt_matmul_shape {
  uint32_t m, n, k, batch;
  bool trans_a, trans_b;
  uint32_t kind_a, kind_b; /* GT_FACTOR_… */
  uint32_t segment;        /* GT_FACTOR_SPEC_SEGMENT; devices only */
} gt_matmul_shape;

typedef struct gt_matmul_config {
  uint32_t bm, bn, bk, tm, tn; /* workgroup tile, depth of a shared-memory slice, tile of a thread */
  uint32_t split, k_chunk;     /* parts of k and the length of each, a multiple of bk */
} gt_matmul_config;

gt_matmul_config gt_matmul_choose(gt_lowering *lowering, const gt_matmul_shape *shape);
#endif

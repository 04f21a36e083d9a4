/* A product on matrix units: shaders/op/matmul/product_matrix.h. */
#ifndef GT_OP_MATMUL_MATRIX_H
#define GT_OP_MATMUL_MATRIX_H
#include "op/matmul/matmul_config.h"
#include "lib/spec.h"

typedef struct gt_matmul_cut { /* a kernel of products, and how it is cut for it */
  const gt_kernel *kernel;
  uint32_t bm, bn;                /* tile of a workgroup */
  uint32_t threads;               /* of a workgroup */
  uint32_t split, k_chunk;        /* as in gt_matmul_config */
  uint32_t spec[GT_SPEC_ALIGNED]; /* its own specialization constants, by their numbers */
} gt_matmul_cut;

/* False where the product is not to be made on matrix units: none are there, its node does not allow factors
 * of 16 bits, or it would not pay. */
bool gt_matmul_cut_matrix(const gt_matmul_shape *shape, const gt_target *target, gt_precision precision,
                          gt_matmul_cut *cut);
#endif

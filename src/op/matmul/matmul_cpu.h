/* CPU kernels of GEMM, for this folder and for KAN layers. */
#ifndef GT_OP_MATMUL_CPU_H
#define GT_OP_MATMUL_CPU_H
#include "base/error.h"
#include "op/matmul/matmul_tile.h"
#include <stdint.h>

enum { GT_MATMUL_FINISH_TILE = 4096 }; /* elements */

void gt_matmul_cpu(const void *args, const uint32_t *spec, uint32_t tile);
bool gt_matmul_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
void gt_matmul_finish_cpu(const void *args, const uint32_t *spec, uint32_t tile);

/* Computes a tile of a product that has m rows in total, by our own vector instructions or OpenBLAS. */
void gt_matmul_multiply(const gt_matmul_operands *o, uint32_t m, float *c, size_t ldc, float *pack);
/* Addresses of a step's epilogue. */
typedef struct gt_matmul_ends {
  const uint64_t *x, *y; /* inputs and outputs, as in the step's arguments */
  uint64_t clock;
  uint32_t length; /* row length of the result */
} gt_matmul_ends;
/* Runs the epilogue on elements of a tile with row length ld. In the result they begin at element `first`,
 * with `apart` elements from row to row. */
void gt_matmul_finish_tile(const gt_matmul_ends *ends, const uint32_t *spec, const float *tile, size_t ld,
                           uint32_t first, uint32_t apart, uint32_t rows, uint32_t columns);
#endif

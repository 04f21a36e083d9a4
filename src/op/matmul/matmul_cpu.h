/* CPU kernels of the product, shared by the files of the family only. */
#ifndef GT_OP_MATMUL_CPU_H
#define GT_OP_MATMUL_CPU_H
#include "base/error.h"
#include "op/matmul/matmul_tile.h"
#include <stdint.h>

enum { GT_MATMUL_FINISH_TILE = 4096 }; /* elements */

void gt_matmul_cpu(const void *args, const uint32_t *spec, uint32_t tile);
bool gt_matmul_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
void gt_matmul_finish_cpu(const void *args, const uint32_t *spec, uint32_t tile);

/* A tile of a product that has m rows in all, by own instructions or OpenBLAS. */
void gt_matmul_multiply(const gt_matmul_operands *o, uint32_t m, float *c, size_t ldc, float *pack);
/* Where a step with a program finds what that reads and writes. */
typedef struct gt_matmul_ends {
  const uint64_t *x, *y; /* as in its arguments */
  uint64_t clock;
  uint32_t length; /* of a row of the result */
} gt_matmul_ends;
/* Runs the program on finished elements (row length ld), the first of which is number `first`, rows `apart`.
 */
void gt_matmul_finish_tile(const gt_matmul_ends *ends, const uint32_t *spec, const float *tile, size_t ld,
                           uint32_t first, uint32_t apart, uint32_t rows, uint32_t columns);
#endif

/* CPU kernels of the product, shared by the files of the family only. */
#ifndef GT_OP_MATMUL_CPU_H
#define GT_OP_MATMUL_CPU_H
#include "base/error.h"
#include <stdint.h>

enum { GT_MATMUL_FINISH_TILE = 4096 }; /* elements */

void gt_matmul_cpu(const void *args, const uint32_t *spec, uint32_t tile);
bool gt_matmul_prepare(const void *args, const uint32_t *spec, uint32_t threads, gt_error *error);
void gt_matmul_finish_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

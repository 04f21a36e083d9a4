/* The CPU kernels of src/op/pool.c. */
#ifndef GT_OP_POOL_CPU_H
#define GT_OP_POOL_CPU_H
#include <stdint.h>

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

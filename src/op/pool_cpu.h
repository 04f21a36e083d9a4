/* The CPU kernels of src/op/pool.c. */
#ifndef GT_OP_POOL_CPU_H
#define GT_OP_POOL_CPU_H
#include <stdint.h>

/* The maximum number of values that a prologue computes for one window, including the gap before the next. */
enum { GT_POOL_ROOM = 65536 };

void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

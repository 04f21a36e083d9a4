/* The CPU kernels of src/op/pool.c. */
#ifndef GT_OP_POOL_CPU_H
#define GT_OP_POOL_CPU_H
#include <stdint.h>

/* How many positions of so many channels a tile has. */
uint32_t gt_pool_tile_rows(uint32_t channels);
void gt_pool_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_pool_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

/* The CPU kernels of src/op/upsample.c. */
#ifndef GT_OP_UPSAMPLE_CPU_H
#define GT_OP_UPSAMPLE_CPU_H
#include <stdint.h>

/* How many positions of so many channels a tile has. */
uint32_t gt_upsample_tile_rows(uint32_t channels);
void gt_upsample_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_upsample_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

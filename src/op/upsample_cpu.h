/* The CPU kernels of src/op/upsample.c. */
#ifndef GT_OP_UPSAMPLE_CPU_H
#define GT_OP_UPSAMPLE_CPU_H
#include <stdint.h>

void gt_upsample_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_upsample_gradient_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

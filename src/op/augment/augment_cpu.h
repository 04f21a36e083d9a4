/* The CPU kernels of augment and augment_grey. */
#ifndef GT_OP_AUGMENT_CPU_H
#define GT_OP_AUGMENT_CPU_H
#include <stdint.h>
void gt_augment_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_augment_grey_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

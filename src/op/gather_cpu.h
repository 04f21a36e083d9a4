/* The CPU kernels of src/op/gather.c and the sizes that they share with the lowering. */
#ifndef GT_OP_GATHER_CPU_H
#define GT_OP_GATHER_CPU_H
#include <stdint.h>

enum { GT_GATHER_RUN = 1024 }; /* keys in a run that is sorted first, and keys per tile */

/* Number of rows of `width` elements per tile. */
uint32_t gt_gather_tile_rows(uint32_t width);
/* Number of blocks of `block` such rows per tile. */
uint32_t gt_gather_tile_blocks(uint32_t block, uint32_t width);
void gt_gather_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_order_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_merge_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

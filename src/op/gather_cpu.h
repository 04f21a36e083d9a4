/* The CPU kernels of src/op/gather.c and the sizes that they share with the lowering. */
#ifndef GT_OP_GATHER_CPU_H
#define GT_OP_GATHER_CPU_H
#include <stdint.h>

enum { GT_GATHER_RUN = 1024 }; /* keys that are sorted at once, and those of a tile */

/* How many rows of this width a tile has. */
uint32_t gt_gather_tile_rows(uint32_t width);
/* How many blocks of so many rows of this width a tile has. */
uint32_t gt_gather_tile_blocks(uint32_t block, uint32_t width);
void gt_gather_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_order_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_merge_cpu(const void *args, const uint32_t *spec, uint32_t tile);
void gt_gather_sum_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

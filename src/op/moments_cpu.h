/* The CPU kernel of moments (shaders/op/moments.h) and the sizes that it shares with the lowering. */
#ifndef GT_OP_MOMENTS_CPU_H
#define GT_OP_MOMENTS_CPU_H
#include <stdint.h>

enum { GT_MOMENTS_SEGMENT = 256 }; /* columns per tile */

struct gt_moments_args;
uint32_t gt_moments_tiles(const struct gt_moments_args *args);
void gt_moments_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

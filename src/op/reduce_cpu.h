/* The reduction's CPU kernel (src/op/reduce_cpu.c) and what it shares with the lowering. */
#ifndef GT_OP_REDUCE_CPU_H
#define GT_OP_REDUCE_CPU_H
#include <stdint.h>

enum { GT_REDUCE_SEGMENT = 128 }; /* columns that one tile reduces together */

struct gt_reduce_args;
uint32_t gt_reduce_tiles(const struct gt_reduce_args *args);
void gt_reduce_cpu(const void *arguments, const uint32_t *spec, uint32_t tile);
#endif

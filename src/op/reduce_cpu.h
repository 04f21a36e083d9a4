/* The reduction's CPU kernel (src/op/reduce_cpu.c) and what it shares with the lowering. */
#ifndef GT_OP_REDUCE_CPU_H
#define GT_OP_REDUCE_CPU_H
#include <stdint.h>

enum { GT_REDUCE_SEGMENT = 128 }; /* columns that one tile reduces together */

/* A row is joined by so many lanes, value i by lane i % GT_REDUCE_LANES, and then these; kinds are those of
 * shaders/op/reduce.h. n is a multiple of the lanes but for a row's last values. */
enum { GT_REDUCE_LANES = 32 };
float gt_reduce_start(uint32_t kind); /* what a lane holds before the first value */
void gt_reduce_join(uint32_t kind, float *lane, const float *from, uint32_t n);
float gt_reduce_fold(uint32_t kind, float *lane); /* leaves the lanes as they fall */

struct gt_reduce_args;
uint32_t gt_reduce_tiles(const struct gt_reduce_args *args);
void gt_reduce_cpu(const void *arguments, const uint32_t *spec, uint32_t tile);
#endif

/* The CPU kernel of reductions (src/op/reduce_cpu.c) and the sizes that it shares with the lowering. */
#ifndef GT_OP_REDUCE_CPU_H
#define GT_OP_REDUCE_CPU_H
#include <stdint.h>

enum { GT_REDUCE_SEGMENT = 128 }; /* columns per tile */

/* A row is reduced in GT_REDUCE_LANES lanes, value i in lane i % GT_REDUCE_LANES, and then the lanes are
 * reduced; kinds are those of shaders/op/reduce.h. */
enum { GT_REDUCE_LANES = 32 };
float gt_reduce_neutral(uint32_t kind); /* the neutral element */
/* Reduces the next n values of the row into the lanes; n is a multiple of GT_REDUCE_LANES except at a row's
 * end. */
void gt_reduce_accumulate(uint32_t kind, float *lane, const float *from, uint32_t n);
float gt_reduce_fold(uint32_t kind, float *lane); /* reduces the lanes; overwrites them */

struct gt_reduce_args;
uint32_t gt_reduce_tiles(const struct gt_reduce_args *args);
void gt_reduce_cpu(const void *arguments, const uint32_t *spec, uint32_t tile);
#endif

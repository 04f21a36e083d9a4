/* CPU kernels of depthwise convolutions, for their lowering only. */
#ifndef GT_OP_CONV_DEPTHWISE_CPU_H
#define GT_OP_CONV_DEPTHWISE_CPU_H
#include <stdint.h>

enum {
  GT_DEPTHWISE_VALUES = 1 << 14, /* maximum number of results per tile, and of channels */
  GT_DEPTHWISE_WEIGHTS = 1 << 17 /* maximum number of weights */
};

/* Number of output positions that a tile of gt_depthwise_cpu computes. */
uint32_t gt_depthwise_tile_positions(uint32_t channels);
void gt_depthwise_cpu(const void *args, const uint32_t *spec, uint32_t tile);
/* A tile is a part of the sum over the output positions (shaders/op/conv/depthwise.h). */
void gt_depthwise_weight_cpu(const void *args, const uint32_t *spec, uint32_t tile);
#endif

/* Depthwise convolutions (groups = channels). As GEMMs they would be many products with one column, so they
 * have kernels of their own (shaders/op/conv/depthwise.h). */
#ifndef GT_OP_CONV_DEPTHWISE_H
#define GT_OP_CONV_DEPTHWISE_H
#include "op/matmul/patches.h"
#include "step/lowering.h"

/* True if each group has one input and one output channel, and the kernels support the sizes. out: output
 * channels. */
bool gt_depthwise_fits(const gt_patches *patches, uint32_t out);
/* Emits the convolution. The leader's first input is the images, the second the weights. positions: number of
 * output positions in all images. */
void gt_depthwise_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                        uint32_t positions);
/* Emits the gradient of the weights. The leader's first input is the gradient of the convolution's result,
 * the second the images. */
void gt_depthwise_weight_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                               uint32_t positions);
#endif

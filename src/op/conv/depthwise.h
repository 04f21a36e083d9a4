/* Depthwise convolutions (groups = channels). As GEMMs they would be many products with one column, so they
 * have kernels of their own (shaders/op/conv/depthwise.h). */
#ifndef GT_OP_CONV_DEPTHWISE_H
#define GT_OP_CONV_DEPTHWISE_H
#include "op/matmul/patches.h"
#include "step/lowering.h"

/* True if groups have one input and one output channel, and the sizes are supported by the kernels. */
bool gt_depthwise_fits(const gt_patches *patches, uint32_t out);
/* The first input of the leader is the images, the second the weights. lines: positions of all images. */
void gt_depthwise_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                        uint32_t lines);
/* The gradient of the weights: the first input is the gradient of the value, the second the images. */
void gt_depthwise_weight_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                               uint32_t lines);
#endif

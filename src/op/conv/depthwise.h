/* Convolutions of as many groups as channels, which as products would be many of one column: their own
 * kernels (shaders/op/conv/depthwise.h). */
#ifndef GT_OP_CONV_DEPTHWISE_H
#define GT_OP_CONV_DEPTHWISE_H
#include "op/matmul/patches.h"
#include "step/lowering.h"

/* One channel to a group on both sides, and what the kernels can do. */
bool gt_depthwise_fits(const gt_patches *patches, uint32_t out);
/* The leader's first input is the images, its second the weights. lines: of all images. */
void gt_depthwise_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                        uint32_t lines);
/* The gradient of the weights: the first input is that of the value, the second the images. */
void gt_depthwise_weight_lower(gt_lowering *lowering, const gt_group *group, const gt_patches *patches,
                               uint32_t lines);
#endif

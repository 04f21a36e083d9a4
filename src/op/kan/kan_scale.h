/* Scales of the coefficients of a KAN layer (kan_scale.c), for the other files of this folder. */
#ifndef GT_OP_KAN_SCALE_OP_H
#define GT_OP_KAN_SCALE_OP_H
#include "op/kan/kan.h"
#include "step/lowering.h"

/* Number of scales per edge. 1: [inputs, outputs]; 2, the second for the base: [blocks, 2, block, outputs];
 * 0: the shape is neither. */
uint32_t gt_kan_scale_parts(gt_shape scales, int64_t inputs, int64_t outputs,
                            const gt_kan_attribute *attribute);
/* Emits a step that stores coefficients times scales in scratch memory. Returns that memory. */
uint32_t gt_kan_lower_scaled(gt_lowering *lowering, gt_id coefficients, gt_id scales,
                             const gt_kan_attribute *attribute);
#endif

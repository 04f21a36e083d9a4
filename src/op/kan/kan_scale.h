/* Factors on the coefficients of a KAN layer (kan_scale.c), as far as the layer's ops need them. */
#ifndef GT_OP_KAN_SCALE_OP_H
#define GT_OP_KAN_SCALE_OP_H
#include "op/kan/kan.h"
#include "step/lowering.h"

/* Of [inputs, outputs] edges: 1: scales has one for each; 2: and behind those of a block one for each base;
 * 0: it has another shape. */
uint32_t gt_kan_scale_parts(gt_shape scales, int64_t inputs, int64_t outputs,
                            const gt_kan_attribute *attribute);
/* Emits a step that makes coefficients times scales in scratch memory, which is returned. */
uint32_t gt_kan_lower_scaled(gt_lowering *lowering, gt_id coefficients, gt_id scales,
                             const gt_kan_attribute *attribute);
#endif

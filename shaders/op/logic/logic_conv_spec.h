/* Specialization constants of convolutions with trees of logic gates, for floats and for bits. Shared by C
 * and GLSL. FIELD, POOL and STRIDE are those of gt_logic_conv_attribute; CHANNELS: of the image; KERNELS:
 * number of trees; COLUMNS: of the result. The kernels for floats also have the constants of
 * op/logic/logic_spec.h. */
#ifndef GT_LOGIC_CONV_SPEC_H
#define GT_LOGIC_CONV_SPEC_H
#include "op/logic/logic_spec.h"
#define GT_CONV_SPEC_DEPTH    3 /* of a tree: it has 2^depth leaves */
#define GT_CONV_SPEC_FIELD    9
#define GT_CONV_SPEC_POOL     10
#define GT_CONV_SPEC_STRIDE   11
#define GT_CONV_SPEC_CHANNELS 12
#define GT_CONV_SPEC_KERNELS  13
#define GT_CONV_SPEC_COLUMNS  14
/* logic_conv_gradient. 1: loads leaves and gates twice, for devices whose registers cannot hold the leaves of
 * two trees and all gates at once. */
#define GT_CONV_SPEC_RECALL 16
#endif

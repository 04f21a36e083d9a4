/* Specialization constants of trees of gates over an image, for numbers and for bits; shared by C and GLSL.
 * FIELD, POOL and STRIDE are those of gt_logic_conv_attribute; CHANNELS: of the image; KERNELS: number of
 * trees; COLUMNS: of the result. The kernels for numbers also have the constants of op/logic/logic_spec.h. */
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
#define GT_CONV_SPEC_RECALL \
  16 /* logic_conv_gradient. 1: the registers cannot hold two trees and their gates at once */
#endif

/* Specialization constants of trees of gates over an image, for numbers and for bits; shared by C and GLSL.
 * The kernels for numbers also have those of op/logic/logic_spec.h. */
#ifndef GT_LOGIC_CONV_SPEC_H
#define GT_LOGIC_CONV_SPEC_H
#include "op/logic/logic_spec.h"
#define GT_CONV_SPEC_DEPTH    3
#define GT_CONV_SPEC_FIELD    9
#define GT_CONV_SPEC_POOL     10
#define GT_CONV_SPEC_STRIDE   11
#define GT_CONV_SPEC_CHANNELS 12
#define GT_CONV_SPEC_KERNELS  13
#define GT_CONV_SPEC_COLUMNS  14
#define GT_CONV_SPEC_RECALL \
  16 /* logic_conv_gradient. 1: the registers cannot hold two trees and their gates at once */
#endif

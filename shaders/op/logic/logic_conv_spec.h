/* Specialization constants of trees of gates over an image, on numbers and on bits; shared by C and GLSL.
 * Those on numbers have others of op/logic/logic_spec.h besides. */
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
  16 /* logic_conv_gradient. 1: two trees and their gates at once are too much for the registers */
#endif

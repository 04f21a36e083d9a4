/* Specialization constants of kernels that multiply coefficients by the factors of their edges. */
#ifndef GT_OP_KAN_SCALE_SPEC_H
#define GT_OP_KAN_SCALE_SPEC_H
#include "lib/args.h"
#define GT_KAN_SCALE_SPEC_QUADS  3 /* 1: outputs is a multiple of 4 */
#define GT_KAN_SCALE_SPEC_SHARES 4 /* of the functions, each an invocation's: they divide the workgroup */
#define GT_KAN_SCALE_SPEC_TERMS  5 /* functions, without the base */
#define GT_KAN_SCALE_SPEC_BASE   6
#define GT_KAN_SCALE_SPEC_BLOCK  7
#define GT_KAN_SCALE_SPEC_PARTS  8
#define GT_KAN_SCALE_SPEC_THERE  9 /* 1: dc does lie where w does */
#endif

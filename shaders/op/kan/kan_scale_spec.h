/* Specialization constants of the kernels for a KAN's coefficients with factors (op/kan/basis.h). */
#ifndef GT_OP_KAN_SCALE_SPEC_H
#define GT_OP_KAN_SCALE_SPEC_H
#include "lib/args.h"
#define GT_KAN_SCALE_SPEC_QUADS  3 /* 1: outputs is a multiple of 4 */
#define GT_KAN_SCALE_SPEC_SHARES 4 /* invocations that share an edge's functions; divides the workgroup */
#define GT_KAN_SCALE_SPEC_TERMS  5 /* functions, without the base */
#define GT_KAN_SCALE_SPEC_BASE   6 /* 1: there is a base */
#define GT_KAN_SCALE_SPEC_BLOCK  7 /* inputs per block */
#define GT_KAN_SCALE_SPEC_PARTS  8 /* factors per edge: 1 or 2 */
#define GT_KAN_SCALE_SPEC_THERE  9 /* 1: dc uses the memory of w */
#endif

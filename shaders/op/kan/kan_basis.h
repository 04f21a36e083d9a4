/* The factor of op/kan/basis.h as a tensor: y[lines, length], of x [lines, inputs] and what lies behind its
 * lines. The specialization constants are those of a basis. */
#ifndef GT_OP_KAN_BASIS_ARGS_H
#define GT_OP_KAN_BASIS_ARGS_H
#include "lib/args.h"
#include "op/kan/basis.h"
#define GT_KAN_BASIS_SPEC_QUADS 3 /* 1: a line's length is a multiple of 4 */
GT_ARGS(gt_kan_basis_args) {
  GT_FLOATS x, y;
  GT_WORDS geometry;
  uint lines, length;
};
#endif

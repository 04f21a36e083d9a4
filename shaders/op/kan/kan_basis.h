/* Writes the operand of op/kan/basis.h as a tensor: y [lines, length] from x [lines, inputs] and the numbers
 * that follow x. The kernel also has the specialization constants of op/kan/basis.h. */
#ifndef GT_OP_KAN_BASIS_ARGS_H
#define GT_OP_KAN_BASIS_ARGS_H
#include "lib/args.h"
#include "op/kan/basis.h"
#define GT_KAN_BASIS_SPEC_QUADS 3 /* 1: `length` is a multiple of 4 */
GT_ARGS(gt_kan_basis_args) {
  GT_FLOATS x, y;
  GT_WORDS geometry;
  uint lines, length;
};
#endif

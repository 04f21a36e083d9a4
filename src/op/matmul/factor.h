/* CPU loaders of GEMM operands, by kind (shaders/op/matmul/factor.h). */
#ifndef GT_OP_MATMUL_FACTOR_H
#define GT_OP_MATMUL_FACTOR_H
#include "op/matmul/matmul_tile.h"
#include "shaders/op/matmul/factor.h"

/* Computes elements of an operand: gt_factor.make in matmul_tile.h. */
typedef void gt_factor_maker(const gt_factor *factor, uint32_t line, uint32_t lines, uint32_t position,
                             uint32_t positions, float *to, size_t step);
extern gt_factor_maker *const gt_factor_makers[GT_FACTORS]; /* NULL: elements are read from memory */
extern const char *const gt_factor_names[GT_FACTORS];
#endif

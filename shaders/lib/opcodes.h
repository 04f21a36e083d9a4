/* The instructions of elementwise programs (step/program.h) and the encoding of a program. Shared by C and
 * GLSL. */
#ifndef GT_OPCODES_H
#define GT_OPCODES_H
#include "lib/spec.h"

/* clang-format off */
/* An instruction is a row X(opcode, NAME, name, inputs, slope, formula, loop, float_value, glsl_value, real_value):
 *   inputs       number of inputs of the op `name`; 0: it has an attribute, and its row and builder are written by hand
 *   slope        SLOPE: gt_gradient_name computes its gradient; FLAT: it has no gradient
 *   formula      CALLED: formulas may call it by `name`; INNER: they may not
 *   loop         how the CPU evaluates it. SIMPLE: few operations per element; FUNCTION: many; GUARDED: as FUNCTION if
 *                gt_name_simple is true for the operands, otherwise by calling gt_name_slow
 *   float_value  the value for operands a, b, c: in C, without branches or library calls
 *   glsl_value   the same in GLSL, of type V (float or vec4)
 *   real_value   the exact value, in C's double
 * A row generates GT_I_NAME, the op and its builder gt_name (op/elementwise), the entry in the functions of formulas
 * (base/formula), the cases that evaluate it (step/program.c, lib/program.glsl), and the tests that compare these with
 * real_value. Written by hand: the functions that the values call (step/math.h, lib/math.glsl), the gradient
 * (op/elementwise_gradient.c) and the op cases (tests/op/elementwise.c). */
#define GT_INSTRUCTIONS(X) \
  X(0, MOVE, stop_gradient, 1, FLAT, INNER, SIMPLE, a, a, a) \
  X(1, ADD, add, 2, SLOPE, CALLED, SIMPLE, a + b, a + b, a + b) \
  X(2, SUB, sub, 2, SLOPE, CALLED, SIMPLE, a - b, a - b, a - b) \
  X(3, MUL, mul, 2, SLOPE, CALLED, SIMPLE, a * b, a * b, a * b) \
  X(4, DIV, div, 2, SLOPE, CALLED, SIMPLE, a / b, a / b, a / b) \
  X(5, MAX, max, 2, SLOPE, CALLED, SIMPLE, gt_pick((a > b) | (a != a), a, b), gt_max(a, b), a > b || a != a ? a : b) \
  X(6, MIN, min, 2, SLOPE, CALLED, SIMPLE, gt_pick((a < b) | (a != a), a, b), gt_min(a, b), a < b || a != a ? a : b) \
  X(7, MOD, mod, 2, SLOPE, CALLED, GUARDED, gt_floor_modf(a, b), gt_mod(a, b), gt_real_mod(a, b)) \
  X(8, LESS, less, 2, FLAT, CALLED, SIMPLE, gt_pick(a < b, 1.0f, 0.0f), V(GT_LESS(a, b)), a < b) \
  X(9, POW, pow, 2, SLOPE, CALLED, FUNCTION, gt_powf(a, b), gt_pow(a, b), pow(a, b)) \
  X(10, NEG, neg, 1, SLOPE, CALLED, SIMPLE, -a, -a, -a) \
  X(11, EXP, exp, 1, SLOPE, CALLED, FUNCTION, gt_expf(a), gt_exp(a), exp(a)) \
  X(12, LOG, log, 1, SLOPE, CALLED, FUNCTION, gt_logf(a), gt_log(a), log(a)) \
  X(13, EXP2, exp2, 1, SLOPE, CALLED, FUNCTION, gt_exp2f(a), gt_exp2(a), exp2(a)) \
  X(14, LOG2, log2, 1, SLOPE, CALLED, FUNCTION, gt_log2f(a), gt_log2(a), log2(a)) \
  X(15, SIN, sin, 1, SLOPE, CALLED, GUARDED, gt_sinf(a), gt_sin(a), sin(a)) \
  X(16, COS, cos, 1, SLOPE, CALLED, GUARDED, gt_cosf(a), gt_cos(a), cos(a)) \
  X(17, SQRT, sqrt, 1, SLOPE, CALLED, SIMPLE, sqrtf(a), sqrt(a), sqrt(a)) \
  X(18, RECIPROCAL, reciprocal, 1, SLOPE, CALLED, SIMPLE, 1.0f / a, 1.0 / a, 1 / a) \
  X(19, ABS, abs, 1, SLOPE, CALLED, SIMPLE, gt_absf(a), abs(a), fabs(a)) \
  X(20, RELU, relu, 1, SLOPE, CALLED, SIMPLE, gt_pick(a <= 0.0f, 0.0f, a), gt_relu(a), a <= 0 ? 0 : a) \
  X(21, SIGMOID, sigmoid, 1, SLOPE, CALLED, FUNCTION, gt_sigmoidf(a), gt_sigmoid(a), gt_real_sigmoid(a)) \
  X(22, TANH, tanh, 1, SLOPE, CALLED, FUNCTION, gt_tanhf(a), gt_tanh(a), tanh(a)) \
  X(23, ERF, erf, 1, SLOPE, CALLED, FUNCTION, gt_erff(a), gt_erf(a), erf(a)) \
  X(24, GELU, gelu, 1, SLOPE, CALLED, FUNCTION, gt_geluf(a), gt_gelu(a), a * (0.5 * erfc(a * -0.70710678118654752440))) \
  X(25, SILU, silu, 1, SLOPE, CALLED, FUNCTION, a * gt_sigmoidf(a), a * gt_sigmoid(a), a * gt_real_sigmoid(a)) \
  X(26, SOFTPLUS, softplus, 1, SLOPE, CALLED, FUNCTION, gt_softplusf(a), \
    gt_softplus(a), fmax(a, 0) + log1p(exp(-fabs(a)))) \
  X(27, LEAKY_RELU, leaky_relu, 0, SLOPE, INNER, SIMPLE, a * gt_pick(a < 0.0f, b, 1.0f), \
    mix(a, a * b, GT_LESS(a, 0.0)), a < 0 ? a * b : a) \
  X(28, IS_FINITE, is_finite, 1, FLAT, INNER, SIMPLE, gt_pick((gt_bits(a) & 0x7f800000u) != 0x7f800000u, 1.0f, 0.0f), \
    V(gt_finite(a)), isfinite(a)) \
  X(29, SIGN, sign, 1, FLAT, CALLED, SIMPLE, gt_pick(a > 0.0f, 1.0f, gt_pick(a < 0.0f, -1.0f, 0.0f)), \
    sign(a), (a > 0) - (a < 0)) \
  X(30, WHERE, where, 3, SLOPE, INNER, SIMPLE, gt_pick(a != 0.0f, b, c), \
    mix(b, c, GT_EQUAL(a, V(0.0))), a != 0 ? b : c) \
  X(33, EQUAL, equal, 2, FLAT, INNER, SIMPLE, gt_pick(a == b, 1.0f, 0.0f), V(GT_EQUAL(a, b)), a == b) \
  X(34, ATAN, atan, 1, SLOPE, CALLED, FUNCTION, gt_atanf(a), gt_atan(a), atan(a))
/* clang-format on */

/* Instructions whose result does not depend only on their operands. */
#define GT_I_RANDOM   31 /* uniform in [0, 1); a: an immediate whose bits are the purpose */
#define GT_I_CONSTANT 32 /* graph only: never in a program (an immediate instead) */
/* For row programs (op/rows.h): operand a, reduced along the row; the result is available to the whole row.
 * Field b is not an operand but the number of the reduction in the program. */
#define GT_I_ROW_SUM 35
#define GT_I_ROW_MAX 36
#define GT_I_ROW_MIN 37

#ifndef GL_core_profile
#define GT_OPCODE(opcode, NAME, ...) GT_I_##NAME = opcode,
enum { GT_INSTRUCTIONS(GT_OPCODE) };
#undef GT_OPCODE
#endif

/* Limits of a program. */
#define GT_PROGRAM_CODE       32
#define GT_PROGRAM_IMMEDIATES 16
#define GT_PROGRAM_INPUTS     8
#define GT_PROGRAM_OUTPUTS    4
#define GT_PROGRAM_REDUCTIONS 4 /* of a row program */

/* Operand codes: 0..7 inputs, 8..23 immediates, 31 the leader's value (for an epilogue: the value that its
 * kernel has computed, such as a GEMM), 32..63 results of instructions 0..31. An instruction is opcode | a <<
 * 8 | b << 16 | c << 24. */
#define GT_OPERAND_IMMEDIATE 8
#define GT_OPERAND_LEADER    31
#define GT_OPERAND_RESULT    32

/* Which element of input x is read for element i of the iteration space, which is row-major with rows of
 * `row_length` elements. */
#define GT_LOAD_SAME    0 /* x[i] */
#define GT_LOAD_SCALAR  1 /* x[0] */
#define GT_LOAD_ROW     2 /* x[i % row_length]: one value per column, such as a bias */
#define GT_LOAD_COLUMN  3 /* x[i / row_length]: one value per row */
#define GT_LOAD_GENERAL 4 /* strides in layout_: words {rank, dim[8], stride[input][8]} */
/* Element i is a pixel of an image with `columns` pixels per line and `row_length` channels per pixel,
 * divided into adjacent windows of height × width pixels; `window` is the index of the window that contains
 * it. Positions in a window are row-major. */
#define GT_LOAD_SPREAD                           5 /* x[window] */
#define GT_LOAD_CHOICE                           6 /* 1 if byte x[window] is i's position in the window; else 0 */
#define GT_LOAD_OF(mode, height, width, columns) ((mode) | (height) << 3 | (width) << 11 | (columns) << 19)
#define GT_LOAD_MODE(load)                       ((load)&7u)
#define GT_LOAD_HEIGHT(load)                     ((load) >> 3 & 255u)
#define GT_LOAD_WIDTH(load)                      ((load) >> 11 & 255u)
#define GT_LOAD_COLUMNS(load)                    ((load) >> 19)

/* Specialization constants of every kernel that contains a program. */
#define GT_SPEC_CODE_COUNT   32
#define GT_SPEC_CODE         33 /* ..64 */
#define GT_SPEC_IMMEDIATE    65 /* ..80, float bits */
#define GT_SPEC_LOAD         81 /* ..88 */
#define GT_SPEC_INPUT_COUNT  89
#define GT_SPEC_OUTPUT_COUNT 90
#define GT_SPEC_OUTPUT       91 /* ..94: operand codes */
#define GT_SPEC_COUNT        96 /* number of ids; the last one is GT_SPEC_CHECKED */
/* Lower ids are the kernel's own constants (tile sizes, modes), except those of lib/spec.h. */
#endif

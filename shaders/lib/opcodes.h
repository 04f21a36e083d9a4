/* Instructions of an elementwise program (step/program.h), shared by C and GLSL. */
#ifndef GT_OPCODES_H
#define GT_OPCODES_H
#define GT_I_MOVE       0 /* a */
#define GT_I_ADD        1
#define GT_I_SUB        2
#define GT_I_MUL        3
#define GT_I_DIV        4
#define GT_I_MAX        5
#define GT_I_MIN        6
#define GT_I_MOD        7
#define GT_I_LESS       8
#define GT_I_POW        9
#define GT_I_NEG        10
#define GT_I_EXP        11
#define GT_I_LOG        12
#define GT_I_EXP2       13
#define GT_I_LOG2       14
#define GT_I_SIN        15
#define GT_I_COS        16
#define GT_I_SQRT       17
#define GT_I_RECIPROCAL 18
#define GT_I_ABS        19
#define GT_I_RELU       20
#define GT_I_SIGMOID    21
#define GT_I_TANH       22
#define GT_I_ERF        23
#define GT_I_GELU       24
#define GT_I_SILU       25
#define GT_I_SOFTPLUS   26
#define GT_I_LEAKY_RELU 27 /* a, slope b */
#define GT_I_IS_FINITE  28
#define GT_I_SIGN       29
#define GT_I_WHERE      30 /* a != 0 ? b : c */
#define GT_I_RANDOM     31 /* uniform [0,1) of this element; a: immediate whose bits are the purpose */
#define GT_I_CONSTANT   32 /* graph only: never in a program (an immediate instead) */
#define GT_I_EQUAL      33 /* 1.0 or 0.0 */

/* Limits of a program. */
#define GT_PROGRAM_CODE       32
#define GT_PROGRAM_IMMEDIATES 16
#define GT_PROGRAM_INPUTS     8
#define GT_PROGRAM_OUTPUTS    4

/* Operand codes: 0..7 inputs, 8..23 immediates, 31 the leader's value (the product a matmul epilogue works
 * on), 32..63 results of instructions 0..31. An instruction is opcode | a << 8 | b << 16 | c << 24. */
#define GT_OPERAND_IMMEDIATE 8
#define GT_OPERAND_LEADER    31
#define GT_OPERAND_RESULT    32

/* How input k is read for logical element i of the iteration space (row-major), given `row` = length of a
 * row. */
#define GT_LOAD_SAME    0 /* x[i] */
#define GT_LOAD_SCALAR  1 /* x[0] */
#define GT_LOAD_ROW     2 /* x[i % row]: one value per column, such as a bias */
#define GT_LOAD_COLUMN  3 /* x[i / row]: one value per row */
#define GT_LOAD_GENERAL 4 /* by layout: words {rank, dim[8], stride[input][8]} */

/* Specialization constants of every kernel that holds a program. */
#define GT_SPEC_CODE_COUNT   32
#define GT_SPEC_CODE         33 /* ..64 */
#define GT_SPEC_IMMEDIATE    65 /* ..80, float bits */
#define GT_SPEC_LOAD         81 /* ..88 */
#define GT_SPEC_INPUT_COUNT  89
#define GT_SPEC_OUTPUT_COUNT 90
#define GT_SPEC_OUTPUT       91 /* ..94: operand codes */
#define GT_SPEC_COUNT        95
/* 0..15: the kernel's own (tile sizes, modes); 0, 1, 2 are always the workgroup size x, y, z. */
#define GT_SPEC_LOCAL_X 0
#define GT_SPEC_LOCAL_Y 1
#define GT_SPEC_LOCAL_Z 2
#endif

/* gt_program: a straight-line sequence of elementwise instructions, the common form of a fused elementwise
 * group, a GEMM epilogue and a reduction's prologue. Encoding and limits: shaders/lib/opcodes.h. On a device
 * the program is passed as specialization constants, so the driver compiles it into straight-line code; the
 * CPU evaluates it a block of elements at a time, with one loop per instruction or pair (step/arrange.h). */
#ifndef GT_STEP_PROGRAM_H
#define GT_STEP_PROGRAM_H
#include "lib/opcodes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gt_program {
  uint32_t instructions, immediates, inputs, outputs; /* number of valid elements of the arrays below */
  uint32_t code[GT_PROGRAM_CODE];                     /* GT_CODE(…) */
  float immediate[GT_PROGRAM_IMMEDIATES];             /* constants */
  uint32_t load[GT_PROGRAM_INPUTS];                   /* how each input is read: GT_LOAD_… */
  uint32_t output[GT_PROGRAM_OUTPUTS];                /* the operand that is written to each output */
} gt_program;

#define GT_CODE(op, a, b, c) ((uint32_t)(op) | (uint32_t)(a) << 8 | (uint32_t)(b) << 16 | (uint32_t)(c) << 24)

enum { GT_CODE_OPERANDS = 3 }; /* a, b and c of an instruction */
static inline uint32_t gt_code_opcode(uint32_t code) { return code & 255; }
static inline uint32_t gt_code_operand(uint32_t code, int i) { return code >> 8 * (i + 1) & 255; }

/* Converts to and from the specialization constants GT_SPEC_CODE_COUNT … GT_SPEC_COUNT-1 of a step. */
void gt_program_to_spec(const gt_program *program, uint32_t spec[GT_SPEC_COUNT]);
void gt_program_from_spec(const uint32_t spec[GT_SPEC_COUNT], gt_program *program);

/* True if the program does nothing: its output is the leader's value. */
bool gt_program_is_plain(const gt_program *program);
/* True if the device kernel is compiled for whole vec4s only: `count` elements are many and divide into
 * vec4s, and so do rows if inputs are read by row or column. Few elements always use the kernel for any
 * count: vec4s gain nothing, and a program that also runs with other counts would be compiled twice. */
bool gt_program_is_vec4(const gt_program *program, uint64_t count, uint32_t row_length);

/* What a CPU kernel needs to evaluate a program. */
typedef struct gt_program_context {
  const gt_program *program;
  const float *x[GT_PROGRAM_INPUTS]; /* the inputs */
  const uint32_t *clock;             /* for GT_I_RANDOM: step and 64-bit seed; otherwise NULL */
  const uint32_t *layout;            /* for GT_LOAD_GENERAL; otherwise NULL */
  uint32_t row_length;               /* elements per row of the iteration space */
} gt_program_context;

enum { GT_PROGRAM_BLOCK = 256 };
/* Evaluates logical elements first … first+n-1, in blocks of GT_PROGRAM_BLOCK; one call for a longer range
 * saves setup. leader: the leader's values of these elements, or NULL. out[k] has room for n floats, the
 * values of output k; it may be the same array as `leader`, or as an input that is read with GT_LOAD_SAME. */
void gt_program_evaluate(const gt_program_context *context, uint32_t first, uint32_t n, const float *leader,
                         float *const *out);
/* The same for a part of a matrix: n elements of each of `rows` rows. The rows begin `apart` elements apart
 * in the iteration space and in out[k], and `ld` apart in `leader`, which must not be an output. */
void gt_program_evaluate_rows(const gt_program_context *context, uint32_t first, uint32_t apart,
                              uint32_t rows, uint32_t n, const float *leader, size_t ld, float *const *out);
/* Evaluates the n elements first, first + stride, … of a program with one output; for column reductions. */
void gt_program_gather(const gt_program_context *context, uint32_t first, uint32_t stride, uint32_t n,
                       float *out);
/* One instruction on one element in double: the reference for tests and constant folding. */
double gt_instruction_reference(uint32_t opcode, double a, double b, double c);
#endif

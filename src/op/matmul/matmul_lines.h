/* Shared by the engines OUTER and SLOPES, in which each invocation has one input of a KAN layer and loops
 * over lines, the rows of the batch (shaders/op/matmul/lines.h). */
#ifndef GT_OP_MATMUL_LINES_H
#define GT_OP_MATMUL_LINES_H
#include "op/matmul/matmul_config.h"

typedef struct gt_matmul_lines {       /* work of a workgroup */
  uint32_t inputs, functions, outputs; /* functions of each input */
  uint32_t planes;                     /* 2 if the last function reads inputs of its own, else 1 */
  uint32_t instructions;               /* to compute a function value */
} gt_matmul_lines;

enum {
  GT_LINES_THREADS = 256,
  GT_LINES_MOST_INPUTS = 32, /* inputs of a workgroup: 8, 16 or 32 */
  GT_LINES_MOST_FUNCTIONS = 32,
  GT_LINES_REGISTERS = 96,   /* most sums or coefficients of an invocation */
  GT_LINES_FETCHED = 48,     /* elements that an invocation loads before it stores them to shared memory */
  GT_LINES_BYTES = 40 << 10, /* most shared memory of a workgroup */
  /* Instructions to compute a function value: */
  GT_LINES_LIGHT = 10, /* simple functions */
  GT_LINES_HEAVY = 16, /* most functions */
  GT_LINES_PLACED = 60 /* functions with parameters for each input (knots, or centre and scale) */
};
/* Bytes of shared memory that a workgroup may use. */
uint32_t gt_matmul_lines_room(const gt_target *target);
/* How many of `lines` lines are staged at a time, in even shares, in `room` bytes of shared memory. more:
 * bytes of a line in addition to its inputs and outputs. 0: not even one fits. */
uint32_t gt_matmul_lines_staged(const gt_matmul_lines *work, uint32_t lines, uint32_t room, uint32_t more);
/* Cycles of a multiprocessor to stage this many lines and to loop over them. */
double gt_matmul_lines_cycles(const gt_matmul_lines *work, double lines);
#endif

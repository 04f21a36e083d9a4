/* What the engines have in common whose invocations have an input each and go through lines
 * (shaders/op/matmul/lines.h). */
#ifndef GT_OP_MATMUL_LINES_H
#define GT_OP_MATMUL_LINES_H
#include "op/matmul/matmul_config.h"

typedef struct gt_matmul_lines { /* what a workgroup has */
  uint32_t inputs, functions, outputs;
  uint32_t planes; /* 2: the last of the functions reads inputs of its own, else 1 */
  uint32_t made;   /* instructions for a value of a function */
} gt_matmul_lines;

enum {
  GT_LINES_THREADS = 256,
  GT_LINES_MOST_INPUTS = 32, /* 8, 16 or so many */
  GT_LINES_MOST_FUNCTIONS = 32,
  GT_LINES_REGISTERS = 96, /* sums or coefficients of an invocation, at most */
  GT_LINES_FETCHED = 48,   /* elements that it asks for at once */
  GT_LINES_BYTES = 40 << 10,
  /* Instructions for a value: of few, of most functions, and where each input has numbers of its own. */
  GT_LINES_LIGHT = 10,
  GT_LINES_HEAVY = 16,
  GT_LINES_PLACED = 60
};
/* Bytes of shared memory that it takes. */
uint32_t gt_matmul_lines_room(const gt_target *target);
/* How many lines are staged of `lines`, in even shares, where one takes `more` bytes besides; 0: there is no
 * room. */
uint32_t gt_matmul_lines_staged(const gt_matmul_lines *have, uint32_t lines, uint32_t room, uint32_t more);
/* Cycles of a multiprocessor to stage so many lines and to go through them. */
double gt_matmul_lines_cycles(const gt_matmul_lines *have, double lines);
#endif

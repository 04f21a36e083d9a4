/* What makes a program (step/program.h) shorter before it is evaluated on the CPU, with the same bits. */
#ifndef GT_STEP_ARRANGE_H
#define GT_STEP_ARRANGE_H
#include "step/program.h"

/* Choices (GT_I_WHERE) by one value for all elements are made: what is not chosen is not computed. False, and
 * *decided is not written, if there are none, or if an output were no instruction's result then. */
bool gt_program_decide(const gt_program_context *context, gt_program *decided);

typedef struct gt_program_pairs {
  bool gone[GT_PROGRAM_CODE];    /* the instruction is the first of a pair, done with the second */
  uint8_t with[GT_PROGRAM_CODE]; /* the second of a pair: 1 + the first */
} gt_program_pairs;

/* Pairs (step/pairs.h) of an instruction and the only one that reads it. writes: an instruction's result may
 * overwrite inputs; nothing is delayed past such a one. */
void gt_program_find_pairs(const gt_program *program, const bool *writes, gt_program_pairs *pairs);
#endif

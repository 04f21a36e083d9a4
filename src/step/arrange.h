/* Shortens a program (step/program.h) before it is evaluated on the CPU; results have the same bits. */
#ifndef GT_STEP_ARRANGE_H
#define GT_STEP_ARRANGE_H
#include "step/program.h"

/* Folds selects (GT_I_WHERE) whose condition is the same value for all elements: the other branch is not
 * computed. False, without writing *folded, if there are none, or if an output would then not be an
 * instruction's result. */
bool gt_program_fold_selects(const gt_program_context *context, gt_program *folded);

typedef struct gt_program_pairs { /* per instruction */
  bool gone[GT_PROGRAM_CODE];     /* true for the first of a pair, which is computed with the second */
  uint8_t with[GT_PROGRAM_CODE];  /* for the second of a pair: 1 + the index of the first; otherwise 0 */
} gt_program_pairs;

/* Finds pairs (step/pairs.h) of an instruction and its only consumer. writes[i]: the result of instruction i
 * may overwrite an input of the program, so no instruction is moved past i. */
void gt_program_find_pairs(const gt_program *program, const bool *writes, gt_program_pairs *pairs);
#endif

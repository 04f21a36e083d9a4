/* Parts of the evaluation of a program (step/program.h) on the CPU: it is shortened first, its inputs are
 * loaded in blocks, and pairs of instructions are evaluated in one loop. Results have the same bits. */
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

/* Finds pairs (gt_pair) of an instruction and its only consumer. writes[i]: the result of instruction i
 * may overwrite an input of the program, so no instruction is moved past i. */
void gt_program_find_pairs(const gt_program *program, const bool *writes, gt_program_pairs *pairs);

/* --- inputs, a block of elements at a time (load.c) --- */

/* Pointer to input k of the n elements from `first` on: in memory if they are contiguous, otherwise copied to
 * `out`, which has room for n. */
const float *gt_program_load(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t n,
                             float *out);
/* out[i] = input k of element first + i * stride. */
void gt_program_load_strided(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t stride,
                             uint32_t n, float *out);

/* --- pairs (pairs.c) ---
 * Two instructions in one loop: the first result stays in a register instead of being written and read again.
 * Only instructions that cost less than this memory traffic have such loops. */

/* True if a loop exists for this pair of GT_I_… instructions. */
bool gt_pair_exists(uint32_t first, uint32_t second);
/* out[i] = second(v, c[i]), or second(c[i], v) if `right`, with v = first(a[i], b[i]), i < n. All pointers
 * must be valid arrays, even for operands that an instruction does not read. out may be one of them. */
void gt_pair(uint32_t first, uint32_t second, bool right, const float *a, const float *b, const float *c,
             float *out, uint32_t n);
#endif

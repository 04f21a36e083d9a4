/* Pairs: evaluates two instructions of a program (step/program.h) in one loop, so that the first result stays
 * in a register instead of being written and read again. The results have the same bits. Only instructions
 * that cost less than this memory traffic have such loops. */
#ifndef GT_STEP_PAIRS_H
#define GT_STEP_PAIRS_H
#include <stdbool.h>
#include <stdint.h>

/* True if a loop exists for this pair of GT_I_… instructions. */
bool gt_pair_exists(uint32_t first, uint32_t second);
/* out[i] = second(v, c[i]), or second(c[i], v) if `right`, with v = first(a[i], b[i]), i < n. All pointers
 * must be valid arrays, even for operands that an instruction does not read. out may be one of them. */
void gt_pair(uint32_t first, uint32_t second, bool right, const float *a, const float *b, const float *c,
             float *out, uint32_t n);
#endif

/* Two instructions of a program (step/program.h) in one loop: what the first comes to stays in a register,
 * where it would be written and read once more. The same bits. For those of few operations, which take less
 * time than that. */
#ifndef GT_STEP_PAIRS_H
#define GT_STEP_PAIRS_H
#include <stdbool.h>
#include <stdint.h>

/* True if there is such a loop, by GT_I_…. */
bool gt_pair_exists(uint32_t first, uint32_t second);
/* out[i] = second(v, c[i]), or second(c[i], v) if v is on the right, of v = first(a[i], b[i]), i < n; all are
 * arrays, those that an instruction does not read as well. out may be one of them. */
void gt_pair(uint32_t first, uint32_t second, bool right, const float *a, const float *b, const float *c,
             float *out, uint32_t n);
#endif

/* Loads the inputs of a program (step/program.h) on the CPU, a block of elements at a time. */
#ifndef GT_STEP_LOAD_H
#define GT_STEP_LOAD_H
#include "step/program.h"

/* Pointer to input k of the n elements from `first` on: in memory if they are contiguous, otherwise copied to
 * `out`, which has room for n. */
const float *gt_program_load(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t n,
                             float *out);
/* out[i] = input k of element first + i * stride. */
void gt_program_load_strided(const gt_program_context *context, uint32_t k, uint32_t first, uint32_t stride,
                             uint32_t n, float *out);
#endif

/* Rows of a resident dataset (op/batch.h). Own spec constants: 3 mode (0 U8 -> F32, 1 F32 -> F32, 2 I32 ->
 * I32, 3 weights), 4 sequential, 5 scaled. U8 data is read as packed words; the buffer is padded to 4 bytes.
 */
#include "lib/args.h"
GT_ARGS(gt_batch_args) {
  GT_ADDRESS data; /* indices into it may need more than 32 bits */
  GT_WORDS y, clock;
  GT_FLOATS scaling; /* [3][period]: center, scale, shift */
  uint batch, samples, features, period, steps, first_step, first_epoch;
};

/* Copies the rows of a batch from a dataset, or from a window of it (op/batch.h). U8 data is read as packed
 * words; the buffer is padded to 4 bytes. */
#include "lib/args.h"
#define GT_BATCH_SPEC_MODE   3
#define GT_BATCH_SPEC_ORDER  4
#define GT_BATCH_SPEC_SCALED 5
#define GT_BATCH_SPEC_ROWS   6 /* rows per workgroup */
#define GT_BATCH_SPEC_WHOLE  7 /* 1: rows are a multiple of 4 long */
/* Modes. */
#define GT_BATCH_U8     0 /* converted to float */
#define GT_BATCH_F32    1
#define GT_BATCH_I32    2
#define GT_BATCH_WEIGHT 3
/* Orders. */
#define GT_BATCH_SHUFFLED   0
#define GT_BATCH_SEQUENTIAL 1
#define GT_BATCH_WINDOW     2 /* rows are in the order of use, batch after batch, in a ring buffer */
GT_ARGS(gt_batch_args) {
  GT_ADDRESS data; /* indices into it may need more than 32 bits */
  GT_FLOATS
  x[4]; /* epilogue inputs: unused, as the op is early (gt_op), but lib/program.glsl needs the array */
  GT_FLOATS y[2];    /* epilogue outputs; in mode I32 the first is words */
  GT_WORDS clock;    /* the clock of the epilogue */
  GT_WORDS order;    /* the clock that gives the number of the batch */
  GT_FLOATS scaling; /* [3][period]: center, scale, shift */
  uint batch, samples, features, period, steps, first_step, first_epoch, window;
};

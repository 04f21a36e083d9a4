/* Rows of a dataset, or of a window of it (op/batch.h). U8 data is read as packed words; the buffer is padded
 * to 4 bytes. */
#include "lib/args.h"
#define GT_BATCH_SPEC_MODE   3
#define GT_BATCH_SPEC_ORDER  4
#define GT_BATCH_SPEC_SCALED 5
#define GT_BATCH_SPEC_ROWS   6 /* of a workgroup */
#define GT_BATCH_SPEC_WHOLE  7 /* rows are whole quads */
/* Modes. */
#define GT_BATCH_U8     0 /* to floats */
#define GT_BATCH_F32    1
#define GT_BATCH_I32    2
#define GT_BATCH_WEIGHT 3
/* Orders. */
#define GT_BATCH_SHUFFLED   0
#define GT_BATCH_SEQUENTIAL 1
#define GT_BATCH_WINDOW     2 /* the rows lie as they are wanted, batch after batch, in a ring */
GT_ARGS(gt_batch_args) {
  GT_ADDRESS data;   /* indices into it may need more than 32 bits */
  GT_FLOATS x[4];    /* epilogue inputs: none, as it is early (gt_op), but lib/program.glsl knows some */
  GT_FLOATS y[2];    /* epilogue outputs; or words, in the first */
  GT_WORDS clock;    /* the epilogue's */
  GT_WORDS order;    /* the clock that tells which batch it is */
  GT_FLOATS scaling; /* [3][period]: center, scale, shift */
  uint batch, samples, features, period, steps, first_step, first_epoch, window;
};

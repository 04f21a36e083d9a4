/* Copies the rows of a batch from a dataset, or from a window of it (src/op/batch.h). U8 data is read as
 * packed words; the buffer is padded to 4 bytes. */
#include "lib/args.h"
#include "op/batch_args.h"
#define GT_BATCH_SPEC_MODE   3 /* one of the modes below */
#define GT_BATCH_SPEC_ORDER  4 /* one of the orders in op/batch_args.h */
#define GT_BATCH_SPEC_SCALED 5 /* 1: there is a scaling */
#define GT_BATCH_SPEC_ROWS   6 /* rows per workgroup */
#define GT_BATCH_SPEC_WHOLE  7 /* 1: the row length is a multiple of 4 */
/* Modes. The first three are the element type of the data; U8 is converted to float. */
#define GT_BATCH_U8     0
#define GT_BATCH_F32    1
#define GT_BATCH_I32    2
#define GT_BATCH_WEIGHT 3 /* copies nothing: y = 0 for rows after the end of the data, otherwise 1 */
GT_ARGS(gt_batch_args) {
  GT_ADDRESS data; /* indices into it may need more than 32 bits */
  /* Unused, because the epilogue of an `early` op (gt_op) has no inputs; lib/program.glsl needs the array. */
  GT_FLOATS x[4];
  GT_FLOATS y[2];        /* epilogue outputs; in mode I32 the first has int32 elements */
  GT_WORDS clock;        /* seed and step for random instructions of the epilogue */
  GT_WORDS batch_clock;  /* state of the clock op; its step determines the batch */
  GT_FLOATS scaling;     /* [3, period]: center, scale, shift */
  GT_WORDS members;      /* the samples of each class, for GT_BATCH_BALANCED (src/op/batch.h) */
  uint features, period; /* values per sample; feature f is scaled with the values at f % period */
  GT_BATCH_ORDER_ARGS
};

/* The order in which batches use the samples (src/op/batch.h), shared by the kernels that need it. */
#ifndef GT_BATCH_ORDER_ARGS
#define GT_BATCH_SHUFFLED   0
#define GT_BATCH_SEQUENTIAL 1
#define GT_BATCH_WINDOW     2 /* rows are in the order of use, batch after batch, in a ring buffer */
#define GT_BATCH_BALANCED   3 /* a random class, then a random sample of it, for each row */
/* The last members of the argument struct of these kernels, as in gt_batch_attribute. The struct also has two
 * buffers: `batch_clock`, the state of the clock op, whose step determines the batch, and `members`, the
 * samples of each class. */
#define GT_BATCH_ORDER_ARGS uint batch, samples, steps, first_step, first_epoch, window, classes;
#endif

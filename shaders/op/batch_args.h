/* The order of the samples of a batch (src/op/batch.h), shared by the kernels that draw batches. */
#ifndef GT_BATCH_ORDER_ARGS
#define GT_BATCH_SHUFFLED   0
#define GT_BATCH_SEQUENTIAL 1
#define GT_BATCH_WINDOW     2 /* rows are in the order of use, batch after batch, in a ring buffer */
#define GT_BATCH_BALANCED   3 /* a random class, then a random sample of it, for each row */
/* The last members of such a kernel's argument struct. It also has the words `order`, the state of the clock
 * op, which gives the step, and so the batch, and `members`, of the classes. */
#define GT_BATCH_ORDER_ARGS uint batch, samples, steps, first_step, first_epoch, window, classes;
#endif

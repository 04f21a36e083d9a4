/* gt_feed: the samples of a split that does not lie on the device. They come through a window there, a ring
 * of batches that the batch op reads as they lie (op/batch.h): while the device works on some batches, a
 * thread gathers the rows of those to come, in the order of the epoch and in their stored type, and they are
 * copied beside the work. So a step sees what it would see if all samples lay there, bit for bit.
 *
 * Batches are counted as the clock counts them, and gathered and copied a chunk of them at a time. A chunk's
 * place in the ring is taken again when the replays that read it are done. Owner: the session, which closes
 * it before its buffers. */
#ifndef GT_TRAIN_FEED_H
#define GT_TRAIN_FEED_H
#include "data/data.h"
#include "op/batch.h"
#include "store/buffers.h"

typedef struct gt_feed gt_feed;

typedef struct gt_feed_tensor {
  const gt_tensor *tensor; /* the whole split's */
  const char *variable;    /* of its window */
} gt_feed_tensor;

typedef struct gt_feed_plan {
  gt_batch_attribute order; /* and the window */
  uint64_t seed;
  int tensors;
  gt_feed_tensor tensor[GT_DATA_MOST_INPUTS + 1];
} gt_feed_plan;

/* Batches of a chunk in a window of so many: as many as make four chunks, where there are as many. */
static inline int64_t gt_feed_chunk(int64_t window) { return window < 4 ? 1 : window / 4; }

/* threads: that gather. The window must be a whole number of chunks.
 * NULL on failure. */
gt_feed *gt_feed_open(gt_buffers *buffers, const gt_feed_plan *plan, int threads, gt_error *error);
void gt_feed_close(gt_feed *feed); /* accepts NULL; waits for what is being copied */
/* The clock has been set, or will be: the next replay reads batch `from`; none will read `end`. */
bool gt_feed_seek(gt_feed *feed, int64_t from, int64_t end, gt_error *error);
/* Queues so many replays, each of which reads the next batches, `each` of them: a chunk is a whole number of
 * such replays, and they began at one's begin. Waits where the ring is full. */
bool gt_feed_run(gt_feed *feed, gt_executable *executable, uint32_t times, uint32_t each, uint64_t *ticket,
                 gt_error *error);
#endif

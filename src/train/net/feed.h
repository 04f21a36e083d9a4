/* gt_feed: streams the samples of a split that is not resident on the device into a window, a ring of batches
 * that the batch op reads in order (op/batch.h). While the device works on some batches, a thread gathers the
 * rows of the next ones, in the order of the epoch and in their stored type, and they are copied
 * concurrently. A step reads the same values as if all samples were resident.
 *
 * Batches have the numbers of the clock; they are gathered and copied in chunks. A chunk's place in the ring
 * is reused after the replays that read it. Owner: the session, which closes it before its buffers. */
#ifndef GT_TRAIN_FEED_H
#define GT_TRAIN_FEED_H
#include "data/data.h"
#include "op/batch.h"
#include "store/buffers.h"

typedef struct gt_feed gt_feed;

typedef struct gt_feed_tensor {
  const gt_tensor *tensor; /* all samples of the split */
  const char *variable;    /* the variable of its window */
} gt_feed_tensor;

typedef struct gt_feed_plan {
  gt_batch_attribute order; /* order of the samples, batch size and window */
  const int32_t *members;   /* for the balanced order (op/batch.h), otherwise NULL; outlives the feed */
  uint64_t seed;
  int tensors;
  gt_feed_tensor tensor[GT_SPLIT_ITEMS];
} gt_feed_plan;

/* Batches per chunk for a window of this many batches: a quarter of the window, at least 1. */
static inline int64_t gt_feed_chunk(int64_t window) { return window < 4 ? 1 : window / 4; }

/* threads: number of threads that gather. The window must have 1, 2 or 3 batches, or a multiple of 4,
 * so that it has at most 4 chunks. NULL on errors. */
gt_feed *gt_feed_open(gt_buffers *buffers, const gt_feed_plan *plan, int threads, gt_error *error);
void gt_feed_close(gt_feed *feed); /* accepts NULL; waits for copies in progress */
/* Announces that the next replay reads batch `from`, and that no replay reads batch `end` or later. The
 * caller sets the clock. */
bool gt_feed_seek(gt_feed *feed, int64_t from, int64_t end, gt_error *error);
/* Queues `times` replays, each of which reads the next `each` batches. The batches of a chunk, and the
 * number of the next batch, must be multiples of `each`. Waits until the batches are in the window. */
bool gt_feed_run(gt_feed *feed, gt_executable *executable, uint32_t times, uint32_t each, uint64_t *ticket,
                 gt_error *error);
#endif

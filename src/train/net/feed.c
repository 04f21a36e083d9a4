#include "train/net/feed.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/pool.h"
#include <stdlib.h>
#include <string.h>

/* MAX_CHUNKS: of a ring; TILE_ROWS: rows that a thread gathers at a time; ALIGN: of the rings in the staging
 * buffer, in bytes. */
enum { MAX_CHUNKS = 4, TILE_ROWS = 32, ALIGN = 64 };

typedef struct ring {        /* the window of one tensor */
  gt_tensor tensor;          /* a copy of the struct, because the feed outlives the net that it comes from */
  uint64_t row_bytes, begin; /* begin: offset in the staging buffer */
  gt_buffer *window;
  uint8_t *rows; /* where the host writes rows: the staging buffer, or the window itself */
} ring;

struct gt_feed {
  gt_backend *backend;
  gt_batch_attribute order;
  const int32_t *members;
  uint64_t seed;
  int64_t chunk_batches, chunks; /* batches per chunk; chunks per ring */
  ring *ring;
  int rings;
  gt_buffer *staging; /* NULL if the host writes into the windows */

  /* For the caller's thread. Chunks are numbered consecutively; chunk c is at place c % chunks. */
  int64_t from, next, end;     /* first batch after seeking; next batch to be read; end of the batches */
  int64_t wanted, copied;      /* number of chunks requested so far, and copied to the window so far */
  uint64_t ticket[MAX_CHUNKS]; /* of the last replay that reads this place */
  uint64_t last;               /* ticket of the last replay */

  gt_pool *pool;
  pthread_t thread;
  bool started;
  pthread_mutex_t lock;
  pthread_cond_t request, done;
  int64_t requested, gathered; /* protected by the lock: number of chunks requested, and gathered */
  bool quit;                   /* protected by the lock */
};

/* --- gathering --- */

typedef struct gathering {
  const gt_feed *feed;
  int64_t first, rows; /* the first batch; the number of rows from there on */
} gathering;

/* Padding rows after the end of the data get sample 0, as on the device. */
static void copy_sample(const gt_feed *feed, uint32_t sample, int64_t to) {
  if (sample == GT_NONE) sample = 0;
  for (int t = 0; t < feed->rings; t++) {
    const ring *r = &feed->ring[t];
    memcpy(r->rows + (uint64_t)to * r->row_bytes, gt_tensor_sample(&r->tensor, sample), r->row_bytes);
  }
}

static void gather_tile(void *context, uint32_t tile) {
  const gathering *g = context;
  const gt_feed *feed = g->feed;
  const int64_t batch = feed->order.batch, window = feed->order.window;
  const int64_t end = gt_min_i64(g->rows, ((int64_t)tile + 1) * TILE_ROWS);
  uint32_t sample[TILE_ROWS];
  for (int64_t i = (int64_t)tile * TILE_ROWS, rows = 0; i < end; i += rows) {
    const int64_t number = g->first + i / batch, row = i % batch, to = number % window * batch + row;
    rows = gt_min_i64(end - i, batch - row);
    gt_batch_samples(&feed->order, feed->members, feed->seed, (uint32_t)number, (uint32_t)row, (uint32_t)rows,
                     sample);
    for (int64_t k = 0; k < rows; k++) copy_sample(feed, sample[k], to + k);
  }
}

/* The range of batches of a chunk that are read: from begin_of to end_of - 1. */
static int64_t begin_of(const gt_feed *feed, int64_t chunk) {
  return gt_max_i64(chunk * feed->chunk_batches, feed->from);
}
static int64_t end_of(const gt_feed *feed, int64_t chunk) {
  return gt_min_i64((chunk + 1) * feed->chunk_batches, feed->end);
}

static void gather(const gt_feed *feed, int64_t chunk) {
  gathering g = {.feed = feed, .first = begin_of(feed, chunk)};
  g.rows = (end_of(feed, chunk) - g.first) * feed->order.batch;
  gt_pool_run(feed->pool, (uint32_t)gt_ceil_div(g.rows, TILE_ROWS), gather_tile, &g);
}

static void *gather_main(void *argument) {
  gt_feed *feed = argument;
  pthread_mutex_lock(&feed->lock);
  while (!feed->quit) {
    const int64_t chunk = feed->gathered;
    if (chunk == feed->requested) {
      pthread_cond_wait(&feed->request, &feed->lock);
      continue;
    }
    pthread_mutex_unlock(&feed->lock);
    gather(feed, chunk);
    pthread_mutex_lock(&feed->lock);
    feed->gathered = chunk + 1;
    pthread_cond_signal(&feed->done);
  }
  pthread_mutex_unlock(&feed->lock);
  return NULL;
}

static void request(gt_feed *feed, int64_t chunks) {
  pthread_mutex_lock(&feed->lock);
  feed->requested = chunks;
  pthread_cond_signal(&feed->request);
  pthread_mutex_unlock(&feed->lock);
}

/* Waits until this many chunks are gathered; returns the current number. */
static int64_t wait_for(gt_feed *feed, int64_t chunks) {
  pthread_mutex_lock(&feed->lock);
  while (feed->gathered < chunks) pthread_cond_wait(&feed->done, &feed->lock);
  const int64_t gathered = feed->gathered;
  pthread_mutex_unlock(&feed->lock);
  return gathered;
}

/* --- opening --- */

static bool start_thread(gt_feed *feed, gt_error *error) {
  const int failed = gt_thread_start(&feed->thread, gather_main, feed);
  feed->started = !failed;
  return feed->started ||
         gt_fail(error, GT_ERR_MEMORY, "cannot start a thread for the data: %s", strerror(failed));
}

/* Opens the rings, and a staging buffer unless all windows can be mapped. */
static bool open_rings(gt_feed *feed, gt_buffers *buffers, const gt_feed_plan *plan, gt_error *error) {
  const gt_backend_api *api = feed->backend->api;
  uint64_t bytes = 0;
  bool mapped = true;
  for (int t = 0; t < plan->tensors; t++) {
    const gt_tensor *tensor = plan->tensor[t].tensor;
    ring *r = &feed->ring[t];
    r->tensor = *tensor;
    r->row_bytes = gt_tensor_sample_bytes(tensor);
    r->begin = bytes;
    r->window = gt_buffers_find(buffers, plan->tensor[t].variable)->buffer;
    r->rows = api->buffer_map(feed->backend, r->window);
    mapped = mapped && r->rows;
    bytes += gt_ceil_div((uint64_t)(feed->order.window * feed->order.batch) * r->row_bytes, ALIGN) * ALIGN;
  }
  if (mapped) return true;
  feed->staging = api->buffer_create(feed->backend, bytes, GT_BUFFER_HOST, error);
  if (!feed->staging) return false;
  uint8_t *staging = api->buffer_map(feed->backend, feed->staging);
  for (int t = 0; t < feed->rings; t++) feed->ring[t].rows = staging + feed->ring[t].begin;
  return true;
}

gt_feed *gt_feed_open(gt_buffers *buffers, const gt_feed_plan *plan, int threads, gt_error *error) {
  gt_feed *feed = gt_alloc(sizeof *feed);
  feed->backend = buffers->backend;
  feed->order = plan->order;
  feed->members = plan->members;
  feed->seed = plan->seed;
  feed->chunk_batches = gt_feed_chunk(plan->order.window);
  feed->chunks = plan->order.window / feed->chunk_batches;
  feed->rings = plan->tensors;
  feed->ring = gt_alloc((size_t)plan->tensors * sizeof *feed->ring);
  pthread_mutex_init(&feed->lock, NULL);
  pthread_cond_init(&feed->request, NULL);
  pthread_cond_init(&feed->done, NULL);
  if (open_rings(feed, buffers, plan, error)) {
    feed->pool = threads == 1 ? NULL : gt_pool_create(threads);
    if (start_thread(feed, error)) return feed;
  }
  gt_feed_close(feed);
  return NULL;
}

void gt_feed_close(gt_feed *feed) {
  gt_error ignored = {0};
  if (!feed) return;
  if (feed->started) {
    pthread_mutex_lock(&feed->lock);
    feed->quit = true;
    pthread_cond_signal(&feed->request);
    pthread_mutex_unlock(&feed->lock);
    pthread_join(feed->thread, NULL);
  }
  gt_pool_destroy(feed->pool);
  feed->backend->api->feed_wait(feed->backend, &ignored);
  feed->backend->api->buffer_destroy(feed->backend, feed->staging);
  pthread_cond_destroy(&feed->done);
  pthread_cond_destroy(&feed->request);
  pthread_mutex_destroy(&feed->lock);
  free(feed->ring);
  free(feed);
}

/* --- feeding --- */

/* Requests all chunks whose places are free, at least chunk `needed`; waits until its place is free. */
static bool request_ahead(gt_feed *feed, int64_t needed, gt_error *error) {
  const gt_backend_api *api = feed->backend->api;
  const int64_t before = feed->wanted;
  uint64_t completed;
  if (!api->completed(feed->backend, &completed, error)) return false;
  while (feed->wanted < needed + feed->chunks && feed->wanted * feed->chunk_batches < feed->end) {
    const uint64_t free_after = feed->ticket[feed->wanted % feed->chunks];
    if (free_after > completed) {
      if (feed->wanted > needed) break;
      if (!api->wait(feed->backend, free_after, error)) return false;
    }
    feed->wanted++;
  }
  if (feed->wanted > before) request(feed, feed->wanted);
  return true;
}

/* Copies the chunks up to number `end` - 1 to their places. */
static bool copy_chunks(gt_feed *feed, int64_t end, gt_error *error) {
  gt_copy copies[GT_SPLIT_ITEMS];
  for (; feed->copied < end; feed->copied++) {
    const int64_t first = begin_of(feed, feed->copied), batches = end_of(feed, feed->copied) - first;
    const uint64_t row = (uint64_t)(first % feed->order.window * feed->order.batch);
    for (int t = 0; t < feed->rings; t++) {
      const ring *r = &feed->ring[t];
      copies[t] = (gt_copy){.to = r->window,
                            .to_offset = row * r->row_bytes,
                            .from_offset = r->begin + row * r->row_bytes,
                            .size = (uint64_t)(batches * feed->order.batch) * r->row_bytes};
    }
    if (feed->staging && !feed->backend->api->feed(feed->backend, feed->staging, copies, feed->rings,
                                                   feed->ticket[feed->copied % feed->chunks], error))
      return false;
  }
  return true;
}

bool gt_feed_seek(gt_feed *feed, int64_t from, int64_t end, gt_error *error) {
  const gt_backend_api *api = feed->backend->api;
  const int64_t chunk = from / feed->chunk_batches;
  /* This range was announced before, and no batch of it has been read. */
  if (feed->from == from && feed->next == from && feed->end == end) return true;
  wait_for(feed, feed->wanted);
  if (!api->feed_wait(feed->backend, error) || (feed->last && !api->wait(feed->backend, feed->last, error)))
    return false;
  pthread_mutex_lock(&feed->lock);
  feed->from = feed->next = from;
  feed->end = end;
  feed->wanted = feed->copied = feed->gathered = feed->requested = chunk;
  pthread_mutex_unlock(&feed->lock);
  memset(feed->ticket, 0, sizeof feed->ticket);
  return request_ahead(feed, chunk, error);
}

bool gt_feed_run(gt_feed *feed, gt_executable *executable, uint32_t times, uint32_t each, uint64_t *ticket,
                 gt_error *error) {
  if (feed->end - feed->next < (int64_t)times * each)
    return gt_fail(error, GT_ERR_INTERNAL, "more batches are requested than were announced");
  while (times) {
    const int64_t chunk = feed->next / feed->chunk_batches;
    const int64_t left_in_chunk = ((chunk + 1) * feed->chunk_batches - feed->next) / each; /* replays */
    const uint32_t now = (uint32_t)gt_min_i64(left_in_chunk, times);
    if (!request_ahead(feed, chunk, error)) return false;
    const int64_t gathered = wait_for(feed, chunk + 1);
    /* Later chunks are copied after this run is queued, because a run waits for all copies that were queued
     * before it. */
    if (!copy_chunks(feed, chunk + 1, error) ||
        !feed->backend->api->run(feed->backend, executable, now, &feed->last, error) ||
        !copy_chunks(feed, gathered, error))
      return false;
    feed->ticket[chunk % feed->chunks] = *ticket = feed->last;
    feed->next += (int64_t)now * each;
    times -= now;
  }
  return true;
}

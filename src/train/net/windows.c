/* Decides which splits are resident on the device and which are streamed through windows (feed.h). Memory
 * must suffice for the nets and one batch per split. The smallest splits become resident; the windows of the
 * others share the remaining memory. */
#include "base/count.h"
#include "base/log.h"
#include "base/text.h"
#include "train/net/footprint.h"
#include "train/net/session.h"
#include <math.h>
#include <string.h>

enum {
  DIVISOR = 16, /* data below 1/16 of the free memory is resident without planning; 1/16 of it stays unused */
  CHUNK_BYTES = 16 << 20 /* large enough for efficient copies; four chunks are still small */
};

typedef struct split_placement {
  bool read, windowed;            /* a net reads the split; it is streamed through a window */
  uint64_t bytes, batch, largest; /* bytes of all samples, of a batch, of the largest tensor */
  uint64_t sample;                /* bytes of a sample; windows of a series or text overlap in memory */
  int64_t parts;                  /* batches per step */
} split_placement;

typedef struct placement {
  gt_session *session;
  gt_config *config;
  gt_arena arena; /* for nets that are planned only to get their sizes */
  split_placement item[GT_PARTS];
  gt_memory_count nets;
  gt_windows windows;
  uint64_t limit; /* bytes available */
} placement;

/* --- sizes --- */

/* True if a tensor is larger than the device can allocate in one piece. */
static bool is_too_large(const placement *p, const split_placement *item) {
  const uint64_t most = p->session->backend->max_allocation;
  return most && item->largest > most;
}

static uint64_t measure_split(placement *p, int part) {
  const gt_split *split = gt_dataset_split(&p->config->dataset, part);
  split_placement *item = &p->item[part];
  for (int i = 0; split && i < split->items; i++) {
    const gt_tensor *tensor = &split->item[i].tensor;
    if (gt_tensor_is_text(tensor) && !tensor->data) continue; /* a text's target has no data */
    const uint64_t bytes = gt_tensor_bytes(tensor);
    item->bytes += bytes;
    if (gt_sample_role_types[split->item[i].role].is_streamed) item->sample += gt_tensor_sample_bytes(tensor);
    if (bytes > item->largest) item->largest = bytes;
  }
  return item->bytes;
}

/* A net reads a split. net: NULL after an error. */
static bool read_split(placement *p, const gt_net *net) {
  if (!net) return false;
  split_placement *item = &p->item[net->part];
  item->read = true;
  item->parts = net->parts;
  item->batch = item->sample * (uint64_t)net->batch;
  return true;
}

/* --- placement --- */

static uint64_t net_bytes(const placement *p) {
  return p->nets.data + p->nets.state + p->nets.plans + p->nets.shared;
}

static uint64_t needed_bytes(const placement *p) {
  uint64_t bytes = net_bytes(p);
  for (int i = 0; i < GT_PARTS; i++)
    if (p->item[i].read) bytes += p->item[i].windowed ? p->item[i].batch : p->item[i].bytes;
  return bytes;
}

/* The largest resident split that needs less memory with a window; a window has at least one batch. */
static split_placement *largest_resident(placement *p) {
  split_placement *found = NULL;
  for (int i = 0; i < GT_PARTS; i++) {
    split_placement *item = &p->item[i];
    if (item->read && !item->windowed && item->batch < item->bytes && (!found || item->bytes > found->bytes))
      found = item;
  }
  return found;
}

/* The number of batches of a window that fits into `room` bytes: a whole number of chunks (feed.h). A chunk
 * is, if possible, a whole number of steps, and a multiple of the replays that are recorded together. */
static uint32_t window_of(const split_placement *item, uint64_t room) {
  enum { TOGETHER = 64 }; /* MAX_REPLAYS in backend/vulkan/commands.c */
  const int64_t max_batches = (int64_t)(room / item->batch);
  if (max_batches < 4) return (uint32_t)gt_max_i64(max_batches, 1);
  int64_t chunk = gt_min_i64(max_batches / 4, (int64_t)(CHUNK_BYTES / item->batch) + 1);
  if (chunk > item->parts) chunk -= chunk % item->parts;
  if (item->parts == 1 && chunk > TOGETHER) chunk -= chunk % TOGETHER;
  return (uint32_t)(4 * chunk);
}

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void choose_windows(placement *p) {
  const uint64_t most = p->session->backend->max_allocation;
  const uint64_t largest =
      most ? most - most / DIVISOR : UINT64_MAX; /* the staging buffer is also one allocation */
  split_placement *next;
  for (int i = 0; i < GT_PARTS; i++) p->item[i].windowed = p->item[i].read && is_too_large(p, &p->item[i]);
  while (needed_bytes(p) > p->limit && (next = largest_resident(p))) next->windowed = true;
  uint64_t room = p->limit > needed_bytes(p) ? p->limit - needed_bytes(p) : 0, remaining = 0;
  for (int i = 0; i < GT_PARTS; i++) remaining += p->item[i].windowed;
  for (int i = 0; i < GT_PARTS; i++) {
    split_placement *item = &p->item[i];
    if (!item->windowed) continue;
    const uint32_t batches =
        window_of(item, smaller(smaller(item->batch + room / remaining--, largest), item->bytes));
    room -= (batches - 1) * item->batch;
    p->windows.of[i] = batches;
  }
}

/* --- messages --- */

static void log_windows(placement *p) {
  const gt_session *session = p->session;
  const char *text = "", *of = session->backend->target.device ? " of device memory" : " of memory";
  char whole[32], window[32], limit[32];
  if (!memcmp(&session->windows, &p->windows, sizeof p->windows)) return;
  for (int i = 0; i < GT_PARTS; i++) {
    const split_placement *item = &p->item[i];
    if (!item->windowed) continue;
    gt_human_bytes((double)item->bytes, whole);
    gt_human_bytes((double)(p->windows.of[i] * item->batch), window);
    text = gt_arena_printf(&p->arena, "%s%s%s (%s) %sthrough %s%s", text, *text ? ", " : "", gt_part_keys[i],
                           whole, *text ? "" : "streams ", window, *text ? "" : of);
  }
  if (*text)
    gt_info("data: %s: %s %s", text, session->memory_limit ? "--memory-limit is" : "the device has",
            gt_human_bytes((double)p->limit, limit));
}

/* Rounds up to the digits that gt_human_bytes prints, so that the printed limit suffices. */
static double rounded_up(uint64_t bytes) {
  double unit = 1;
  while ((double)bytes / unit >= 1024) unit *= 1024;
  return ceil((double)bytes / unit * 10) / 10 * unit;
}

static bool check_limit(placement *p, gt_error *error) {
  char limit[32], least[32], nets[32];
  if (!p->session->memory_limit || needed_bytes(p) <= p->limit) return true;
  gt_human_bytes((double)p->limit, limit);
  gt_human_bytes(rounded_up(needed_bytes(p)), least);
  gt_human_bytes((double)net_bytes(p), nets);
  return gt_fail(error, GT_ERR_MEMORY,
                 "--memory-limit is %s, but at least %s is needed: %s for the network, the rest for one "
                 "batch of data at a time. A smaller train.batch_size or train.eval_batch_size needs less",
                 limit, least, nets);
}

static bool estimate(placement *p, const gt_net_options *training, unsigned parts, gt_error *error) {
  const gt_backend *backend = p->session->backend;
  uint64_t data = 0;
  bool large = false;
  for (int i = 0; i < GT_PARTS; i++) {
    data += measure_split(p, i);
    large = large || is_too_large(p, &p->item[i]);
  }
  p->limit = p->session->memory_limit;
  if (!p->limit) {
    p->limit = backend->memory_free - backend->memory_free / DIVISOR;
    if ((data <= p->limit / DIVISOR && !large) || !p->limit) return true;
  }
  if (training) {
    gt_net_options whole = *training;
    whole.windows = (gt_windows){0};
    const gt_net *net = gt_net_training(&p->arena, p->config, &whole, error);
    if (!read_split(p, net)) return false;
    gt_memory_count_net(&p->nets, net);
  }
  const gt_net_options evaluation = {.target = backend->target, .draw = p->session->draw};
  for (int part = 0; part < GT_PARTS; part++)
    if (parts >> part & 1 &&
        !read_split(p, gt_memory_count_evaluation(&p->nets, p->config, part, evaluation, error)))
      return false;
  choose_windows(p);
  return check_limit(p, error);
}

static void apply_placement(placement *p) {
  gt_session *session = p->session;
  log_windows(p);
  session->windows = p->windows;
  for (int i = 0; i < GT_PARTS; i++)
    if (p->item[i].windowed)
      gt_buffers_drop(&session->buffers, gt_arena_printf(&p->arena, "data.%s.", gt_part_keys[i]));
}

static placement begin_placement(gt_session *session, gt_config *config) {
  placement p = {.session = session, .config = config};
  gt_arena_init(&p.arena);
  return p;
}

bool gt_session_place(gt_session *session, const gt_net_options *training, unsigned parts, gt_error *error) {
  placement p = begin_placement(session, session->config);
  p.nets.seen.arena = &p.arena;
  const bool ok = estimate(&p, training, parts, error);
  if (ok) apply_placement(&p);
  gt_arena_finish(&p.arena);
  return ok;
}

bool gt_session_has_room(gt_session *session, gt_config *config, const gt_net_options *training,
                         unsigned parts, gt_error *error) {
  placement p = begin_placement(session, config);
  p.nets.seen.arena = &p.arena;
  const bool ok = !session->memory_limit || estimate(&p, training, parts, error);
  gt_arena_finish(&p.arena);
  return ok;
}

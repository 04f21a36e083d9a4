/* All the pictures of a split, on all cores. Each goes straight to its place among the samples, so that there
 * is never more in memory than these and what each thread has at hand. */
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/images.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CHUNK: pictures between two looks at what went wrong. */
enum { CHUNK = 256, MOST_NAMED = 10 };

typedef struct reading {
  gt_image_set *set;
  const gt_image_form *form;
  gt_image_policy policy;
  size_t first, count; /* of the chunk */
  gt_error *errors;    /* [CHUNK] */
} reading;

void gt_image_set_finish(gt_image_set *set) {
  free(set->files.items);
  free(set->good);
  gt_tensor_finish(&set->samples);
  *set = (gt_image_set){0};
}

static void read_one(void *context, uint32_t tile) {
  const reading *r = context;
  const size_t i = r->first + tile, size = (size_t)gt_image_bytes(r->form);
  uint8_t *out = (uint8_t *)r->set->samples.data + i * size;
  r->set->good[i] = gt_image_load(r->set->files.items[i].path, r->form, out, &r->errors[tile]);
}

static void leave_out(const gt_image_set *set, const char *why) {
  if (set->skipped < MOST_NAMED) gt_warn("left out: %s", why);
  if (set->skipped == MOST_NAMED) gt_warn("left out: more, which are only counted");
}

/* In the order of the files: whichever thread was first does not matter. */
static bool judge(reading *r, gt_error *error) {
  static const char hint[] = " (on_error: skip leaves such pictures out)";
  for (size_t i = 0; i < r->count; i++) {
    const gt_error *found = &r->errors[i];
    if (r->set->good[r->first + i]) continue;
    const bool refused = found->status == GT_ERR_DATA || found->status == GT_ERR_IO;
    if (!refused || r->policy <= GT_IMAGE_STOP)
      return gt_fail(error, found->status, "%s%s", found->message,
                     refused && r->policy == GT_IMAGE_STOP ? hint : "");
    if (r->policy == GT_IMAGE_SKIP) leave_out(r->set, found->message);
    r->set->skipped++;
  }
  return true;
}

static void show_progress(size_t done, size_t all) {
  char line[80];
  snprintf(line, sizeof line, "pictures: %zu of %zu", done, all);
  gt_log_status(line);
}

static bool read_all(gt_pool *pool, reading *r, gt_error *error) {
  const size_t all = r->set->files.count;
  bool ok = true;
  for (; ok && r->first < all; r->first += r->count) {
    r->count = all - r->first < CHUNK ? all - r->first : CHUNK;
    memset(r->errors, 0, CHUNK * sizeof *r->errors);
    gt_pool_run(pool, (uint32_t)r->count, read_one, r);
    ok = judge(r, error);
    if (gt_log_width()) show_progress(r->first + r->count, all);
  }
  if (gt_log_width()) gt_log_status(NULL);
  return ok;
}

/* Samples move together over those that were refused. */
static void close_gaps(gt_image_set *set, size_t size) {
  uint8_t *to = set->samples.data;
  for (size_t i = 0; i < set->files.count; i++) {
    const uint8_t *from = (const uint8_t *)set->samples.data + i * size;
    if (!set->good[i]) continue;
    if (from > to) memcpy(to, from, size);
    to += size;
  }
  set->samples.dim[0] -= set->skipped;
  void *smaller = realloc(set->samples.data, (size_t)set->samples.dim[0] * size);
  if (smaller) set->samples.data = smaller;
}

bool gt_image_set_read(gt_image_set *set, const gt_image_form *form, gt_image_policy policy,
                       gt_error *error) {
  const size_t count = set->files.count;
  void *good;
  reading r = {.set = set, .form = form, .policy = policy};
  set->samples = (gt_tensor){.element = GT_ELEMENT_U8,
                             .rank = 4,
                             .dim = {(int64_t)count, form->height, form->width, form->channels}};
  if (!gt_tensor_alloc(&set->samples, "the pictures", error) ||
      !gt_try_alloc(&good, count, 1, "the pictures", error))
    return false;
  set->good = good;
  r.errors = gt_alloc(CHUNK * sizeof *r.errors);
  gt_pool *pool = count > 1 ? gt_pool_create(0) : NULL;
  bool ok = read_all(pool, &r, error);
  gt_pool_destroy(pool);
  free(r.errors);
  if (ok && set->skipped == (int64_t)count)
    ok = gt_fail(error, GT_ERR_DATA, "none of the %zu pictures can be read, such as %s", count,
                 set->files.items[0].path);
  if (ok && set->skipped) close_gaps(set, (size_t)gt_image_bytes(form));
  return ok;
}

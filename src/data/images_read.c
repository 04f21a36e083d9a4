/* Reads all images of a split on all cores. Each is decoded directly into its sample, so that memory is
 * needed only for the samples and for one image per thread. */
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/images.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 };    /* images that are read between two checks for errors */
enum { MAX_NAMED = 10 }; /* skipped images that are logged */

typedef struct reading {
  gt_image_set *set;
  gt_image_policy policy;
  size_t first, count; /* of the chunk's files */
  gt_error *errors;    /* [CHUNK] */
  bool *other_size;    /* [CHUNK]: could be read, but has another size */
} reading;

void gt_image_set_finish(gt_image_set *set) {
  free(set->files.items);
  free(set->readable);
  for (int t = 0; t < GT_IMAGE_ROLES; t++) gt_tensor_finish(&set->pixels[t]);
  *set = (gt_image_set){0};
}

static uint8_t *sample_at(const gt_image_set *set, int role, size_t i) {
  return (uint8_t *)set->pixels[role].data + i * (size_t)gt_image_bytes(&set->form[role]);
}

/* Fails if image and target have different aspect ratios, because they would be cropped differently. */
static bool have_same_shape(const gt_image_file *file, const int64_t a[2], const int64_t b[2],
                            gt_error *error) {
  if (a[0] * b[1] == a[1] * b[0]) return true;
  return gt_fail(error, GT_ERR_DATA,
                 "%s: %" PRId64 " x %" PRId64 " pixels, but its target %s: %" PRId64 " x %" PRId64
                 "; both must have the same shape",
                 file->path[GT_IMAGE_INPUT], a[1], a[0], file->path[GT_IMAGE_TARGET], b[1], b[0]);
}

static bool has_other_size(const gt_image_form *form, const int64_t size[2]) {
  return !form->resized && size[0] && (size[0] != form->height || size[1] != form->width);
}

static void read_one(void *context, uint32_t tile) {
  const reading *r = context;
  const gt_image_set *set = r->set;
  const size_t i = r->first + tile;
  const gt_image_file *file = &set->files.items[i];
  gt_error *error = &r->errors[tile];
  int64_t size[GT_IMAGE_ROLES][2] = {{0}};
  bool ok = true;
  for (int t = 0; t < set->roles && ok; t++)
    ok = set->outline ? gt_image_measure(file->path[t], &set->form[t], size[t], error)
                      : gt_image_load(file->path[t], &set->form[t], sample_at(set, t, i), size[t], error);
  for (int t = 0; t < set->roles; t++) r->other_size[tile] |= has_other_size(&set->form[t], size[t]);
  set->readable[i] =
      ok && (set->roles == 1 || have_same_shape(file, size[GT_IMAGE_INPUT], size[GT_IMAGE_TARGET], error));
}

static void log_skipped(const gt_image_set *set, const char *why) {
  if (set->skipped < MAX_NAMED) gt_warn("skipped: %s", why);
  if (set->skipped == MAX_NAMED) gt_warn("skipped more images; the rest are only counted");
}

/* Fails with the first error of the chunk in the order of the files, or skips the files, as the policy
 * says. */
static bool check_errors(reading *r, gt_error *error) {
  static const char hint[] = " (set on_error: skip to leave such images out)";
  for (size_t i = 0; i < r->count; i++) {
    const gt_error *found = &r->errors[i];
    if (r->set->readable[r->first + i]) continue;
    const bool is_bad_file = found->status == GT_ERR_DATA || found->status == GT_ERR_IO;
    if (!is_bad_file || r->policy <= GT_IMAGE_STOP)
      return gt_fail(error, found->status, "%s%s", found->message,
                     is_bad_file && r->policy == GT_IMAGE_STOP && !r->other_size[i] ? hint : "");
    if (r->policy == GT_IMAGE_SKIP) log_skipped(r->set, found->message);
    r->set->skipped++;
    r->set->other_sizes += r->other_size[i];
  }
  return true;
}

static void show_progress(size_t done, size_t all) {
  char line[80];
  snprintf(line, sizeof line, "images: %zu of %zu", done, all);
  gt_log_status(line);
}

static bool read_all(gt_pool *pool, reading *r, gt_error *error) {
  const size_t all = r->set->files.count;
  bool ok = true;
  for (; ok && r->first < all; r->first += r->count) {
    r->count = all - r->first < CHUNK ? all - r->first : CHUNK;
    memset(r->errors, 0, CHUNK * sizeof *r->errors);
    memset(r->other_size, 0, CHUNK * sizeof *r->other_size);
    gt_pool_run(pool, (uint32_t)r->count, read_one, r);
    ok = check_errors(r, error);
    if (gt_log_width()) show_progress(r->first + r->count, all);
  }
  if (gt_log_width()) gt_log_status(NULL);
  return ok;
}

/* Removes the samples that could not be read. */
static void close_gaps(gt_image_set *set, int role) {
  gt_tensor *tensor = &set->pixels[role];
  const size_t size = (size_t)gt_image_bytes(&set->form[role]);
  uint8_t *to = tensor->data;
  for (size_t i = 0; i < set->files.count && to; i++) {
    const uint8_t *from = sample_at(set, role, i);
    if (!set->readable[i]) continue;
    if (from > to) memcpy(to, from, size);
    to += size;
  }
  tensor->dim[0] -= set->skipped;
  void *smaller = to ? realloc(tensor->data, (size_t)tensor->dim[0] * size) : NULL;
  if (smaller) tensor->data = smaller;
}

bool gt_image_set_alloc(gt_image_set *set, int64_t samples, gt_error *error) {
  void *readable;
  for (int t = 0; t < set->roles; t++) {
    const gt_image_form *form = &set->form[t];
    set->pixels[t] = (gt_tensor){
        .element = GT_ELEMENT_U8, .rank = 4, .dim = {samples, form->height, form->width, form->channels}};
    if (!set->outline && !gt_tensor_alloc(&set->pixels[t], "the images", error)) return false;
  }
  if (!gt_try_alloc(&readable, set->files.count, 1, "the images", error)) return false;
  set->readable = readable;
  return true;
}

bool gt_image_set_read(gt_image_set *set, gt_image_policy policy, gt_error *error) {
  const size_t count = set->files.count;
  reading r = {.set = set, .policy = policy};
  if (!gt_image_set_alloc(set, (int64_t)count, error)) return false;
  r.errors = gt_alloc(CHUNK * sizeof *r.errors);
  r.other_size = gt_alloc(CHUNK * sizeof *r.other_size);
  gt_pool *pool = count > 1 ? gt_pool_create(0) : NULL;
  bool ok = read_all(pool, &r, error);
  gt_pool_destroy(pool);
  free(r.errors);
  free(r.other_size);
  if (ok && set->skipped == (int64_t)count)
    ok = gt_fail(error, GT_ERR_DATA, "none of the %zu images can be read; the first is %s", count,
                 set->files.items[0].path[GT_IMAGE_INPUT]);
  for (int t = 0; t < set->roles && ok && set->skipped; t++) close_gaps(set, t);
  return ok;
}

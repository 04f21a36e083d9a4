/* Reads all images of a split on all cores. Each is decoded directly into its sample, so that memory is
 * needed only for the samples and for one image per thread. */
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/images/exif.h"
#include "data/images/images.h"
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
static bool have_same_shape(const gt_image_file *file, const gt_image_view *a, const gt_image_view *b,
                            gt_error *error) {
  if (a->height * b->width == a->width * b->height) return true;
  return gt_fail(error, GT_ERR_DATA,
                 "%s: %" PRId64 " x %" PRId64 " pixels, but its target %s: %" PRId64 " x %" PRId64
                 "; both must have the same shape",
                 file->path[GT_IMAGE_INPUT], a->width, a->height, file->path[GT_IMAGE_TARGET], b->width,
                 b->height);
}

static bool has_other_size(const gt_image_form *form, const gt_image_view *view) {
  return !form->resized && view->height && (view->height != form->height || view->width != form->width);
}

static bool load(const gt_image_set *set, size_t i, int role, int turn, gt_image_view *view,
                 gt_error *error) {
  const char *path = set->files.items[i].path[role];
  return set->outline ? gt_image_measure(path, &set->form[role], turn, view, error)
                      : gt_image_load(path, &set->form[role], turn, sample_at(set, role, i), view, error);
}

/* --- the orientation of a picture and its target --- */

/* Loads the target of a picture. If the picture has an EXIF orientation that exchanges rows and columns, and
 * the target has none and the shape of the picture as stored, the target was drawn on the stored picture, and
 * is turned like it. */
static bool load_target(const gt_image_set *set, size_t i, const gt_image_view *picture,
                        gt_image_view *target, uint8_t *bits, gt_error *error) {
  const bool ok = load(set, i, GT_IMAGE_TARGET, 0, target, error);
  const bool is_told = gt_exif_swaps(picture->orientation) && picture->height != picture->width;
  if (target->orientation > 1 && picture->orientation == 1)
    *bits |= GT_IMAGE_IN_DOUBT | GT_IMAGE_TARGET_IS_TURNED | GT_IMAGE_ORIENTATION * (target->orientation - 1);
  if (target->orientation != 1 || picture->orientation == 1 || !target->height) return ok;
  if (!is_told) *bits |= GT_IMAGE_IN_DOUBT | GT_IMAGE_ORIENTATION * (picture->orientation - 1);
  if (!is_told || target->height * picture->width == target->width * picture->height) {
    if (is_told) *bits |= GT_IMAGE_AS_SHOWN;
    return ok;
  }
  if (target->height * picture->height != target->width * picture->width) return ok;
  *error = (gt_error){0};
  *bits |= GT_IMAGE_AS_STORED;
  return load(set, i, GT_IMAGE_TARGET, picture->orientation, target, error);
}

/* Decides the doubtful pairs of a set like those whose sizes tell, if these agree: all of them come from the
 * same program. */
static bool settle_doubts(gt_image_set *set, gt_error *error) {
  unsigned told = 0;
  for (size_t i = 0; i < set->files.count; i++)
    told |= set->readable[i] & (GT_IMAGE_AS_SHOWN | GT_IMAGE_AS_STORED);
  for (size_t i = 0; i < set->files.count; i++) {
    const unsigned bits = set->readable[i];
    gt_image_view view;
    if (!(bits & GT_IMAGE_IN_DOUBT) || bits & GT_IMAGE_TARGET_IS_TURNED) continue;
    if (told == GT_IMAGE_AS_STORED &&
        !load(set, i, GT_IMAGE_TARGET, (int)(bits / GT_IMAGE_ORIENTATION % 8) + 1, &view, error))
      return false;
    if (told == GT_IMAGE_AS_STORED || told == GT_IMAGE_AS_SHOWN)
      set->readable[i] = (uint8_t)(GT_IMAGE_READABLE | told);
  }
  return true;
}

/* --- reading --- */

static void read_one(void *context, uint32_t tile) {
  const reading *r = context;
  const gt_image_set *set = r->set;
  const size_t i = r->first + tile;
  gt_error *error = &r->errors[tile];
  gt_image_view view[GT_IMAGE_ROLES] = {{0}};
  uint8_t bits = GT_IMAGE_READABLE;
  bool ok = load(set, i, GT_IMAGE_INPUT, 0, &view[GT_IMAGE_INPUT], error);
  if (ok && set->roles > 1)
    ok = load_target(set, i, &view[GT_IMAGE_INPUT], &view[GT_IMAGE_TARGET], &bits, error);
  for (int t = 0; t < set->roles; t++) r->other_size[tile] |= has_other_size(&set->form[t], &view[t]);
  ok = ok && (set->roles == 1 ||
              have_same_shape(&set->files.items[i], &view[GT_IMAGE_INPUT], &view[GT_IMAGE_TARGET], error));
  set->readable[i] = ok ? bits : 0;
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
  ok = ok && (set->roles == 1 || settle_doubts(set, error));
  for (int t = 0; t < set->roles && ok && set->skipped; t++) close_gaps(set, t);
  return ok;
}

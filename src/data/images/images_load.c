/* Loads one image file: chooses the decoder by the first bytes, applies the EXIF orientation. */
#include "base/memory.h"
#include "data/images/exif.h"
#include "data/images/images.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LENGTH = 1000000 }; /* pixels per side; also the limit of libpng */
enum { HEAD = 64 << 10 };      /* bytes; enough for most headers with the metadata of cameras */

static const uint8_t png_magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
static const uint8_t jpeg_magic[] = {0xff, 0xd8, 0xff};

static bool begins_with(const gt_bytes *bytes, const uint8_t *magic, size_t size) {
  return bytes->size >= size && !memcmp(bytes->data, magic, size);
}

bool gt_image_is_one(const gt_bytes *head) {
  return begins_with(head, png_magic, sizeof png_magic) || begins_with(head, jpeg_magic, sizeof jpeg_magic);
}

bool gt_image_is_named(const char *path) {
  return gt_data_has_suffix(path, ".png") || gt_data_has_suffix(path, ".jpg") ||
         gt_data_has_suffix(path, ".jpeg");
}

/* Limits also the sides, because several copies of a row are in memory. */
bool gt_image_check_pixels(const gt_image_job *job, uint32_t height, uint32_t width) {
  if (height > MAX_LENGTH || width > MAX_LENGTH)
    return gt_fail(job->error, GT_ERR_DATA,
                   "%s: the header says %" PRIu32 " x %" PRIu32 " pixels; at most %d per side are supported",
                   job->path, width, height, MAX_LENGTH);
  if ((uint64_t)height * width <= (uint64_t)job->form->max_pixels) return true;
  return gt_fail(job->error, GT_ERR_DATA,
                 "%s: the header says %" PRIu32 " x %" PRIu32 " pixels, more than max_pixels: %" PRId64,
                 job->path, width, height, job->form->max_pixels);
}

static bool check_size(const gt_image_job *job) {
  const gt_image_form *form = job->form;
  if (!form->height || form->resized || (job->height == form->height && job->width == form->width))
    return true;
  return gt_fail(job->error, GT_ERR_DATA,
                 "%s: %" PRId64 " x %" PRId64 " pixels; the others have %" PRId64 " x %" PRId64
                 " (set size: [HEIGHT, WIDTH] to resize all of them)",
                 job->path, job->width, job->height, form->width, form->height);
}

bool gt_image_begin(gt_image_job *job, uint32_t height, uint32_t width) {
  gt_image_form form = *job->form;
  void *unrotated;
  job->stored = job->orientation;
  if (job->orientation == 1 && job->turn) job->orientation = job->turn;
  job->height = gt_exif_swaps(job->orientation) ? width : height;
  job->width = gt_exif_swaps(job->orientation) ? height : width;
  if (!gt_image_check_pixels(job, height, width) || !check_size(job)) return job->size_only = false;
  if (job->size_only) return false;
  if (job->orientation == 1)
    return gt_resizer_init(&job->resizer, &form, height, width, job->out, job->path, job->error);
  if (gt_exif_swaps(job->orientation)) form.height = job->form->width, form.width = job->form->height;
  if (!gt_try_alloc(&unrotated, (uint64_t)gt_image_bytes(&form), 1, job->path, job->error)) return false;
  job->unrotated = unrotated;
  return gt_resizer_init(&job->resizer, &form, height, width, job->unrotated, job->path, job->error);
}

static bool decode(gt_image_job *job) {
  if (begins_with(&job->bytes, png_magic, sizeof png_magic)) return gt_image_decode_png(job);
  if (begins_with(&job->bytes, jpeg_magic, sizeof jpeg_magic)) return gt_image_decode_jpeg(job);
  return gt_fail(job->error, GT_ERR_DATA, "%s is neither a PNG nor a JPEG file, by its first bytes",
                 job->path);
}

/* The limit for an image file: 5 bytes per pixel, plus 64 MiB for metadata. */
static uint64_t max_bytes(const gt_image_form *form) {
  return 5 * (uint64_t)form->max_pixels + ((uint64_t)64 << 20);
}

/* Regular files only: a pipe in a folder would block. */
static bool read_whole(gt_image_job *job) {
  const int fd = gt_open_input(job->path, true, job->error);
  return fd >= 0 && gt_read_input(fd, job->path, max_bytes(job->form), &job->bytes, job->error);
}

static void finish(gt_image_job *job) {
  gt_resizer_finish(&job->resizer);
  gt_bytes_finish(&job->bytes);
  free(job->row);
  free(job->image);
  free(job->unrotated);
}

static bool decode_and_rotate(gt_image_job *job) {
  const gt_image_form *form = job->form;
  job->orientation = 1;
  if (!decode(job)) return false;
  if (job->unrotated)
    gt_exif_apply(job->orientation, job->unrotated, form->height, form->width, form->channels, job->out);
  return true;
}

static gt_image_view view_of(const gt_image_job *job) {
  return (gt_image_view){job->height, job->width, job->stored};
}

bool gt_image_load(const char *path, const gt_image_form *form, int turn, uint8_t *out, gt_image_view *view,
                   gt_error *error) {
  gt_image_job job = {.path = path, .form = form, .error = error, .turn = turn, .out = out};
  const bool ok = read_whole(&job) && decode_and_rotate(&job);
  if (view) *view = view_of(&job);
  finish(&job);
  return ok;
}

static bool measure(gt_image_job *job, gt_image_view *view) {
  job->orientation = 1;
  job->size_only = true;
  const bool ok = decode(job);
  *view = view_of(job);
  finish(job);
  return ok;
}

bool gt_image_measure(const char *path, const gt_image_form *form, int turn, gt_image_view *view,
                      gt_error *error) {
  gt_error ignored = {0};
  gt_image_job job = {.path = path, .form = form, .error = &ignored, .turn = turn};
  /* Tries the beginning of the file first, which may not have the whole header. A PNG may have its
   * orientation at the end, so if the size is not known (height 0), the whole file is read. */
  if (form->height && gt_read_head(path, HEAD, &job.bytes, &ignored) && measure(&job, view)) return true;
  job.error = error;
  return read_whole(&job) && measure(&job, view);
}

/* --- images in their own size --- */

/* Sets *form to the size and channels of the file. */
static bool find_form(gt_image_job *job, gt_image_form *form) {
  job->size_only = true;
  if (!gt_image_decode_png(job)) return false;
  *form = (gt_image_form){job->height, job->width, job->channels, .max_pixels = form->max_pixels};
  if (form->height <= GT_PNG_MAX_SIDE && form->width <= GT_PNG_MAX_SIDE) return true;
  return gt_fail(job->error, GT_ERR_DATA,
                 "%s: %" PRId64 " x %" PRId64 " pixels; at most %d per side are supported", job->path,
                 form->width, form->height, GT_PNG_MAX_SIDE);
}

/* Decodes in the size and channels of the file, which are written to *form, the form of the job. */
static bool decode_picture(gt_image_job *job, gt_image_form *form, gt_picture *out) {
  void *data;
  if (!find_form(job, form) || !gt_try_alloc(&data, (uint64_t)gt_image_bytes(form), 1, job->path, job->error))
    return false;
  *out = (gt_picture){(uint32_t)form->height, (uint32_t)form->width, (uint32_t)form->channels, data};
  job->out = out->data;
  job->size_only = false;
  if (decode_and_rotate(job)) return true;
  gt_picture_finish(out);
  return false;
}

bool gt_png_decode(const char *path, const gt_bytes *bytes, gt_picture *out, gt_error *error) {
  gt_image_form form = {.max_pixels = INT64_MAX};
  gt_image_job job = {.path = path, .form = &form, .error = error, .bytes = *bytes, .accept_16_bit = true};
  *out = (gt_picture){0};
  const bool ok = decode_picture(&job, &form, out);
  job.bytes = (gt_bytes){0}; /* owned by the caller */
  finish(&job);
  return ok;
}

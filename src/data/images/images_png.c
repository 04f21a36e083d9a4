/* Decodes PNG row by row. Values are used as stored, without gamma or color profile, as in most training
 * programs; transparency is composited over black; color converts to gray by its luma. */
#include "base/memory.h"
#include "data/images/exif.h"
#include "data/images/images.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
  gt_image_job *job;
  size_t at;
} source;

static void fail(png_structp png, png_const_charp message) {
  const source *s = png_get_error_ptr(png);
  gt_fail(s->job->error, strstr(message, "memory") ? GT_ERR_MEMORY : GT_ERR_DATA, "%s: damaged PNG file: %s",
          s->job->path, message);
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void read_bytes(png_structp png, png_bytep out, size_t size) {
  source *s = png_get_io_ptr(png);
  if (size > s->job->bytes.size - s->at) png_error(png, "it is truncated");
  memcpy(out, s->job->bytes.data + s->at, size);
  s->at += size;
}

/* How a row of the file is converted to a row of the sample. */
typedef struct layout {
  int64_t width;
  int from, to; /* channels of a row of the file, and of the sample */
  int passes;   /* more than 1: interlaced */
} layout;

static uint8_t luma(const uint8_t *p) {
  return (uint8_t)((19595u * p[0] + 38470u * p[1] + 7471u * p[2] + 32768u) >> 16); /* ITU-R 601 */
}

static void composite_over_black(uint8_t *row, const layout *l) {
  const int colors = l->from - 1;
  for (int64_t x = 0; x < l->width; x++) {
    uint8_t *pixel = row + x * l->from;
    for (int c = 0; c < colors; c++) pixel[c] = (uint8_t)((pixel[c] * pixel[colors] + 127) / 255);
  }
}

/* Converts a row of l->from channels to l->to channels in `out`, which must not overlap the row. */
static void convert(uint8_t *row, uint8_t *out, const layout *l) {
  const bool has_color = l->from >= 3;
  if (l->from == 2 || l->from == 4) composite_over_black(row, l);
  for (int64_t x = 0; x < l->width; x++) {
    const uint8_t *pixel = row + x * l->from;
    if (l->to == 1)
      out[x] = has_color ? luma(pixel) : *pixel;
    else
      for (int c = 0; c < 3; c++) out[3 * x + c] = pixel[has_color ? c : 0];
  }
}

static bool read_layout(png_structp png, png_infop info, gt_image_job *job, layout *l) {
  const uint32_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
  job->channels = png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR ? 3 : 1;
  if (png_get_bit_depth(png, info) == 16 && !job->accept_16_bit)
    return gt_fail(job->error, GT_ERR_DATA, "%s: 16 bits per channel are not supported; convert it to 8 bits",
                   job->path);
  if (!gt_image_begin(job, height, width)) return job->size_only;
  png_set_scale_16(png);
  png_set_expand(png); /* palettes, fewer than 8 bits, a transparent color */
  l->passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  l->width = width;
  l->from = png_get_channels(png, info);
  l->to = (int)job->form->channels;
  return true;
}

/* Every pass fills only a part of the pixels, so all rows must be in memory. */
static bool read_interlaced(png_structp png, gt_image_job *job, const layout *l, int64_t height) {
  const size_t size = (size_t)l->width * (size_t)l->from;
  void *whole;
  if (!gt_try_alloc(&whole, (uint64_t)height, size, job->path, job->error)) return false;
  job->image = whole;
  for (int pass = 0; pass < l->passes; pass++)
    for (int64_t y = 0; y < height; y++) png_read_row(png, job->image + (size_t)y * size, NULL);
  for (int64_t y = 0; y < height; y++) {
    convert(job->image + (size_t)y * size, job->row, l);
    gt_resizer_row(&job->resizer, job->row);
  }
  return true;
}

static bool read_rows(png_structp png, png_infop info, gt_image_job *job) {
  layout l = {0};
  void *row;
  png_read_info(png, info);
  if (!read_layout(png, info, job, &l)) return false;
  if (job->size_only) return true;
  const int64_t height = png_get_image_height(png, info);
  /* room for the file's channels, then for the sample's */
  if (!gt_try_alloc(&row, (uint64_t)l.width, (uint64_t)(l.from + 3), job->path, job->error)) return false;
  job->row = row;
  if (l.passes > 1) return read_interlaced(png, job, &l, height);
  uint8_t *converted = job->row + l.width * l.from;
  for (int64_t y = 0; y < height; y++) {
    png_read_row(png, job->row, NULL);
    convert(job->row, converted, &l);
    gt_resizer_row(&job->resizer, converted);
  }
  return true;
}

/* libpng returns here by longjmp when it fails; no local variable is used after that. */
static bool decode_guarded(png_structp png, png_infop info, gt_image_job *job) {
  if (setjmp(png_jmpbuf(png))) return false;
  return read_rows(png, info, job);
}

/* Checks the size in the header, which is the first chunk, before anything is decoded. */
static bool is_too_large(gt_image_job *job) {
  const uint8_t *at = job->bytes.data;
  return job->bytes.size >= 24 && !memcmp(at + 12, "IHDR", 4) &&
         !gt_image_check_pixels(job, png_get_uint_32(at + 20), png_get_uint_32(at + 16));
}

bool gt_image_decode_png(gt_image_job *job) {
  source s = {.job = job};
  if (is_too_large(job)) return false;
  job->orientation = gt_exif_of_png(&job->bytes); /* read first: chunk eXIf may follow the pixels */
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, fail, ignore_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool ok = false;
  if (info) {
    png_set_read_fn(png, &s, read_bytes);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* max_pixels is checked instead */
    ok = decode_guarded(png, info, job);
  } else {
    gt_fail(job->error, GT_ERR_MEMORY, "%s: out of memory while reading it", job->path);
  }
  png_destroy_read_struct(&png, &info, NULL);
  return ok;
}

int64_t gt_image_png_version(void) { return (int64_t)png_access_version_number(); }

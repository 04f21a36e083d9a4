#include "data/png.h"
#include "base/memory.h"
#include "data/exif.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void gt_picture_finish(gt_picture *picture) {
  free(picture->data);
  *picture = (gt_picture){0};
}

/* Is the library short of memory, or the file bad? It says so in words only. */
static bool refuse(const png_image *image, const char *path, gt_error *error) {
  return gt_fail(error, strstr(image->message, "memory") ? GT_ERR_MEMORY : GT_ERR_DATA, "%s: %s", path,
                 image->message);
}

/* The picture is finished after failing. */
static bool turn(gt_picture *p, int orientation, const char *path, gt_error *error) {
  void *turned;
  if (orientation == 1) return true;
  if (!gt_try_alloc(&turned, (uint64_t)p->height * p->width, p->channels, path, error)) {
    gt_picture_finish(p);
    return false;
  }
  const bool swaps = gt_exif_swaps(orientation);
  const uint32_t height = swaps ? p->width : p->height, width = swaps ? p->height : p->width;
  gt_exif_turn(orientation, p->data, height, width, p->channels, turned);
  free(p->data);
  *p = (gt_picture){height, width, p->channels, turned};
  return true;
}

/* libpng's simplified interface: it never jumps, and limits what a file may ask for. */
bool gt_png_decode(const char *path, const gt_bytes *bytes, gt_picture *out, gt_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  const png_color black = {0};
  void *data;
  *out = (gt_picture){0};
  if (!png_image_begin_read_from_memory(&image, bytes->data, bytes->size)) return refuse(&image, path, error);
  if (image.width > GT_PNG_MOST_SIDE || image.height > GT_PNG_MOST_SIDE) {
    png_image_free(&image);
    return gt_fail(error, GT_ERR_DATA, "%s: %u x %u pixels; at most %d a side are supported", path,
                   image.width, image.height, GT_PNG_MOST_SIDE);
  }
  image.format = image.format & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  if (!gt_try_alloc(&data, PNG_IMAGE_SIZE(image), 1, path, error)) {
    png_image_free(&image);
    return false;
  }
  gt_picture picture = {image.height, image.width, PNG_IMAGE_SAMPLE_CHANNELS(image.format), data};
  if (!png_image_finish_read(&image, &black, picture.data, 0, NULL)) {
    gt_picture_finish(&picture);
    return refuse(&image, path, error);
  }
  const bool ok = turn(&picture, gt_exif_of_png(bytes), path, error);
  *out = picture;
  return ok;
}

bool gt_png_read(const char *path, gt_picture *out, gt_error *error) {
  gt_bytes bytes;
  *out = (gt_picture){0};
  if (!gt_read_file(path, GT_PNG_MOST_BYTES, &bytes, error)) return false;
  const bool ok = gt_png_decode(path, &bytes, out, error);
  gt_bytes_finish(&bytes);
  return ok;
}

/* --- writing --- */

static void put32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool write_chunk(gt_output *output, const char *type, const uint8_t *data, size_t size,
                        gt_error *error) {
  uint8_t head[8], tail[4];
  put32(head, (uint32_t)size);
  memcpy(head + 4, type, 4);
  uLong crc = crc32(0, head + 4, 4);
  if (size) crc = crc32(crc, data, (uInt)size);
  put32(tail, (uint32_t)crc);
  return gt_output_write(output, head, 8, error) && gt_output_write(output, data, size, error) &&
         gt_output_write(output, tail, 4, error);
}

static bool write_header(gt_output *output, const gt_picture *p, gt_error *error) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  uint8_t header[13] = {0};
  put32(header, p->width);
  put32(header + 4, p->height);
  header[8] = 8;
  header[9] = p->channels == 3 ? 2 : 0;
  return gt_output_write(output, signature, 8, error) &&
         write_chunk(output, "IHDR", header, sizeof header, error);
}

static bool write_end(gt_output *output, gt_error *error) {
  return write_chunk(output, "IEND", (const uint8_t *)"", 0, error);
}

/* The rows, each after a byte 0 (no filter), deflated behind `space` free bytes. Heap. */
static uint8_t *deflate_rows(const gt_picture *p, size_t space, size_t *size) {
  const size_t row = (size_t)p->width * p->channels, raw_size = (row + 1) * p->height;
  uint8_t *raw = gt_alloc(raw_size + 1);
  for (uint32_t y = 0; y < p->height; y++) {
    raw[y * (row + 1)] = 0;
    memcpy(raw + y * (row + 1) + 1, p->data + y * row, row);
  }
  uLongf bound = compressBound((uLong)raw_size);
  uint8_t *out = gt_alloc(space + bound);
  if (compress2(out + space, &bound, raw, (uLong)raw_size, 6) != Z_OK) gt_out_of_memory(0);
  free(raw);
  *size = space + bound;
  return out;
}

bool gt_png_write(const char *path, const gt_picture *picture, gt_error *error) {
  size_t size;
  gt_output output;
  uint8_t *rows = deflate_rows(picture, 0, &size);
  bool ok = gt_output_open(&output, path, error);
  if (ok) {
    ok = write_header(&output, picture, error) && write_chunk(&output, "IDAT", rows, size, error) &&
         write_end(&output, error);
    ok = gt_output_close(&output, ok, error) && ok;
  }
  free(rows);
  return ok;
}

bool gt_animation_open(gt_animation *a, const char *path, uint32_t frames, uint32_t delay_ms,
                       gt_error *error) {
  *a = (gt_animation){.expected = frames, .delay_ms = delay_ms};
  a->open = gt_output_open(&a->output, path, error);
  return a->open;
}

/* The first frame is also the picture that plain readers show: its rows are an IDAT; the others' are fdAT. */
bool gt_animation_add(gt_animation *a, const gt_picture *picture, gt_error *error) {
  const bool first = a->frames == 0;
  uint8_t control[26] = {0}, begin[8] = {0};
  if (first) {
    a->height = picture->height, a->width = picture->width, a->channels = picture->channels;
    put32(begin, a->expected);
    if (!write_header(&a->output, picture, error) ||
        !write_chunk(&a->output, "acTL", begin, sizeof begin, error))
      return false;
  }
  if (picture->height != a->height || picture->width != a->width || picture->channels != a->channels)
    return gt_fail(error, GT_ERR_INTERNAL, "frames of different sizes");
  put32(control, a->sequence++);
  put32(control + 4, picture->width);
  put32(control + 8, picture->height);
  control[20] = (uint8_t)(a->delay_ms >> 8), control[21] = (uint8_t)a->delay_ms;
  control[22] = 1000 >> 8, control[23] = 1000 & 255;
  size_t size;
  uint8_t *rows = deflate_rows(picture, first ? 0 : 4, &size);
  if (!first) put32(rows, a->sequence++);
  const bool ok = write_chunk(&a->output, "fcTL", control, sizeof control, error) &&
                  write_chunk(&a->output, first ? "IDAT" : "fdAT", rows, size, error);
  a->frames += ok;
  free(rows);
  return ok;
}

bool gt_animation_close(gt_animation *a, gt_error *error) {
  if (!a->open) return true;
  a->open = false;
  const bool whole = a->frames == a->expected && write_end(&a->output, error);
  const bool ok = gt_output_close(&a->output, whole, error);
  if (a->frames != a->expected)
    gt_fail(error, GT_ERR_IO, "%s has %u frames of %u", a->output.path, a->frames, a->expected);
  return ok && whole;
}

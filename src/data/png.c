#include "data/png.h"
#include "base/memory.h"
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void gt_picture_finish(gt_picture *picture) {
  free(picture->data);
  *picture = (gt_picture){0};
}

/* libpng's simplified interface: it never jumps, and limits what a file may ask for. */
bool gt_png_read(const char *path, gt_picture *out, gt_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  const png_color black = {0};
  *out = (gt_picture){0};
  if (!png_image_begin_read_from_file(&image, path))
    return gt_fail(error, GT_ERR_DATA, "%s: %s", path, image.message);
  if (image.width > GT_PNG_MOST_SIDE || image.height > GT_PNG_MOST_SIDE) {
    png_image_free(&image);
    return gt_fail(error, GT_ERR_DATA, "%s: %u x %u pixels; at most %d a side are supported", path,
                   image.width, image.height, GT_PNG_MOST_SIDE);
  }
  image.format = image.format & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  void *memory;
  if (!gt_try_alloc(&memory, PNG_IMAGE_SIZE(image), 1, path, error)) {
    png_image_free(&image);
    return false;
  }
  gt_picture picture = {image.height, image.width, PNG_IMAGE_SAMPLE_CHANNELS(image.format), memory};
  if (!png_image_finish_read(&image, &black, picture.data, 0, NULL)) {
    gt_picture_finish(&picture);
    return gt_fail(error, GT_ERR_DATA, "%s: %s", path, image.message);
  }
  *out = picture;
  return true;
}

/* --- writing
 * --------------------------------------------------------------------------------------------------- */

static void put32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool failed(const char *path, gt_error *error) {
  return gt_fail(error, GT_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

static bool write_chunk(FILE *file, const char *type, const uint8_t *data, size_t size) {
  uint8_t head[8], tail[4];
  put32(head, (uint32_t)size);
  memcpy(head + 4, type, 4);
  uLong crc = crc32(0, head + 4, 4);
  if (size) crc = crc32(crc, data, (uInt)size);
  put32(tail, (uint32_t)crc);
  return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, size, file) == size &&
         fwrite(tail, 1, 4, file) == 4;
}

static bool write_header(FILE *file, const gt_picture *p) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  uint8_t header[13] = {0};
  put32(header, p->width);
  put32(header + 4, p->height);
  header[8] = 8;
  header[9] = p->channels == 3 ? 2 : 0;
  return fwrite(signature, 1, 8, file) == 8 && write_chunk(file, "IHDR", header, sizeof header);
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
  const int status = compress2(out + space, &bound, raw, (uLong)raw_size, 6);
  free(raw);
  *size = space + bound;
  if (status == Z_OK) return out;
  free(out);
  return NULL;
}

bool gt_png_write(const char *path, const gt_picture *picture, gt_error *error) {
  size_t size;
  uint8_t *rows = deflate_rows(picture, 0, &size);
  FILE *file = rows ? fopen(path, "wb") : NULL;
  bool ok = file && write_header(file, picture) && write_chunk(file, "IDAT", rows, size) &&
            write_chunk(file, "IEND", rows, 0);
  if (file && fclose(file)) ok = false;
  free(rows);
  return ok || failed(path, error);
}

bool gt_animation_open(gt_animation *a, const char *path, uint32_t frames, uint32_t delay_ms,
                       gt_error *error) {
  *a = (gt_animation){.path = path, .expected = frames, .delay_ms = delay_ms, .file = fopen(path, "wb")};
  return a->file || failed(path, error);
}

/* The first frame is also the picture that plain readers show: its rows are an IDAT; the others' are fdAT. */
bool gt_animation_add(gt_animation *a, const gt_picture *picture, gt_error *error) {
  const bool first = a->frames++ == 0;
  uint8_t control[26] = {0}, begin[8] = {0};
  if (first) {
    a->height = picture->height, a->width = picture->width, a->channels = picture->channels;
    put32(begin, a->expected);
    if (!write_header(a->file, picture) || !write_chunk(a->file, "acTL", begin, sizeof begin))
      return failed(a->path, error);
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
  if (rows && !first) put32(rows, a->sequence++);
  const bool ok = rows && write_chunk(a->file, "fcTL", control, sizeof control) &&
                  write_chunk(a->file, first ? "IDAT" : "fdAT", rows, size);
  free(rows);
  return ok || failed(a->path, error);
}

bool gt_animation_close(gt_animation *a, gt_error *error) {
  if (!a->file) return true;
  bool ok = a->frames == a->expected && write_chunk(a->file, "IEND", (const uint8_t *)"", 0);
  if (fclose(a->file)) ok = false;
  a->file = NULL;
  return ok || failed(a->path, error);
}

#include "draw/png.h"
#include "base/memory.h"
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

gt_picture gt_picture_blank(uint32_t height, uint32_t width) {
  const size_t bytes = (size_t)height * width * 3;
  return (gt_picture){height, width, 3, memset(gt_alloc(bytes), 255, bytes)};
}

void gt_picture_finish(gt_picture *picture) {
  free(picture->data);
  *picture = (gt_picture){0};
}

enum { SIGNATURE = 8 }; /* bytes before the first chunk */

static bool write_chunk(gt_output *output, const char *type, const uint8_t *data, size_t size,
                        gt_error *error) {
  uint8_t head[8], tail[4];
  png_save_uint_32(head, (uint32_t)size);
  memcpy(head + 4, type, 4);
  uLong crc = crc32(0, head + 4, 4);
  if (size) crc = crc32(crc, data, (uInt)size);
  png_save_uint_32(tail, (uint32_t)crc);
  return gt_output_write(output, head, 8, error) && gt_output_write(output, data, size, error) &&
         gt_output_write(output, tail, 4, error);
}

/* Encodes the picture as a PNG file in memory. Heap. */
static bool encode(const gt_picture *p, const char *path, gt_bytes *out, gt_error *error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = p->width,
                     .height = p->height,
                     .format = p->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY,
                     .flags = PNG_IMAGE_FLAG_FAST /* no filters: they do not help for drawings and boards */};
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  void *memory;
  if (!gt_try_alloc(&memory, size, 1, path, error)) return false;
  *out = (gt_bytes){.data = memory};
  if (!png_image_write_to_memory(&image, memory, &size, 0, p->data, 0, NULL)) {
    gt_bytes_finish(out);
    return gt_fail(error, strstr(image.message, "memory") ? GT_ERR_MEMORY : GT_ERR_INTERNAL, "%s: %s", path,
                   image.message);
  }
  out->size = size;
  return true;
}

bool gt_png_write(const char *path, const gt_picture *picture, gt_error *error) {
  gt_bytes file;
  if (!encode(picture, path, &file, error)) return false;
  /* Not gt_write_output: to sync each of thousands of pictures takes longer than to compute them. */
  gt_output output;
  bool ok = gt_output_open(&output, path, error);
  if (ok) {
    const bool is_complete = gt_output_write(&output, file.data, file.size, error);
    ok = gt_output_close(&output, is_complete, error) && is_complete;
  }
  gt_bytes_finish(&file);
  return ok;
}

bool gt_animation_open(gt_animation *a, const char *path, uint32_t frames, uint32_t delay_ms,
                       gt_error *error) {
  *a = (gt_animation){.expected = frames, .delay_ms = delay_ms};
  a->open = gt_output_open(&a->output, path, error);
  return a->open;
}

/* Writes the frame control chunk, with a delay in milliseconds. */
static bool write_control(gt_animation *a, gt_error *error) {
  uint8_t control[26] = {0};
  png_save_uint_32(control, a->sequence++);
  png_save_uint_32(control + 4, a->width);
  png_save_uint_32(control + 8, a->height);
  control[20] = (uint8_t)(a->delay_ms >> 8), control[21] = (uint8_t)a->delay_ms;
  control[22] = 1000 >> 8, control[23] = 1000 & 255;
  return write_chunk(&a->output, "fcTL", control, sizeof control, error);
}

/* Copies the pixels (and for the first frame the header) of a frame's PNG file to the animation, one chunk at
 * a time. chunk: length, type, data, checksum. */
static bool add_chunk(gt_animation *a, uint8_t *chunk, size_t length, bool *has_control, gt_error *error) {
  uint8_t animation[8] = {0}; /* data of chunk acTL: number of frames, then 0: repeat forever */
  const char *type = (const char *)chunk + 4;
  const bool pixels = !memcmp(type, "IDAT", 4), header = !memcmp(type, "IHDR", 4);
  if (!pixels && (!header || a->frames)) return true;
  if (pixels && !*has_control && !write_control(a, error)) return false;
  *has_control |= pixels;
  if (a->frames) { /* the sequence number is written over the type */
    png_save_uint_32(chunk + 4, a->sequence++);
    return write_chunk(&a->output, "fdAT", chunk + 4, length + 4, error);
  }
  png_save_uint_32(animation, a->expected);
  return gt_output_write(&a->output, chunk, length + 12, error) &&
         (!header || write_chunk(&a->output, "acTL", animation, sizeof animation, error));
}

/* Plain PNG readers show the first frame: its pixels are in IDAT chunks, those of other frames in fdAT. */
bool gt_animation_add(gt_animation *a, const gt_picture *picture, gt_error *error) {
  gt_bytes file;
  if (!a->frames) a->height = picture->height, a->width = picture->width, a->channels = picture->channels;
  if (picture->height != a->height || picture->width != a->width || picture->channels != a->channels)
    return gt_fail(error, GT_ERR_INTERNAL, "frames of different sizes");
  if (!encode(picture, a->output.path, &file, error)) return false;
  bool has_control = false, ok = a->frames || gt_output_write(&a->output, file.data, SIGNATURE, error);
  for (size_t at = SIGNATURE; ok && at < file.size;) {
    const size_t length = png_get_uint_32(file.data + at);
    ok = add_chunk(a, file.data + at, length, &has_control, error);
    at += length + 12;
  }
  a->frames += ok;
  gt_bytes_finish(&file);
  return ok;
}

bool gt_animation_close(gt_animation *a, gt_error *error) {
  if (!a->open) return true;
  a->open = false;
  const bool is_complete =
      a->frames == a->expected && write_chunk(&a->output, "IEND", (const uint8_t *)"", 0, error);
  const bool ok = gt_output_close(&a->output, is_complete, error);
  if (a->frames != a->expected)
    gt_fail(error, GT_ERR_IO, "%s has %u frames of %u", a->output.path, a->frames, a->expected);
  return ok && is_complete;
}

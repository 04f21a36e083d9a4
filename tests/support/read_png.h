/* Reads a PNG file, for tests that check the pixels of pictures. */
#ifndef GT_TESTS_READ_PNG_H
#define GT_TESTS_READ_PNG_H
#include "data/images/images.h"

static inline bool read_png(const char *path, gt_picture *out, gt_error *error) {
  gt_bytes bytes;
  *out = (gt_picture){0};
  if (!gt_read_file(path, 1 << 26, &bytes, error)) return false;
  const bool ok = gt_png_decode(path, &bytes, out, error);
  gt_bytes_finish(&bytes);
  return ok;
}
#endif

#include "data/images/exif.h"
#include <string.h>
#include <zlib.h>

static uint32_t read_number(const uint8_t *at, int size, bool big_endian) {
  uint32_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | at[big_endian ? i : size - 1 - i];
  return value;
}

int gt_exif_orientation(const uint8_t *tiff, size_t size) {
  enum { HEADER = 8, ENTRY = 12, TAG = 0x112, SHORT = 3 }; /* bytes; the orientation's tag; its TIFF type */
  if (size < HEADER || (memcmp(tiff, "MM", 2) != 0 && memcmp(tiff, "II", 2) != 0)) return 1;
  const bool big = tiff[0] == 'M';
  const uint32_t first = read_number(tiff + 4, 4, big);
  if (first > size - 2) return 1;
  const uint32_t entries = read_number(tiff + first, 2, big);
  for (uint32_t i = 0; i < entries; i++) {
    const size_t at = (size_t)first + 2 + (size_t)i * ENTRY;
    if (at + ENTRY > size) return 1;
    if (read_number(tiff + at, 2, big) != TAG || read_number(tiff + at + 2, 2, big) != SHORT) continue;
    const uint32_t value = read_number(tiff + at + 8, 2, big);
    return value >= 1 && value <= 8 ? (int)value : 1;
  }
  return 1;
}

int gt_exif_of_png(const gt_bytes *file) {
  enum { SIGNATURE = 8, AROUND = 12 }; /* AROUND: bytes of a chunk besides its data: length, type, checksum */
  for (size_t at = SIGNATURE; at < file->size && file->size - at >= AROUND;) {
    const uint8_t *chunk = file->data + at;
    const size_t length = read_number(chunk, 4, true);
    if (length > file->size - at - AROUND) return 1;
    if (!memcmp(chunk + 4, "eXIf", 4))
      return crc32(0, chunk + 4, (uInt)length + 4) == read_number(chunk + 8 + length, 4, true)
                 ? gt_exif_orientation(chunk + 8, length)
                 : 1;
    at += length + AROUND;
  }
  return 1;
}

void gt_exif_apply(int orientation, const uint8_t *from, int64_t height, int64_t width, int64_t channels,
                   uint8_t *to) {
  const bool swap = gt_exif_swaps(orientation),
             from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7,
             from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const int64_t high = swap ? width : height, wide = swap ? height : width; /* size of `from` */
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++, to += channels) {
      const int64_t row = swap ? x : y, column = swap ? y : x;
      const int64_t at =
          (from_below ? high - 1 - row : row) * wide + (from_right ? wide - 1 - column : column);
      memcpy(to, from + at * channels, (size_t)channels);
    }
}

/* EXIF orientation (tag 0x112): how to rotate or mirror the stored image for display. 1: unchanged; 2 to 8:
 * mirrored or rotated, 5 to 8 with rows and columns exchanged. JPEG stores it in marker APP1, PNG in chunk
 * eXIf. */
#ifndef GT_DATA_EXIF_H
#define GT_DATA_EXIF_H
#include "base/file.h"

/* Reads the orientation from the first directory of a TIFF structure; 1 if it is absent or damaged. */
int gt_exif_orientation(const uint8_t *tiff, size_t size);
/* Reads the orientation from chunk eXIf of a PNG file, which may follow the pixels (PNG specification, third
 * edition, 11.3.2.4); 1 if it is absent or its checksum is wrong. */
int gt_exif_of_png(const gt_bytes *file);
static inline bool gt_exif_swaps(int orientation) { return orientation >= 5; }
/* Copies the stored image `from` to `to` in the orientation for display. `to` is [height, width,
 * channels]. */
void gt_exif_apply(int orientation, const uint8_t *from, int64_t height, int64_t width, int64_t channels,
                   uint8_t *to);
#endif

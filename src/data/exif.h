/* EXIF's orientation (tag 0x112): how a picture is to be turned to be seen as it was taken. 1: not at all; 2
 * to 8: mirrored and turned, 5 to 8 so that rows become columns. In JPEG it stands in marker APP1, in PNG in
 * chunk eXIf. */
#ifndef GT_DATA_EXIF_H
#define GT_DATA_EXIF_H
#include "base/file.h"

/* Of a TIFF structure: its first directory's orientation; 1 if there is none, or no sound structure. */
int gt_exif_orientation(const uint8_t *tiff, size_t size);
/* Of a PNG file: that of its chunk eXIf, which may also stand behind the pixels (PNG specification, third
 * edition, 11.3.2.4); 1 without such a chunk, or where its checksum is wrong. */
int gt_exif_of_png(const gt_bytes *file);
static inline bool gt_exif_swaps(int orientation) { return orientation >= 5; }
/* from, as it lies in the file, to `to`, as it is seen: [height, width, channels], where height and width are
 * those of `to`. */
void gt_exif_turn(int orientation, const uint8_t *from, int64_t height, int64_t width, int64_t channels,
                  uint8_t *to);
#endif

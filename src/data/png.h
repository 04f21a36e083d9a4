/* Pictures as PNG files, and several as an animated PNG (APNG: the chunks acTL, fcTL and fdAT of the PNG
 * specification's third edition, which plain PNG readers skip). libpng encodes the pixels; files are read as
 * pictures of a dataset are (images_load.c). */
#ifndef GT_DATA_PNG_H
#define GT_DATA_PNG_H
#include "base/file.h"
#include "base/output.h"

enum { GT_PNG_MOST_SIDE = 16384 };

typedef struct gt_picture { /* [height][width][channels], one byte each: 1 grey, 3 colours */
  uint32_t height, width, channels;
  uint8_t *data; /* heap */
} gt_picture;

void gt_picture_finish(gt_picture *picture); /* accepts a zeroed one */
/* Values as they are stored, transparency over black, 16 bits scaled to 8, turned as its EXIF says; a file
 * without colours has one channel. GT_ERR_DATA, naming the file, if it is damaged or larger than
 * GT_PNG_MOST_SIDE on a side. */
bool gt_png_decode(const char *path, const gt_bytes *bytes, gt_picture *out, gt_error *error);
bool gt_png_write(const char *path, const gt_picture *picture, gt_error *error);

typedef struct gt_animation { /* an APNG being written; all frames have the size of the first */
  gt_output output;
  bool open;
  uint32_t frames, expected, sequence, delay_ms;
  uint32_t height, width, channels;
} gt_animation;
bool gt_animation_open(gt_animation *animation, const char *path, uint32_t frames, uint32_t delay_ms,
                       gt_error *error);
bool gt_animation_add(gt_animation *animation, const gt_picture *picture, gt_error *error);
/* After as many frames as were announced: else it is an error, and a file that was there before stays. */
bool gt_animation_close(gt_animation *animation, gt_error *error);
#endif

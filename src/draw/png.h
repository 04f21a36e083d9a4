/* Writes images as PNG files, and several as an animated PNG (APNG: chunks acTL, fcTL and fdAT of the PNG
 * specification's third edition, which plain readers skip). libpng encodes the pixels. data/images reads
 * PNG files. */
#ifndef GT_DRAW_PNG_H
#define GT_DRAW_PNG_H
#include "base/file.h"
#include "base/output.h"

enum { GT_PNG_MAX_SIDE = 16384 };

typedef struct gt_picture { /* [height][width][channels], one byte each: 1 gray, 3 RGB */
  uint32_t height, width, channels;
  uint8_t *data; /* heap */
} gt_picture;

gt_picture gt_picture_blank(uint32_t height, uint32_t width); /* white, RGB */
void gt_picture_finish(gt_picture *picture);                  /* accepts a zeroed struct */
bool gt_png_write(const char *path, const gt_picture *picture, gt_error *error);

typedef struct gt_animation { /* an APNG being written; all frames have the size of the first */
  gt_output output;
  bool open;
  uint32_t frames, expected; /* written so far; in total */
  uint32_t sequence;         /* number of the next animation chunk */
  uint32_t delay_ms;         /* per frame */
  uint32_t height, width, channels;
} gt_animation;
bool gt_animation_open(gt_animation *animation, const char *path, uint32_t frames, uint32_t delay_ms,
                       gt_error *error);
bool gt_animation_add(gt_animation *animation, const gt_picture *picture, gt_error *error);
/* Finishes the file. Fails and keeps an existing file if fewer frames were added than announced. */
bool gt_animation_close(gt_animation *animation, gt_error *error);
#endif

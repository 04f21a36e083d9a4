#include "draw/sheet.h"
#include "base/count.h"
#include "draw/letters.h"
#include <math.h>

/* Pixels: the larger side of an image, the gap between images. */
enum { MAX_COLUMNS = 8, LEAST_SIDE = 64, MAX_SIDE = 256, GAP = 4 };

void gt_sheet_open(gt_sheet *s) {
  const int64_t side = gt_max_i64(s->input.height, s->input.width), images = s->target.height ? 2 : 1;
  const uint32_t columns = (uint32_t)gt_min_i64((int64_t)ceil(sqrt((double)s->cells)), MAX_COLUMNS);
  const uint32_t rows = (uint32_t)gt_ceil_div(s->cells, columns);
  s->zoom = (uint32_t)gt_max_i64(1, gt_ceil_div(LEAST_SIDE, side));
  s->stride = (uint32_t)gt_ceil_div(side, MAX_SIDE);
  s->wide = (uint32_t)(gt_ceil_div(s->input.width, s->stride) * s->zoom * images + GAP * (images - 1));
  /* 2: pixels between the image and its text. */
  s->high = (uint32_t)(gt_ceil_div(s->input.height, s->stride) * s->zoom) + 2 + s->lines * GT_LETTER_HEIGHT;
  s->picture = gt_picture_blank(rows * (s->high + GAP) + GAP, columns * (s->wide + GAP) + GAP);
}

static uint8_t shade_of(const gt_sheet_image *layout, double value) {
  const double fraction = (value - layout->black) / (layout->white - layout->black);
  return (uint8_t)lround(255 * fmin(fmax(fraction, 0), 1));
}

/* Draws an image at pixel (x, y) of the sheet: in colours if it has 3 channels, otherwise its first channel
 * in grey. */
static void draw(gt_sheet *s, const gt_sheet_image *layout, const float *values, uint32_t x, uint32_t y) {
  const uint32_t width = (uint32_t)gt_ceil_div(layout->width, s->stride) * s->zoom,
                 height = (uint32_t)gt_ceil_div(layout->height, s->stride) * s->zoom;
  for (uint32_t i = 0; i < height; i++)
    for (uint32_t j = 0; j < width; j++) {
      const int64_t down = (int64_t)(i / s->zoom) * s->stride, across = (int64_t)(j / s->zoom) * s->stride;
      const float *from = values + (down * layout->width + across) * layout->channels;
      if (y + i >= s->picture.height || x + j >= s->picture.width) continue;
      uint8_t *to = s->picture.data + ((size_t)(y + i) * s->picture.width + x + j) * 3;
      for (int c = 0; c < 3; c++) to[c] = shade_of(layout, (double)from[layout->channels == 3 ? c : 0]);
    }
}

void gt_sheet_draw(gt_sheet *s, int64_t cell, const float *input, const float *target,
                   const char *const *line) {
  const int64_t columns = (s->picture.width - GAP) / (s->wide + GAP);
  const uint32_t x = (uint32_t)(cell % columns) * (s->wide + GAP) + GAP;
  const uint32_t y = (uint32_t)(cell / columns) * (s->high + GAP) + GAP;
  draw(s, &s->input, input, x, y);
  if (s->target.height) draw(s, &s->target, target, x + (s->wide + GAP) / 2, y);
  for (uint32_t i = 0; i < s->lines; i++)
    gt_picture_draw_text(&s->picture, x, y + s->high - (s->lines - i) * GT_LETTER_HEIGHT, s->wide,
                         (gt_letter_form){.scale = 1}, line[i]);
}

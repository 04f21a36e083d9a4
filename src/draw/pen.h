/* gt_pen: a drawing backend, SVG or raster. The background is white, and coordinates are in CSS pixels. A
 * drawing is a function that takes a pen, and does not depend on the backend. */
#ifndef GT_DRAW_PEN_H
#define GT_DRAW_PEN_H
#include "draw/png.h"
#include <stdio.h>

typedef struct gt_point {
  double x, y;
} gt_point;

typedef struct gt_ink {
  uint32_t color; /* 0xRRGGBB */
  double width;   /* of a line */
  bool dashed;
} gt_ink;

typedef struct gt_pen gt_pen;
struct gt_pen {
  void (*polyline)(gt_pen *pen, const gt_point *point, int points, gt_ink ink);
  void (*disc)(gt_pen *pen, gt_point center, double radius, uint32_t color);
  void (*text)(gt_pen *pen, gt_point middle, const char *text, uint32_t color);
};

/* Of `text`: the advance width of a character, the height of a capital. */
enum { GT_TEXT_WIDTH = 7, GT_TEXT_HEIGHT = 8 };

typedef void gt_drawing(gt_pen *pen, const void *data);

void gt_draw_svg(gt_drawing *draw, const void *data, int width, int height, FILE *stream);
/* Renders with two pixels of the picture per CSS pixel; the caller frees the picture. */
gt_picture gt_draw_pixels(gt_drawing *draw, const void *data, int width, int height);
#endif

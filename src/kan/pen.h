/* gt_pen: what pictures are drawn with, on white, in units of a pixel of the screen: as SVG text, or as
 * pixels. A picture is drawn by a function that is given a pen, and knows nothing of where it draws. */
#ifndef GT_KAN_PEN_H
#define GT_KAN_PEN_H
#include "data/png.h"
#include <stdio.h>

typedef struct gt_point {
  double x, y;
} gt_point;

typedef struct gt_ink {
  uint32_t colour; /* 0xRRGGBB */
  double width;    /* of lines */
  bool dashed;
} gt_ink;

typedef struct gt_pen gt_pen;
struct gt_pen {
  void (*curve)(gt_pen *pen, const gt_point *point, int points, gt_ink ink); /* straight between points */
  void (*disc)(gt_pen *pen, gt_point centre, double radius, uint32_t colour);
  void (*text)(gt_pen *pen, gt_point middle, const char *text, uint32_t colour); /* GT_TEXT_… */
};

enum { GT_TEXT_WIDTH = 6, GT_TEXT_HEIGHT = 7 }; /* of a character with its gap, of a capital */

typedef void gt_drawing(gt_pen *pen, const void *picture);

void gt_draw_svg(gt_drawing *draw, const void *picture, int width, int height, FILE *stream);
/* Twice as fine as the units: heap, finished by the caller. */
gt_picture gt_draw_pixels(gt_drawing *draw, const void *picture, int width, int height);
#endif

/* The raster pen. The coverage of a pixel by a line or disc is computed from its center's distance. */
#include "draw/letters.h"
#include "draw/pen.h"
#include <math.h>
#include <string.h>

enum { SCALE = 2 };           /* pixels per unit of length */
static const double dash = 3; /* length of a dash and of a gap, in units */

typedef struct pixels {
  gt_pen pen;
  gt_picture picture;
} pixels;

/* Blends a color into a pixel; share: how much of the pixel it covers. */
static void blend(pixels *p, int x, int y, uint32_t color, double share) {
  if (x < 0 || y < 0 || x >= (int)p->picture.width || y >= (int)p->picture.height || share <= 0) return;
  uint8_t *at = p->picture.data + 3 * ((size_t)y * p->picture.width + (size_t)x);
  for (int c = 0; c < 3; c++) {
    const double component = (color >> (16 - 8 * c)) & 255;
    at[c] = (uint8_t)lround(at[c] + (component - at[c]) * fmin(share, 1));
  }
}

/* The distance of (x, y) from the line segment from a to b. */
static double distance(double x, double y, gt_point a, gt_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length_squared = dx * dx + dy * dy;
  double t = length_squared > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length_squared : 0;
  t = fmax(0, fmin(1, t));
  return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

/* Draws a line; coordinates and width are in pixels of the image. */
static void draw_line(pixels *p, gt_point a, gt_point b, double width, uint32_t color) {
  const double bound = 0.5 * width + 1;
  const int left = (int)floor(fmin(a.x, b.x) - bound), right = (int)ceil(fmax(a.x, b.x) + bound);
  const int top = (int)floor(fmin(a.y, b.y) - bound), bottom = (int)ceil(fmax(a.y, b.y) + bound);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      blend(p, x, y, color, 0.5 * width + 0.5 - distance(x + 0.5, y + 0.5, a, b));
}

static void draw_dashed_line(pixels *p, gt_point a, gt_point b, double width, uint32_t color) {
  const double length = hypot(b.x - a.x, b.y - a.y), step = dash * SCALE;
  for (double from = 0; from < length; from += 2 * step) {
    const double to = fmin(from + step, length), s = from / length, t = to / length;
    draw_line(p, (gt_point){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)},
              (gt_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, width, color);
  }
}

static gt_point scaled(gt_point point) { return (gt_point){SCALE * point.x, SCALE * point.y}; }

static void polyline(gt_pen *pen, const gt_point *point, int points, gt_ink ink) {
  pixels *p = (pixels *)pen;
  for (int i = 0; i + 1 < points; i++) {
    const gt_point a = scaled(point[i]), b = scaled(point[i + 1]);
    if (ink.dashed)
      draw_dashed_line(p, a, b, SCALE * ink.width, ink.color);
    else
      draw_line(p, a, b, SCALE * ink.width, ink.color);
  }
}

static void disc(gt_pen *pen, gt_point center, double radius, uint32_t color) {
  draw_line((pixels *)pen, scaled(center), scaled(center), 2 * SCALE * radius, color);
}

static void text(gt_pen *pen, gt_point middle, const char *text, uint32_t color) {
  pixels *p = (pixels *)pen;
  const int length = (int)strlen(text);
  const int left = (int)lround(SCALE * (middle.x - 0.5 * (GT_TEXT_WIDTH * length - 1)));
  const int top = (int)lround(SCALE * (middle.y - 0.5 * GT_TEXT_HEIGHT));
  for (int c = 0; c < length; c++)
    gt_picture_draw_letter(&p->picture, left + c * GT_TEXT_WIDTH * SCALE, top,
                           (gt_letter_form){.color = color, .scale = SCALE}, text[c]);
}

gt_picture gt_draw_pixels(gt_drawing *draw, const void *data, int width, int height) {
  pixels p = {{polyline, disc, text},
              gt_picture_blank((uint32_t)(SCALE * height), (uint32_t)(SCALE * width))};
  draw(&p.pen, data);
  return p.picture;
}

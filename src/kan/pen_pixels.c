/* The raster pen. The coverage of a pixel by a line or disc is computed from the distance of its center. */
#include "base/memory.h"
#include "data/letters.h"
#include "kan/pen.h"
#include <math.h>
#include <string.h>

/* FINE: pixels per unit of length; ROWS and COLUMNS: the size of a letter. */
enum { FINE = 2, ROWS = 8, COLUMNS = 5 };
static const double dash = 3;

typedef struct pixels {
  gt_pen pen;
  gt_picture picture;
} pixels;

static void mix(pixels *p, int x, int y, uint32_t color, double share) {
  if (x < 0 || y < 0 || x >= (int)p->picture.width || y >= (int)p->picture.height || share <= 0) return;
  uint8_t *at = p->picture.data + 3 * ((size_t)y * p->picture.width + (size_t)x);
  for (int c = 0; c < 3; c++) {
    const double wanted = (color >> (16 - 8 * c)) & 255;
    at[c] = (uint8_t)lround(at[c] + (wanted - at[c]) * fmin(share, 1));
  }
}

static double distance(double x, double y, gt_point a, gt_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  double t = length > 0 ? ((x - a.x) * dx + (y - a.y) * dy) / length : 0;
  t = fmax(0, fmin(1, t));
  return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

/* Draws a line; coordinates and width are in pixels of the image. */
static void line(pixels *p, gt_point a, gt_point b, double width, uint32_t color) {
  const double bound = 0.5 * width + 1;
  const int left = (int)floor(fmin(a.x, b.x) - bound), right = (int)ceil(fmax(a.x, b.x) + bound);
  const int top = (int)floor(fmin(a.y, b.y) - bound), bottom = (int)ceil(fmax(a.y, b.y) + bound);
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      mix(p, x, y, color, 0.5 * width + 0.5 - distance(x + 0.5, y + 0.5, a, b));
}

static void dashed(pixels *p, gt_point a, gt_point b, double width, uint32_t color) {
  const double length = hypot(b.x - a.x, b.y - a.y), step = dash * FINE;
  for (double from = 0; from < length; from += 2 * step) {
    const double to = fmin(from + step, length), s = from / length, t = to / length;
    line(p, (gt_point){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)},
         (gt_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, width, color);
  }
}

static gt_point fine(gt_point point) { return (gt_point){FINE * point.x, FINE * point.y}; }

static void polyline(gt_pen *pen, const gt_point *point, int points, gt_ink ink) {
  pixels *p = (pixels *)pen;
  for (int i = 0; i + 1 < points; i++) {
    const gt_point a = fine(point[i]), b = fine(point[i + 1]);
    if (ink.dashed)
      dashed(p, a, b, FINE * ink.width, ink.color);
    else
      line(p, a, b, FINE * ink.width, ink.color);
  }
}

static void disc(gt_pen *pen, gt_point center, double radius, uint32_t color) {
  line((pixels *)pen, fine(center), fine(center), 2 * FINE * radius, color);
}

static void text(gt_pen *pen, gt_point middle, const char *text, uint32_t color) {
  pixels *p = (pixels *)pen;
  const int length = (int)strlen(text);
  const int left = (int)lround(FINE * (middle.x - 0.5 * (GT_TEXT_WIDTH * length - 1)));
  const int top = (int)lround(FINE * (middle.y - 0.5 * GT_TEXT_HEIGHT));
  for (int c = 0; c < length; c++)
    for (int y = 0; y < ROWS * FINE; y++)
      for (int x = 0; x < COLUMNS * FINE; x++)
        if (gt_letter_has(text[c], (uint32_t)(y / FINE), (uint32_t)(x / FINE)))
          mix(p, left + c * GT_TEXT_WIDTH * FINE + x, top + y, color, 1);
}

gt_picture gt_draw_pixels(gt_drawing *draw, const void *data, int width, int height) {
  pixels p = {{polyline, disc, text},
              {.width = (uint32_t)(FINE * width), .height = (uint32_t)(FINE * height), .channels = 3}};
  const size_t bytes = (size_t)p.picture.width * p.picture.height * 3;
  p.picture.data = gt_alloc(bytes);
  memset(p.picture.data, 255, bytes);
  draw(&p.pen, data);
  return p.picture;
}

#include "draw/curve.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ROWS: of the plot, without axis and legend; DOTS_X, DOTS_Y: of a braille character; LABEL: bytes of a
 * label. */
enum { ROWS = GT_CURVE_LINES - 2, DOTS_X = 2, DOTS_Y = 4, LABEL = 16 };

/* --- the points --- */

/* True if the last point stays; otherwise the next one replaces it. */
static bool last_is_kept(const gt_curve *curve) { return (curve->seen - 1) % curve->every == 0; }

void gt_curve_add(gt_curve *curve, const gt_curve_point *point) {
  if (!curve->every) curve->every = 1;
  if (curve->count && !last_is_kept(curve)) curve->count--;
  if (curve->count == GT_CURVE_POINTS) {
    for (int i = 0; 2 * i < curve->count; i++) curve->point[i] = curve->point[2 * i];
    curve->count /= 2;
    curve->every *= 2;
  }
  curve->point[curve->count++] = *point;
  curve->seen++;
}

/* --- the plot --- */

typedef struct plot {
  const gt_curve *curve;
  const gt_curve_style *style;
  int width;                            /* in characters; the height is ROWS */
  int dots_x, dots_y;                   /* of a character */
  bool log;                             /* logarithmic scale */
  double least, most;                   /* the range of the losses, as scaled() returns them */
  unsigned char *dots[GT_CURVE_SERIES]; /* [ROWS * dots_y, width * dots_x], 1 where there is a dot */
} plot;

static double scaled(const plot *p, double loss) { return p->log ? log10(loss) : loss; }

/* Finds the range of the losses; false if too few are finite. */
static bool find_range(plot *p) {
  double least = INFINITY, most = -INFINITY;
  int finite = 0;
  for (int i = 0; i < p->curve->count; i++) {
    const double *loss = p->curve->point[i].loss;
    for (int s = 0; s < GT_CURVE_SERIES; s++)
      if (isfinite(loss[s])) least = fmin(least, loss[s]), most = fmax(most, loss[s]);
    finite += isfinite(loss[GT_CURVE_TRAIN]) || isfinite(loss[GT_CURVE_WATCHED]);
  }
  p->log = least > 0 && most > GT_CURVE_LOG * least;
  p->least = scaled(p, least);
  p->most = scaled(p, most);
  return finite >= 3;
}

/* The position of a point in dots, from the top left. */
static void locate(const plot *p, const gt_curve_point *point, int series, double *x, double *y) {
  const gt_curve_point *first = p->curve->point, *last = first + p->curve->count - 1;
  const double steps = (double)(last->step - first->step), range = p->most - p->least;
  *x = steps > 0 ? (double)(point->step - first->step) / steps * (p->width * p->dots_x - 1) : 0;
  *y = range > 0 ? (p->most - scaled(p, point->loss[series])) / range * (ROWS * p->dots_y - 1) : 0;
}

static void draw_line(const plot *p, int series, const double from[2], const double to[2]) {
  const int dots = (int)ceil(fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1]))),
            stride = p->width * p->dots_x;
  /* Without colour, two dotted lines look alike, so one has gaps. */
  const bool gaps = series == GT_CURVE_WATCHED && p->style->braille && !p->style->color;
  for (int i = 0; i <= dots; i++) {
    const double t = dots ? (double)i / dots : 0;
    const int x = (int)lround(from[0] + t * (to[0] - from[0]));
    const int y = (int)lround(from[1] + t * (to[1] - from[1]));
    if (!gaps || x % 4 < 2) p->dots[series][y * stride + x] = 1;
  }
}

static void draw_series(const plot *p, int series) {
  double previous[2] = {0, 0}, at[2];
  bool started = false;
  for (int i = 0; i < p->curve->count; i++) {
    const gt_curve_point *point = &p->curve->point[i];
    if (!isfinite(point->loss[series])) continue;
    locate(p, point, series, &at[0], &at[1]);
    draw_line(p, series, started ? previous : at, at);
    memcpy(previous, at, sizeof at);
    started = true;
  }
}

/* The dots of a character as the bits of its Unicode braille pattern. */
static unsigned pattern(const plot *p, int series, int row, int column) {
  static const unsigned bit[DOTS_Y][DOTS_X] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  unsigned bits = 0;
  for (int y = 0; y < p->dots_y; y++)
    for (int x = 0; x < p->dots_x; x++)
      if (p->dots[series][(row * p->dots_y + y) * p->width * p->dots_x + column * p->dots_x + x])
        bits |= bit[y][x];
  return bits;
}

/* --- the lines --- */

static const char *const colors[GT_CURVE_SERIES] = {"\033[36m", "\033[33m"};
static const char *const marks[GT_CURVE_SERIES] = {".", "o"}; /* without braille */
static const char reset_color[] = "\033[0m";

static void print_braille(FILE *stream, unsigned bits) {
  fprintf(stream, "\xE2%c%c", (int)(0xA0 | bits >> 6), (int)(0x80 | (bits & 0x3F))); /* U+2800 + bits */
}

/* The series that a character shows: the watched one hides the other. GT_CURVE_SERIES: none. */
static int visible_series(const plot *p, int row, int column) {
  if (pattern(p, GT_CURVE_WATCHED, row, column)) return GT_CURVE_WATCHED;
  return pattern(p, GT_CURVE_TRAIN, row, column) ? GT_CURVE_TRAIN : GT_CURVE_SERIES;
}

static void print_row(FILE *stream, const plot *p, int row) {
  int last = p->width - 1, color = GT_CURVE_SERIES;
  while (last >= 0 && visible_series(p, row, last) == GT_CURVE_SERIES) last--;
  for (int column = 0; column <= last; column++) {
    const int series = visible_series(p, row, column);
    if (p->style->color && series != GT_CURVE_SERIES && series != color)
      fputs(colors[color = series], stream);
    if (series == GT_CURVE_SERIES)
      fputc(' ', stream);
    else if (p->style->braille)
      print_braille(stream,
                    pattern(p, GT_CURVE_TRAIN, row, column) | pattern(p, GT_CURVE_WATCHED, row, column));
    else
      fputs(marks[series], stream);
  }
  fprintf(stream, "%s\n", color == GT_CURVE_SERIES ? "" : reset_color);
}

static void print_rows(FILE *stream, const plot *p, char label[2][LABEL], int label_width) {
  for (int row = 0; row < ROWS; row++) {
    const char *text = row == 0 ? label[0] : row == ROWS - 1 ? label[1] : "";
    fprintf(stream, "%*s %s", label_width, text, p->style->braille ? "\u2502" : "|");
    print_row(stream, p, row);
  }
}

/* Prints the first and last step or epoch below the corners of the plot. */
static void print_axis(FILE *stream, const plot *p, int indent) {
  const gt_curve_point *first = p->curve->point, *last = first + p->curve->count - 1;
  const char *unit = p->style->epochs ? "epoch" : "step";
  char left[2 * LABEL + 8], right[2 * LABEL + 8];
  snprintf(left, sizeof left, "%s %lld", unit, (long long)(p->style->epochs ? first->epoch : first->step));
  snprintf(right, sizeof right, "%lld", (long long)(p->style->epochs ? last->epoch : last->step));
  const int gap = p->width - (int)(strlen(left) + strlen(right));
  if (gap > 0) fprintf(stream, "%*s%s%*s%s\n", indent, "", left, gap, "", right);
}

/* Prints a mark of the series, and its name. In braille the mark is two characters with the dots of the
 * second row (0x12), the second one blank if the line has gaps. */
static void print_key(FILE *stream, const plot *p, int series, const char *name) {
  const bool color = p->style->color;
  fprintf(stream, "  %s", color ? colors[series] : "");
  for (int i = 0; i < 2 && p->style->braille; i++)
    print_braille(stream, series == GT_CURVE_TRAIN || color ? 0x12 : i ? 0 : 0x12);
  fprintf(stream, "%s%s %s", p->style->braille ? "" : marks[series], color ? reset_color : "", name);
}

/* The legend is indented like the plot if it fits. */
static void print_legend(FILE *stream, const plot *p, int indent) {
  const char *head = p->log ? "loss (log)" : "loss";
  const int mark = p->style->braille ? 2 : 1, gaps = 2 + 1;
  int width = (int)strlen(head) + gaps + mark + (int)strlen("train");
  if (p->style->watched) width += gaps + mark + (int)strlen(p->style->watched);
  if (indent + width > p->style->columns) indent = 0;
  fprintf(stream, "%*s%s", indent, "", head);
  print_key(stream, p, GT_CURVE_TRAIN, "train");
  if (p->style->watched) print_key(stream, p, GT_CURVE_WATCHED, p->style->watched);
  fputc('\n', stream);
}

void gt_curve_draw(FILE *stream, const gt_curve *curve, const gt_curve_style *style) {
  plot p = {.curve = curve, .style = style};
  char label[2][LABEL];
  p.dots_x = style->braille ? DOTS_X : 1;
  p.dots_y = style->braille ? DOTS_Y : 1;
  if (style->columns < GT_CURVE_LEAST_WIDTH || !find_range(&p)) return;
  snprintf(label[0], LABEL, "%.3g", p.log ? pow(10, p.most) : p.most);
  snprintf(label[1], LABEL, "%.3g", p.log ? pow(10, p.least) : p.least);
  const int label_width = (int)(strlen(label[0]) > strlen(label[1]) ? strlen(label[0]) : strlen(label[1]));
  p.width = style->columns - label_width - 2;
  for (int s = 0; s < GT_CURVE_SERIES; s++) {
    p.dots[s] = gt_alloc((size_t)(ROWS * p.dots_y * p.width * p.dots_x));
    draw_series(&p, s);
  }
  print_rows(stream, &p, label, label_width);
  print_axis(stream, &p, label_width + 2);
  print_legend(stream, &p, label_width + 2);
  for (int s = 0; s < GT_CURVE_SERIES; s++) free(p.dots[s]);
}

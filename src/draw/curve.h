/* The losses of a run as a small plot in characters: braille, with eight dots per character, if the terminal
 * can show it, otherwise ASCII. At most GT_CURVE_LINES lines high:
 *    2.3 |.
 *        |o.....
 *        |  ooooo......
 *   0.12 |       ooooooo
 *         epoch 1      epoch 40
 *         loss  . train  o validation
 * The scale is logarithmic if all losses are positive and span more than a factor of GT_CURVE_LOG. */
#ifndef GT_DRAW_CURVE_H
#define GT_DRAW_CURVE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { GT_CURVE_LINES = 8, GT_CURVE_POINTS = 1024, GT_CURVE_LEAST_WIDTH = 36, GT_CURVE_LOG = 10 };
enum { GT_CURVE_TRAIN, GT_CURVE_WATCHED, GT_CURVE_SERIES };

typedef struct gt_curve_point {
  int64_t step, epoch;
  double loss[GT_CURVE_SERIES]; /* NAN: none */
} gt_curve_point;

typedef struct gt_curve { /* a zeroed curve is empty */
  gt_curve_point point[GT_CURVE_POINTS];
  int count;
  int64_t seen, every; /* seen: number of points added; of these, every `every`-th and the last are kept */
} gt_curve;

typedef struct gt_curve_style {
  int columns;                 /* width of the terminal */
  bool braille, color, epochs; /* epochs: the x axis shows epochs, not steps */
  const char *watched;         /* name of the watched split; NULL: none */
} gt_curve_style;

/* Adds a point. Its step must not be smaller than the last one. The memory is fixed, whatever the number of
 * points. */
void gt_curve_add(gt_curve *curve, const gt_curve_point *point);
/* Draws nothing if fewer than three points have a finite loss, or if columns < GT_CURVE_LEAST_WIDTH. */
void gt_curve_draw(FILE *stream, const gt_curve *curve, const gt_curve_style *style);
#endif

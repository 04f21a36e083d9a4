/* Draws networks side by side, as pykan does (Liu et al., 2024): inputs at the bottom, outputs at the top,
 * and on each edge a small plot of its function over the range of values in the samples. The higher the score
 * of an edge, the darker it is. Edges that are pruned, and with `symbolic` those that are not part of the
 * formula, are pale and dashed; functions of the library are red and have a name. */
#ifndef GT_KAN_PICTURE_H
#define GT_KAN_PICTURE_H
#include "draw/pen.h"
#include "kan/scores.h"
#include "kan/symbolic.h"

typedef struct gt_panel {
  const char *title, *error, *note; /* two lines above, one below; NULL: none */
  const gt_kan_network *network;
  const gt_kan_trace *trace;
  const gt_kan_scores *scores;
  const gt_symbolic *symbolic; /* NULL: draw the trained functions */
  const double *low, *high;    /* range of x on each edge of `symbolic` (gt_symbolic_ranges) */
  const char *const *input;    /* names, [inputs] */
} gt_panel;

typedef struct gt_panels {
  const gt_panel *panel;
  int panels;
} gt_panels;

/* GT_ERR_DATA if a layer has too many edges to be drawn. */
bool gt_panels_size(const gt_panels *panels, int *width, int *height, gt_error *error);
gt_drawing gt_panels_draw; /* data: a gt_panels */
#endif

#include "kan/picture.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths are in pixels. */
enum {
  PLOT = 36,        /* side of a plot */
  GAP = 6,          /* between plots */
  LAYER = 120,      /* height of a layer of edges */
  MARGIN = 12,      /* around a panel */
  TITLE = 56,       /* height of the two lines of the title above a panel */
  NOTE = 36,        /* height of the note below it */
  MIN_WIDTH = 130,  /* of a panel */
  MAX_EDGES = 64,   /* of one layer; a picture with more is refused */
  POINTS = 48,      /* of a plotted function */
  NAME_HEIGHT = 15, /* of a function's name above its plot */
  LINE_HEIGHT = 16  /* of the title */
};
static const uint32_t black = 0x202020, red = 0xc0281c, pale = 0xc8c8c8;

/* --- sizes --- */

static int edges_of(const gt_kan_layer *l) { return l->inputs * l->outputs; }

static int panel_width(const gt_panel *p) {
  int max_edges = 1, width;
  for (int l = 0; l < p->network->layers; l++)
    if (edges_of(&p->network->layer[l]) > max_edges) max_edges = edges_of(&p->network->layer[l]);
  width = max_edges * (PLOT + GAP) + 2 * MARGIN;
  const char *const text[] = {p->title, p->error, p->note};
  for (int i = 0; i < 3; i++) {
    const int text_width = text[i] ? (int)strlen(text[i]) * GT_TEXT_WIDTH + 2 * MARGIN : 0;
    if (text_width > width) width = text_width;
  }
  return width < MIN_WIDTH ? MIN_WIDTH : width;
}

bool gt_panels_size(const gt_panels *panels, int *width, int *height, gt_error *error) {
  int layers = 1;
  *width = 0;
  for (int i = 0; i < panels->panels; i++) {
    const gt_kan_network *n = panels->panel[i].network;
    for (int l = 0; l < n->layers; l++)
      if (edges_of(&n->layer[l]) > MAX_EDGES)
        return gt_fail(error, GT_ERR_DATA, "layer '%s' has %d edges; at most %d can be drawn: prune it",
                       n->layer[l].name, edges_of(&n->layer[l]), (int)MAX_EDGES);
    if (n->layers > layers) layers = n->layers;
    *width += panel_width(&panels->panel[i]);
  }
  *height = TITLE + layers * LAYER + NOTE + 2 * MARGIN;
  return true;
}

/* --- edges --- */

typedef struct place { /* where a panel is drawn */
  const gt_panel *panel;
  double left, width, bottom;
} place;

static double spread_x(const place *p, int index, int count) {
  return p->left + p->width * (index + 0.5) / count;
}
static double node_y(const place *p, int index) { return p->bottom - LAYER * index; }

/* Mixes a color with white: the higher the score, the darker. */
static uint32_t shade(uint32_t color, double score) {
  const double share = 0.24 + 0.76 * tanh(3 * score);
  uint32_t mixed = 0;
  for (int c = 0; c < 24; c += 8) {
    const double part = (color >> c) & 255;
    mixed |= (uint32_t)lround(255 + (part - 255) * share) << c;
  }
  return mixed;
}

static const gt_symbolic_edge *symbolic_edge_of(const gt_symbolic *s, int layer, int from, int to) {
  for (int e = 0; s && e < s->edges; e++) {
    const gt_symbolic_edge *g = &s->edge[e];
    if (g->layer == layer && g->from == from && g->to == to && g->value[GT_CONSTANT_C] != 0) return g;
  }
  return NULL;
}

static void range_of(const double *values, int64_t count, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int64_t k = 0; k < count; k++) *low = fmin(*low, values[k]), *high = fmax(*high, values[k]);
}

/* Plots the function of an edge over the range of values of its input node, in the formula if the edge is
 * part of one. */
static void draw_function(gt_pen *pen, const place *p, int layer, int from, int to, gt_point middle,
                          uint32_t color) {
  const gt_kan_trace *t = p->panel->trace;
  const gt_symbolic_edge *symbolic_edge = symbolic_edge_of(p->panel->symbolic, layer, from, to);
  double x[POINTS], y[POINTS], low, high, min_y, max_y;
  gt_point point[POINTS];
  range_of(t->node[layer] + from * t->samples, t->samples, &low, &high);
  if (symbolic_edge) {
    low = p->panel->low[symbolic_edge - p->panel->symbolic->edge];
    high = p->panel->high[symbolic_edge - p->panel->symbolic->edge];
  }
  for (int k = 0; k < POINTS; k++) x[k] = low + (high - low) * k / (POINTS - 1);
  if (symbolic_edge)
    for (int k = 0; k < POINTS; k++) y[k] = gt_symbolic_edge_value(symbolic_edge, x[k]);
  else
    gt_kan_edge_values(&p->panel->network->layer[layer], from, to, x, POINTS, y);
  range_of(y, POINTS, &min_y, &max_y);
  const double side = PLOT - 8, scale = max_y > min_y ? 1 / (max_y - min_y) : 0;
  for (int k = 0; k < POINTS; k++)
    point[k] = (gt_point){middle.x + side * ((double)k / (POINTS - 1) - 0.5),
                          middle.y - side * ((y[k] - min_y) * scale - 0.5)};
  pen->polyline(pen, point, POINTS, (gt_ink){color, 1.5, false});
}

static void draw_frame(gt_pen *pen, gt_point middle, gt_ink ink) {
  const double h = 0.5 * PLOT;
  const gt_point corner[] = {{middle.x - h, middle.y - h},
                             {middle.x + h, middle.y - h},
                             {middle.x + h, middle.y + h},
                             {middle.x - h, middle.y + h},
                             {middle.x - h, middle.y - h}};
  pen->polyline(pen, corner, 5, ink);
}

static void draw_edge(gt_pen *pen, const place *p, int layer, int from, int to) {
  const gt_panel *panel = p->panel;
  const gt_kan_layer *l = &panel->network->layer[layer];
  const int edge = from * l->outputs + to;
  const gt_symbolic_edge *symbolic_edge = symbolic_edge_of(panel->symbolic, layer, from, to);
  const gt_edge_fit *function = panel->symbolic ? NULL : gt_kan_edge_function(l, from, to);
  const char *name = symbolic_edge ? symbolic_edge->symbol->name : function ? function->symbol->name : NULL;
  const bool is_kept = l->edge[edge] && (!panel->symbolic || symbolic_edge);
  const double score = panel->scores->edge[layer][edge];
  const gt_point middle = {spread_x(p, edge, edges_of(l)), node_y(p, layer) - 0.5 * LAYER};
  const uint32_t color = is_kept ? shade(name ? red : black, symbolic_edge ? 1 : score) : pale;
  const gt_ink ink = {color, is_kept ? 1.2 : 0.8, !is_kept};
  const gt_point lower[] = {{spread_x(p, from, l->inputs), node_y(p, layer)},
                            {middle.x, middle.y + 0.5 * PLOT}};
  const double top = middle.y - 0.5 * PLOT - (name ? NAME_HEIGHT : 0);
  const gt_point upper[] = {{middle.x, top}, {spread_x(p, to, l->outputs), node_y(p, layer + 1)}};
  pen->polyline(pen, lower, 2, ink);
  pen->polyline(pen, upper, 2, ink);
  draw_frame(pen, middle, (gt_ink){color, 0.8, !is_kept});
  if (l->edge[edge]) draw_function(pen, p, layer, from, to, middle, color);
  if (name) pen->text(pen, (gt_point){middle.x, middle.y - 0.5 * PLOT - 8}, name, red);
}

/* --- panels --- */

static uint32_t node_shade(const gt_panel *panel, int index, int k) {
  const gt_symbolic *s = panel->symbolic;
  bool is_kept = index == panel->network->layers;
  if (!s) return is_kept ? black : shade(black, panel->scores->node[index][k]);
  for (int e = 0; e < s->edges; e++) is_kept = is_kept || (s->edge[e].layer == index && s->edge[e].from == k);
  return is_kept ? black : pale;
}

static void draw_nodes(gt_pen *pen, const place *p) {
  const gt_kan_network *n = p->panel->network;
  for (int index = 0; index <= n->layers; index++) {
    const int width = index ? n->layer[index - 1].outputs : n->layer[0].inputs;
    for (int k = 0; k < width; k++) {
      char name[32];
      const gt_point at = {spread_x(p, k, width), node_y(p, index)};
      pen->disc(pen, at, 4, node_shade(p->panel, index, k));
      if (!index) pen->text(pen, (gt_point){at.x, at.y + 14}, p->panel->input[k], black);
      snprintf(name, sizeof name, width > 1 ? "y%d" : "y", k);
      if (index == n->layers) pen->text(pen, (gt_point){at.x, at.y - 12}, name, black);
    }
  }
}

/* Draws pale edges first, so that others cover them. */
static void draw_layer(gt_pen *pen, const place *p, int layer) {
  const gt_kan_layer *l = &p->panel->network->layer[layer];
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < l->inputs; i++)
      for (int o = 0; o < l->outputs; o++) {
        const bool named = symbolic_edge_of(p->panel->symbolic, layer, i, o) != NULL;
        const bool is_kept = l->edge[i * l->outputs + o] && (!p->panel->symbolic || named);
        const bool dark = is_kept && (named || p->panel->scores->edge[layer][i * l->outputs + o] > 0.1);
        if (dark == (pass == 1)) draw_edge(pen, p, layer, i, o);
      }
}

void gt_panels_draw(gt_pen *pen, const void *picture) {
  const gt_panels *panels = picture;
  int width, height;
  double left = 0;
  gt_error error = {0};
  if (!gt_panels_size(panels, &width, &height, &error)) return;
  for (int i = 0; i < panels->panels; i++) {
    const gt_panel *panel = &panels->panel[i];
    const int width_of_panel = panel_width(panel);
    const place p = {panel, left + MARGIN, width_of_panel - 2 * MARGIN, height - NOTE - MARGIN};
    const double middle = left + 0.5 * width_of_panel;
    for (int l = 0; l < panel->network->layers; l++) draw_layer(pen, &p, l);
    draw_nodes(pen, &p);
    if (panel->title) pen->text(pen, (gt_point){middle, LINE_HEIGHT}, panel->title, black);
    if (panel->error) pen->text(pen, (gt_point){middle, 2 * LINE_HEIGHT}, panel->error, black);
    if (panel->note)
      pen->text(pen, (gt_point){middle, height - 14}, panel->note, panel->symbolic ? red : black);
    left += width_of_panel;
  }
}

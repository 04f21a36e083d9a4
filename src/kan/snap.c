#include "kan/snap.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kan/settle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_SAMPLES = 600 };

/* --- which edge is which function ----------------------------------------------------------------------- */

static double cost_of(const gt_snap_limits *limits, const gt_edge_fit *fit) {
  const double w = limits->weight_simple;
  return w * fit->symbol->complexity + (1 - w) * log2(1 - fmin(fit->r2, 1) + 1e-9);
}

/* The simplest of those that reach the limit; if none does, the one that comes nearest. */
static gt_edge_fit best_of(const gt_snap_limits *limits, const gt_symbol *wanted, const double *x,
                           const double *y, int64_t count) {
  gt_edge_fit best = {.r2 = -INFINITY};
  for (int i = 0; i < gt_symbol_count(); i++) {
    const gt_symbol *symbol = gt_symbol_at(i);
    if (wanted ? symbol != wanted : !limits->allowed[i]) continue;
    const gt_edge_fit fit = gt_edge_fit_find(symbol, x, y, count);
    const bool reaches = fit.r2 >= limits->minimum_r2, reached = best.r2 >= limits->minimum_r2;
    const bool cheaper = reaches && reached && cost_of(limits, &fit) < cost_of(limits, &best);
    if (!best.symbol || (reaches && !reached) || cheaper || (!reached && fit.r2 > best.r2)) best = fit;
  }
  return best;
}

static const gt_snap_wish *wish_of(const gt_snap_limits *limits, int layer, int from, int to) {
  for (int w = 0; w < limits->wishes; w++) {
    const gt_snap_wish *wish = &limits->wish[w];
    if (wish->layer == layer && wish->from == from && wish->to == to) return wish;
  }
  return NULL;
}

typedef struct attempt { /* that is tried */
  int layer, from, to;
  const gt_snap_wish *wish;
  gt_edge_fit *fit;
} attempt;

typedef struct snapper {
  gt_kan_network *network;
  const gt_kan_trace *trace;
  const gt_snap_limits *limits;
  attempt *edge;
  int edges;
} snapper;

/* What the edge's function is over the samples. */
static void fit_edge(void *context, uint32_t tile) {
  const snapper *s = context;
  const attempt *e = &s->edge[tile];
  const int64_t n = s->trace->samples, stride = n > EDGE_SAMPLES ? n / EDGE_SAMPLES : 1, count = n / stride;
  double *x = gt_alloc(2 * (size_t)count * sizeof *x + 1), *y = x + count;
  for (int64_t k = 0; k < count; k++) x[k] = s->trace->node[e->layer][e->from * n + k * stride];
  gt_kan_edge(&s->network->layer[e->layer], e->from, e->to, x, count, y);
  *e->fit = best_of(s->limits, e->wish ? e->wish->symbol : NULL, x, y, count);
  if (e->wish && e->wish->limited && !(e->fit->r2 >= s->limits->minimum_r2))
    *e->fit = best_of(s->limits, NULL, x, y, count);
  free(x);
}

/* Those of a layer that are to be tried. */
static void list_edges(snapper *s, int layer, gt_edge_fit *tried) {
  const gt_kan_layer *l = &s->network->layer[layer];
  for (int i = 0; i < l->inputs; i++)
    for (int o = 0; o < l->outputs; o++) {
      const int at = i * l->outputs + o;
      const gt_snap_wish *wish = wish_of(s->limits, layer, i, o);
      if (!l->edge[at] || gt_kan_snapped(l, i, o) || (s->limits->wishes && !wish)) continue;
      s->edge[s->edges++] = (attempt){layer, i, o, wish, &tried[at]};
    }
}

static void take(const snapper *s, const attempt *e) {
  gt_kan_layer *l = &s->network->layer[e->layer];
  const size_t all = (size_t)l->inputs * (size_t)l->outputs;
  const bool asked = e->wish && e->wish->symbol && !e->wish->limited;
  if (!isfinite(e->fit->r2) || (!asked && e->fit->r2 < s->limits->minimum_r2)) return;
  if (!l->snapped) l->snapped = gt_arena_alloc_n(&s->network->arena, all, sizeof *l->snapped);
  l->snapped[e->from * l->outputs + e->to] = *e->fit;
}

void gt_kan_snap(gt_kan_network *network, const gt_kan_trace *trace, const gt_snap_limits *limits,
                 gt_edge_fit *const *tried) {
  snapper s = {network, trace, limits, NULL, 0};
  size_t most = 0;
  for (int l = 0; l < network->layers; l++)
    most += (size_t)network->layer[l].inputs * (size_t)network->layer[l].outputs;
  s.edge = gt_alloc((most + 1) * sizeof *s.edge);
  for (int l = 0; l < network->layers; l++) list_edges(&s, l, tried[l]);
  gt_pool *pool = gt_pool_create(limits->threads);
  gt_pool_run(pool, (uint32_t)s.edges, fit_edge, &s);
  gt_pool_destroy(pool);
  for (int e = 0; e < s.edges; e++) take(&s, &s.edge[e]);
  free(s.edge);
  gt_kan_settle(network, trace);
}

static const gt_symbol *symbol_in(const gt_symbolic *symbolic, int layer, int from, int to) {
  for (int e = 0; e < symbolic->edges; e++) {
    const gt_symbolic_edge *g = &symbolic->edge[e];
    if (g->layer == layer && g->from == from && g->to == to) return g->symbol;
  }
  return NULL;
}

bool gt_kan_snap_together(const gt_kan_network *network, const double *scaled, const gt_symbolic_data *data,
                          gt_snap_limits *limits, gt_arena *arena, gt_error *error) {
  gt_symbolic symbolic;
  gt_symbolic_report report;
  if (!gt_symbolic_find(&symbolic, network, scaled, data, &(gt_symbolic_options){.allowed = limits->allowed},
                        &report, error))
    return false;
  const int count = limits->wishes ? limits->wishes : report.rows;
  gt_snap_wish *wish = GT_NEW_N(arena, gt_snap_wish, count + 1);
  for (int w = 0; w < count; w++) {
    const gt_symbolic_edge *g = &report.edge[limits->wishes ? 0 : w];
    wish[w] = limits->wishes ? limits->wish[w] : (gt_snap_wish){g->layer, g->from, g->to, NULL, false};
    if (wish[w].symbol) continue;
    wish[w].symbol = symbol_in(&symbolic, wish[w].layer, wish[w].from, wish[w].to);
    wish[w].limited = wish[w].symbol != NULL;
  }
  limits->wish = wish;
  limits->wishes = count;
  gt_symbolic_finish(&symbolic);
  return true;
}

/* --- values --------------------------------------------------------------------------------------------- */

static int number_after(const bool *kept, int number) {
  int after = 0;
  for (int k = 0; k < number; k++) after += !kept || kept[k];
  return after;
}

gt_kan_snapping gt_kan_snapping_of(gt_arena *arena, const gt_kan_network *network, int layer,
                                   const gt_kan_kept *kept) {
  const gt_kan_layer *l = &network->layer[layer];
  const int edges = l->inputs * l->outputs;
  if (!l->snapped) return (gt_kan_snapping){0};
  gt_kan_symbolic_edge *edge = GT_NEW_N(arena, gt_kan_symbolic_edge, edges);
  gt_kan_snapping s = {{edge, 0}, GT_NEW_N(arena, const gt_edge_fit *, edges)};
  for (int i = 0; i < gt_symbol_count(); i++)
    for (int e = 0; e < edges; e++) {
      const int from = e / l->outputs, to = e % l->outputs;
      if (l->snapped[e].symbol != gt_symbol_at(i) || (kept && !kept->edge[layer][e])) continue;
      edge[s.symbolic.edges] =
          (gt_kan_symbolic_edge){kept ? number_after(kept->node[layer], from) : from,
                                 kept ? number_after(kept->node[layer + 1], to) : to, gt_symbol_at(i)};
      s.fit[s.symbolic.edges++] = &l->snapped[e];
    }
  return s;
}

void gt_kan_snapping_write(const gt_kan_snapping *snapping, const char *layer, gt_state_dict *dict) {
  const gt_slot_values values = gt_state_dict_values(dict);
  for (int k = 0; snapping->symbolic.edges && k < GT_KAN_SYMBOLIC_VALUES; k++) {
    char name[1024];
    float *to = snprintf(name, sizeof name, "%s.%s", layer, gt_kan_symbolic_names[k]) < (int)sizeof name
                    ? values.of(&values, name)
                    : NULL;
    for (int e = 0; to && e < snapping->symbolic.edges; e++) {
      const gt_edge_fit *fit = snapping->fit[e];
      const double constant[GT_KAN_SYMBOLIC_VALUES] = {fit->a, fit->b, fit->c, fit->d};
      to[e] = (float)constant[k];
    }
  }
}

/* --- configs -------------------------------------------------------------------------------------------- */

gt_spec *gt_kan_settings(gt_arena *arena, gt_spec *root, int layer, int layers) {
  gt_spec *list = gt_spec_find(root, "model");
  if (!list || list->kind != GT_SPEC_SEQUENCE || list->count != layers) return NULL;
  gt_spec *item = list->child[layer], *kan = gt_spec_find(item, "kan");
  if (!kan || kan->kind == GT_SPEC_MAP) return kan;
  const gt_position at = kan->at;
  gt_spec *units = gt_spec_copy(arena, kan);
  gt_spec_remove(item, "kan");
  kan = gt_spec_add(arena, item, "kan", gt_spec_new(arena, GT_SPEC_MAP));
  kan->at = at;
  gt_spec_add(arena, kan, "units", units);
  return kan;
}

void gt_kan_set(gt_arena *arena, gt_spec *settings, const char *key, gt_spec *value) {
  gt_spec_remove(settings, key);
  value->at = settings->at;
  gt_spec_add(arena, settings, key, value);
}

bool gt_kan_snap_config(gt_arena *arena, gt_spec *root, int layer, int layers, const gt_spec *list) {
  gt_spec *settings = gt_kan_settings(arena, root, layer, layers);
  if (!settings) return false;
  gt_spec_remove(settings, "symbolic");
  if (list->count) gt_kan_set(arena, settings, "symbolic", gt_spec_copy(arena, list));
  return true;
}

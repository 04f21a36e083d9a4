#include "kan/symbolic_edges.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kan/symbolic_edges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more samples, at least this many and less than twice as many are used for an edge. */
enum { EDGE_SAMPLES = 600 };

/* --- which edge is which function ----------------------------------------------------------------------- */

static double cost_of(const gt_symbolic_edges_options *options, const gt_edge_fit *fit) {
  const double w = options->weight_simple;
  return w * fit->symbol->complexity + (1 - w) * log2(1 - fmin(fit->r2, 1) + 1e-9);
}

/* The cheapest fit that reaches minimum_r2; if none does, the one with the largest r2. */
static gt_edge_fit best_of(const gt_symbolic_edges_options *options, const gt_symbol *requested_symbol,
                           const double *x, const double *y, int64_t count) {
  gt_edge_fit best = {.r2 = -INFINITY};
  for (int i = 0; i < gt_symbol_count(); i++) {
    const gt_symbol *symbol = gt_symbol_at(i);
    if (requested_symbol ? symbol != requested_symbol : !options->allowed[i]) continue;
    const gt_edge_fit fit = gt_edge_fit_find(symbol, x, y, count);
    const bool reaches = fit.r2 >= options->minimum_r2, reached = best.r2 >= options->minimum_r2;
    const bool cheaper = reaches && reached && cost_of(options, &fit) < cost_of(options, &best);
    if (!best.symbol || (reaches && !reached) || cheaper || (!reached && fit.r2 > best.r2)) best = fit;
  }
  return best;
}

static const gt_symbolic_edges_request *find_request(const gt_symbolic_edges_options *options, int layer,
                                                     int from, int to) {
  for (int w = 0; w < options->requests; w++) {
    const gt_symbolic_edges_request *request = &options->request[w];
    if (request->layer == layer && request->from == from && request->to == to) return request;
  }
  return NULL;
}

typedef struct candidate { /* an edge that may become symbolic */
  int layer, from, to;
  const gt_symbolic_edges_request *request;
  gt_edge_fit *fit;
} candidate;

typedef struct fitting {
  gt_kan_network *network;
  const gt_kan_trace *trace;
  const gt_symbolic_edges_options *options;
  candidate *edge;
  int edges;
} fitting;

/* Fits one edge to its own values at the samples. */
static void fit_edge(void *context, uint32_t tile) {
  const fitting *s = context;
  const candidate *e = &s->edge[tile];
  const int64_t n = s->trace->samples, stride = n > EDGE_SAMPLES ? n / EDGE_SAMPLES : 1, count = n / stride;
  double *x = gt_alloc(2 * (size_t)count * sizeof *x + 1), *y = x + count;
  for (int64_t k = 0; k < count; k++) x[k] = s->trace->node[e->layer][e->from * n + k * stride];
  gt_kan_edge_values(&s->network->layer[e->layer], e->from, e->to, x, count, y);
  *e->fit = best_of(s->options, e->request ? e->request->symbol : NULL, x, y, count);
  if (e->request && e->request->limited && !(e->fit->r2 >= s->options->minimum_r2))
    *e->fit = best_of(s->options, NULL, x, y, count);
  free(x);
}

/* Lists the edges of a layer that may become symbolic. */
static void list_edges(fitting *s, int layer, gt_edge_fit *tried) {
  const gt_kan_layer *l = &s->network->layer[layer];
  for (int i = 0; i < l->inputs; i++)
    for (int o = 0; o < l->outputs; o++) {
      const int at = i * l->outputs + o;
      const gt_symbolic_edges_request *request = find_request(s->options, layer, i, o);
      if (!l->edge[at] || gt_kan_edge_function(l, i, o) || (s->options->requests && !request)) continue;
      s->edge[s->edges++] = (candidate){layer, i, o, request, &tried[at]};
    }
}

/* Makes the edge symbolic if its fit is good enough or its function is requested. */
static void use_fit(const fitting *s, const candidate *e) {
  gt_kan_layer *l = &s->network->layer[e->layer];
  const size_t all = (size_t)l->inputs * (size_t)l->outputs;
  const bool requested = e->request && e->request->symbol && !e->request->limited;
  if (!isfinite(e->fit->r2) || (!requested && e->fit->r2 < s->options->minimum_r2)) return;
  if (!l->symbolic_edge)
    l->symbolic_edge = gt_arena_alloc_n(&s->network->arena, all, sizeof *l->symbolic_edge);
  l->symbolic_edge[e->from * l->outputs + e->to] = *e->fit;
}

void gt_kan_fit_symbolic_edges(gt_kan_network *network, const gt_kan_trace *trace,
                               const gt_symbolic_edges_options *options, gt_edge_fit *const *tried) {
  fitting s = {network, trace, options, NULL, 0};
  size_t capacity = 0;
  for (int l = 0; l < network->layers; l++)
    capacity += (size_t)network->layer[l].inputs * (size_t)network->layer[l].outputs;
  s.edge = gt_alloc((capacity + 1) * sizeof *s.edge);
  for (int l = 0; l < network->layers; l++) list_edges(&s, l, tried[l]);
  gt_pool *pool = gt_pool_create(options->threads);
  gt_pool_run(pool, (uint32_t)s.edges, fit_edge, &s);
  gt_pool_destroy(pool);
  for (int e = 0; e < s.edges; e++) use_fit(&s, &s.edge[e]);
  free(s.edge);
  gt_kan_normalize(network, trace);
}

static const gt_symbol *symbol_in(const gt_symbolic *symbolic, int layer, int from, int to) {
  for (int e = 0; e < symbolic->edges; e++) {
    const gt_symbolic_edge *g = &symbolic->edge[e];
    if (g->layer == layer && g->from == from && g->to == to) return g->symbol;
  }
  return NULL;
}

bool gt_kan_choose_functions_jointly(const gt_kan_network *network, const double *scaled,
                                     const gt_symbolic_data *data, gt_symbolic_edges_options *options,
                                     gt_arena *arena, gt_error *error) {
  gt_symbolic symbolic;
  gt_symbolic_report report;
  if (!gt_symbolic_find(&symbolic, network, scaled, data, &(gt_symbolic_options){.allowed = options->allowed},
                        &report, error))
    return false;
  const int count = options->requests ? options->requests : report.rows;
  gt_symbolic_edges_request *request = GT_NEW_N(arena, gt_symbolic_edges_request, count + 1);
  for (int w = 0; w < count; w++) {
    const gt_symbolic_edge *g = &report.edge[options->requests ? 0 : w];
    request[w] = options->requests ? options->request[w]
                                   : (gt_symbolic_edges_request){g->layer, g->from, g->to, NULL, false};
    if (request[w].symbol) continue;
    request[w].symbol = symbol_in(&symbolic, request[w].layer, request[w].from, request[w].to);
    request[w].limited = request[w].symbol != NULL;
  }
  options->request = request;
  options->requests = count;
  gt_symbolic_finish(&symbolic);
  return true;
}

/* --- values --------------------------------------------------------------------------------------------- */

/* The index of a node after pruning. kept NULL: all nodes are kept. */
static int pruned_index(const bool *kept, int number) {
  int index = 0;
  for (int k = 0; k < number; k++) index += !kept || kept[k];
  return index;
}

gt_kan_edge_functions gt_kan_edge_functions_of(gt_arena *arena, const gt_kan_network *network, int layer,
                                               const gt_kan_kept *kept) {
  const gt_kan_layer *l = &network->layer[layer];
  const int edges = l->inputs * l->outputs;
  if (!l->symbolic_edge) return (gt_kan_edge_functions){0};
  gt_kan_symbolic_edge *edge = GT_NEW_N(arena, gt_kan_symbolic_edge, edges);
  gt_kan_edge_functions s = {{edge, 0}, GT_NEW_N(arena, const gt_edge_fit *, edges)};
  for (int i = 0; i < gt_symbol_count(); i++)
    for (int e = 0; e < edges; e++) {
      const int from = e / l->outputs, to = e % l->outputs;
      if (l->symbolic_edge[e].symbol != gt_symbol_at(i) || (kept && !kept->edge[layer][e])) continue;
      edge[s.symbolic.edges] =
          (gt_kan_symbolic_edge){kept ? pruned_index(kept->node[layer], from) : from,
                                 kept ? pruned_index(kept->node[layer + 1], to) : to, gt_symbol_at(i)};
      s.fit[s.symbolic.edges++] = &l->symbolic_edge[e];
    }
  return s;
}

void gt_kan_edge_functions_write(const gt_kan_edge_functions *functions, const char *layer,
                                 gt_state_dict *dict) {
  const gt_slot_values values = gt_state_dict_values(dict);
  for (int k = 0; functions->symbolic.edges && k < GT_KAN_SYMBOLIC_VALUES; k++) {
    char name[1024];
    float *to = snprintf(name, sizeof name, "%s.%s", layer, gt_kan_symbolic_names[k]) < (int)sizeof name
                    ? values.find(&values, name)
                    : NULL;
    for (int e = 0; to && e < functions->symbolic.edges; e++) {
      const gt_edge_fit *fit = functions->fit[e];
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

bool gt_kan_set_symbolic(gt_arena *arena, gt_spec *root, int layer, int layers, const gt_spec *list) {
  gt_spec *settings = gt_kan_settings(arena, root, layer, layers);
  if (!settings) return false;
  gt_spec_remove(settings, "symbolic");
  if (list->count) gt_kan_set(arena, settings, "symbolic", gt_spec_copy(arena, list));
  return true;
}

#include "kan/symbolic_chain.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* The only edge into the node, or out of it; -1 if there is none, or several. */
static int only_edge(const gt_symbolic *s, int layer, int node, bool out) {
  int found = -1;
  for (int e = 0; e < s->edges; e++) {
    const gt_symbolic_edge *g = &s->edge[e];
    if (out ? g->layer != layer || g->from != node : g->layer + 1 != layer || g->to != node) continue;
    if (found >= 0) return -1;
    found = e;
  }
  return found;
}

/* True if edge `in` leads into a node of the chain; *out is the edge that leads out of that node. */
static bool leads_in(const gt_symbolic *s, const gt_symbolic_chain *c, int in, int *out) {
  const gt_symbolic_edge *g = &s->edge[in];
  if (g->layer + 1 != c->layer || g->from != c->from) return false;
  *out = only_edge(s, c->layer, g->to, true);
  return *out >= 0 && s->edge[*out].to == c->to && only_edge(s, c->layer, g->to, false) == in;
}

bool gt_symbolic_chain_at(const gt_symbolic *s, int edge, gt_symbolic_chain *chain) {
  const gt_symbolic_edge *g = &s->edge[edge];
  int out = only_edge(s, g->layer + 1, g->to, true);
  if (out < 0) return false; /* as for all edges of the last layer */
  *chain = (gt_symbolic_chain){g->layer + 1, g->from, s->edge[out].to, -1, -1, 0};
  for (int e = 0; e < s->edges; e++) {
    if (!leads_in(s, chain, e, &out)) continue;
    if (!chain->nodes++) chain->first_in = e, chain->first_out = out;
  }
  if (!chain->nodes || chain->first_in != edge) return false;
  return chain->nodes > 1 ||
         (g->symbol->kind != GT_SYMBOL_LINE && s->edge[chain->first_out].symbol->kind != GT_SYMBOL_LINE);
}

bool gt_symbolic_chain_has(const gt_symbolic *s, const gt_symbolic_chain *chain, int edge) {
  const gt_symbolic_edge *g = &s->edge[edge];
  const int in = g->layer == chain->layer ? only_edge(s, g->layer, g->from, false) : edge;
  int out;
  return in >= 0 && leads_in(s, chain, in, &out) && (in == edge || out == edge);
}

void gt_symbolic_chain_values(const gt_symbolic *s, const gt_symbolic_chain *chain,
                              const gt_symbolic_data *data, double *x, double *y) {
  int out;
  gt_symbolic_node_values(s, data, chain->layer - 1, chain->from, x);
  memset(y, 0, (size_t)data->samples * sizeof *y);
  for (int e = 0; e < s->edges; e++) {
    if (!leads_in(s, chain, e, &out)) continue;
    const gt_symbolic_edge *g = &s->edge[e];
    for (int64_t k = 0; k < data->samples; k++)
      y[k] += gt_symbolic_edge_value(&s->edge[out],
                                     s->bias[chain->layer][g->to] + gt_symbolic_edge_value(g, x[k]));
  }
}

void gt_symbolic_chain_replace(gt_symbolic *s, const gt_symbolic_chain *chain, const gt_edge_fit *fit,
                               const gt_edge_fit *line) {
  bool *removed = gt_alloc(((size_t)s->edges + 1) * sizeof *removed);
  int out, kept = 0;
  for (int e = 0; e < s->edges; e++)
    if (leads_in(s, chain, e, &out) && e != chain->first_in) removed[e] = removed[out] = true;
  gt_symbolic_set_fit(&s->edge[chain->first_in], fit);
  gt_symbolic_set_fit(&s->edge[chain->first_out], line);
  s->bias[chain->layer][s->edge[chain->first_in].to] = 0;
  s->bias[chain->layer + 1][chain->to] += fit->d;
  for (int e = 0; e < s->edges; e++)
    if (!removed[e]) s->edge[kept++] = s->edge[e];
  s->edges = kept;
  free(removed);
  gt_symbolic_drop_loose_ends(s);
}

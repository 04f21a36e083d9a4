/* Removes nodes and edges that a formula does not need, such as two edges that cancel each other. */
#include "kan/symbolic.h"
#include <math.h>
#include <string.h>

enum { FIT_STEPS = 60 };
static const double growth = 1.02; /* factor by which the sum of squares may grow if coarse */

static void remove_edge(gt_symbolic *s, int index) {
  memmove(s->edge + index, s->edge + index + 1, (size_t)(s->edges - index - 1) * sizeof *s->edge);
  s->edges--;
}

static int count_edges(const gt_symbolic *s, int layer, int node, bool leads_out) {
  int count = 0;
  for (int e = 0; e < s->edges; e++) {
    const gt_symbolic_edge *g = &s->edge[e];
    count += leads_out ? g->layer == layer && g->from == node : g->layer + 1 == layer && g->to == node;
  }
  return count;
}

/* True if the edge does not depend on an input: its node has no edges in, or a or c is 0. */
static bool is_constant(const gt_symbolic *s, const gt_symbolic_edge *g) {
  return g->value[GT_CONSTANT_A] == 0 || g->value[GT_CONSTANT_C] == 0 ||
         (g->layer && !count_edges(s, g->layer, g->from, false));
}

/* Adds the value of a constant edge to the bias of its node. */
static void add_constant(gt_symbolic *s, const gt_symbolic_edge *g) {
  const double from = g->layer ? s->bias[g->layer][g->from] : 0, value = gt_symbolic_edge_value(g, from);
  s->bias[g->layer + 1][g->to] += value;
  if (value != 0) s->bias_fixed[g->layer + 1][g->to] = false;
}

bool gt_symbolic_drop_loose_ends(gt_symbolic *s) {
  bool removed = false;
  for (bool changed = true; changed; removed |= changed) {
    changed = false;
    for (int e = s->edges; e-- > 0;) {
      const gt_symbolic_edge *g = &s->edge[e];
      const bool constant = is_constant(s, g), leads_to_output = g->layer + 1 == s->layers;
      if (!constant && (leads_to_output || count_edges(s, g->layer + 1, g->to, true))) continue;
      if (constant) add_constant(s, g);
      remove_edge(s, e);
      changed = true;
    }
  }
  for (int l = 1; l < s->layers; l++)
    for (int n = 0; n < s->width[l]; n++)
      if (!count_edges(s, l, n, true)) s->bias_fixed[l][n] = true;
  return removed;
}

typedef struct limit { /* what a trial is compared with */
  bool coarse;
  double sum, cost;
} limit;

/* True if the description of the trial is not longer or, if coarse, its error is hardly larger. Updates the
 * limits. */
static bool is_acceptable(gt_symbolic *trial, const gt_symbolic_data *data, limit *limits) {
  const double sum = gt_symbolic_fit(trial, data, FIT_STEPS), cost = gt_symbolic_criterion(trial, data, sum);
  const bool ok = limits->coarse ? sum <= growth * limits->sum + data->rounding : cost <= limits->cost;
  if (ok) *limits = (limit){limits->coarse, fmax(sum, 0.5 * limits->sum), cost};
  return ok;
}

/* Tries to remove an edge or, if edge < 0, a node. */
static bool try_without(gt_symbolic *s, const gt_symbolic_data *data, limit *limits, int edge, int layer,
                        int node) {
  if (gt_symbolic_is_exhausted(data)) return false;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_symbolic trial = gt_symbolic_copy(&arena, s);
  for (int e = trial.edges; e-- > 0;) {
    const gt_symbolic_edge *g = &trial.edge[e];
    if (e == edge || (edge < 0 && g->layer == layer && g->from == node)) remove_edge(&trial, e);
  }
  gt_symbolic_drop_loose_ends(&trial);
  const bool ok = is_acceptable(&trial, data, limits);
  if (ok) {
    const gt_symbolic kept = gt_symbolic_copy(&s->arena, &trial);
    s->edge = kept.edge;
    s->edges = kept.edges;
    s->bias = kept.bias;
    s->bias_fixed = kept.bias_fixed;
  }
  gt_arena_finish(&arena);
  return ok;
}

bool gt_symbolic_simplify(gt_symbolic *s, const gt_symbolic_data *data, bool coarse) {
  const double sum = gt_symbolic_sum(s, data);
  limit limits = {coarse, sum, gt_symbolic_criterion(s, data, sum)};
  bool removed = false;
  for (int l = 1; l < s->layers; l++)
    for (int n = 0; n < s->width[l]; n++)
      if (count_edges(s, l, n, true)) removed |= try_without(s, data, &limits, -1, l, n);
  for (int e = s->edges; e-- > 0;)
    if (e < s->edges) removed |= try_without(s, data, &limits, e, 0, 0);
  return removed;
}

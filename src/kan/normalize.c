#include "kan/symbolic_edges.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

/* --- one edge ------------------------------------------------------------------------------------------- */

/* Moves constants out of the argument where c and d can express them: then a^2 + b^2 = 1 for powers and
 * logarithms, b = 0 for exp, and a = 1 and b = 0 for x. */
static void normalize_edge(gt_edge_fit *fit) {
  const double size = hypot(fit->a, fit->b);
  switch (fit->symbol->kind) {
  case GT_SYMBOL_LINE:
    fit->d += fit->c * fit->b;
    fit->c *= fit->a;
    fit->a = 1;
    fit->b = 0;
    break;
  case GT_SYMBOL_EXP:
    if (!isnormal(fit->c * exp(fit->b))) break;
    fit->c *= exp(fit->b);
    fit->b = 0;
    break;
  case GT_SYMBOL_POWER:
  case GT_SYMBOL_LOG:
    if (!isnormal(size)) break;
    if (fit->symbol->kind == GT_SYMBOL_LOG)
      fit->d += fit->c * log(size);
    else
      fit->c *= pow(size, fit->symbol->power);
    fit->a /= size;
    fit->b /= size;
    break;
  default: break;
  }
}

/* --- nodes ---------------------------------------------------------------------------------------------- */

static gt_edge_fit *fit_of(const gt_kan_layer *l, int from, int to) {
  gt_edge_fit *fit = l->symbolic_edge ? &l->symbolic_edge[from * l->outputs + to] : NULL;
  return fit && fit->symbol ? fit : NULL;
}

/* True if all edges from input k are symbolic. */
static bool has_symbolic_edges_out(const gt_kan_layer *l, int k) {
  for (int o = 0; o < l->outputs; o++)
    if (l->edge[k * l->outputs + o] && !fit_of(l, k, o)) return false;
  return true;
}

/* True if all edges to output k are symbolic and it has no bias. */
static bool has_symbolic_edges_in(const gt_kan_layer *l, int k) {
  for (int i = 0; i < l->inputs; i++)
    if (l->edge[i * l->outputs + k] && !fit_of(l, i, k)) return false;
  return l->bias == NULL;
}

typedef struct normalizer {
  gt_kan_network *network;
  const gt_kan_trace *trace;
  double *y; /* [samples]: values of an edge */
} normalizer;

static double mean_of(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; k++) sum += values[k];
  return sum / (double)count;
}

/* Shifts the functions that lead to output k so that their means are equal and add up to `mean` (NULL: the
 * sum is unchanged), then divides them by `deviation`. */
static void center(const normalizer *s, int layer, int k, const double *mean, double deviation) {
  const gt_kan_layer *l = &s->network->layer[layer];
  const gt_kan_trace *t = s->trace;
  double total = 0;
  int edges = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < l->inputs; i++) {
      gt_edge_fit *fit = fit_of(l, i, k);
      if (!fit) continue;
      gt_kan_edge_values(l, i, k, t->node[layer] + i * t->samples, t->samples, s->y);
      const double edge_mean = mean_of(s->y, t->samples);
      if (!pass) {
        total += edge_mean;
        edges++;
        continue;
      }
      fit->d += (mean ? *mean : total) / edges - edge_mean;
      fit->c /= deviation;
      fit->d /= deviation;
    }
}

/* Replaces the value of a hidden node by (value - mean) / deviation. */
static void scale_node(const normalizer *s, int layer, int k) {
  static const double zero = 0;
  const gt_kan_layer *next = &s->network->layer[layer + 1];
  const double mean = mean_of(s->trace->node[layer + 1] + k * s->trace->samples, s->trace->samples);
  const double deviation = s->trace->spread[layer + 1][k];
  center(s, layer, k, &zero, deviation);
  for (int o = 0; o < next->outputs; o++) {
    gt_edge_fit *fit = fit_of(next, k, o);
    if (!fit) continue;
    fit->b += fit->a * mean;
    fit->a *= deviation;
  }
}

/* Goes from the outputs to the inputs: `center` evaluates edges at the nodes' values in the trace, so the
 * layers before it must be unchanged. */
void gt_kan_normalize(gt_kan_network *network, const gt_kan_trace *trace) {
  const normalizer s = {network, trace, gt_alloc((size_t)trace->samples * sizeof *s.y + 1)};
  for (int layer = network->layers; layer-- > 0;) {
    const gt_kan_layer *l = &network->layer[layer];
    for (int k = 0; k < l->outputs; k++)
      if (layer + 1 < network->layers && trace->spread[layer + 1][k] > 0 && has_symbolic_edges_in(l, k) &&
          has_symbolic_edges_out(l + 1, k))
        scale_node(&s, layer, k);
      else
        center(&s, layer, k, NULL, 1);
  }
  for (int layer = 0; layer < network->layers; layer++)
    for (int i = 0; i < network->layer[layer].inputs; i++)
      for (int o = 0; o < network->layer[layer].outputs; o++) {
        gt_edge_fit *fit = fit_of(&network->layer[layer], i, o);
        if (fit) normalize_edge(fit);
      }
  free(s.y);
}

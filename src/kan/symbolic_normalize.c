/* Normal form of a network, without redundant constants. If a node has a single edge out, the constants a and
 * b of that edge are moved into the node. If that edge is a power or a logarithm, the scale of the node is
 * redundant too: the factor of the first edge into the node becomes 1 or -1. */
#include "kan/symbolic.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

/* An edge that is the only one out of its node; bias: of that node; next_bias: of the node that the edge
 * leads to. */
typedef struct joint {
  gt_symbolic *s;
  gt_symbolic_edge *edge;
  double *bias, *next_bias;
  bool *bias_fixed;
} joint;

/* Changes the node's value from u to scale u + shift. */
static void move_node(const joint *j, double scale, double shift) {
  for (int e = 0; e < j->s->edges; e++) {
    gt_symbolic_edge *g = &j->s->edge[e];
    if (g->layer + 1 == j->edge->layer && g->to == j->edge->from) g->value[GT_CONSTANT_C] *= scale;
  }
  *j->bias = *j->bias * scale + shift;
}

static void fix(gt_symbolic_edge *g, int constant, double value) {
  g->value[constant] = value;
  g->fixed[constant] = true;
}

static gt_symbolic_edge *first_edge_in(const joint *j) {
  for (int e = 0; e < j->s->edges; e++) {
    gt_symbolic_edge *g = &j->s->edge[e];
    if (g->layer + 1 == j->edge->layer && g->to == j->edge->from && g->value[GT_CONSTANT_C] != 0) return g;
  }
  return NULL;
}

/* Moves the factor k > 0 of f(k u) out of a power or logarithm f. */
static void normalize_scale(const joint *j) {
  gt_symbolic_edge *first = first_edge_in(j), *g = j->edge;
  if (!first || first->fixed[GT_CONSTANT_C]) return;
  const double k = fabs(first->value[GT_CONSTANT_C]);
  move_node(j, 1 / k, 0);
  if (g->symbol->kind == GT_SYMBOL_LOG)
    *j->next_bias += g->value[GT_CONSTANT_C] * log(k);
  else
    g->value[GT_CONSTANT_C] *= pow(k, g->symbol->power);
  fix(first, GT_CONSTANT_C, first->value[GT_CONSTANT_C] < 0 ? -1 : 1);
}

/* If f is odd or even, the first edge into the node gets a positive factor. */
static void normalize_sign(const joint *j) {
  const gt_symbol *symbol = j->edge->symbol;
  const gt_symbolic_edge *first = first_edge_in(j);
  const double left = gt_symbol_value(symbol, -0.5), right = gt_symbol_value(symbol, 0.5);
  if (!first || first->value[GT_CONSTANT_C] > 0 || fabs(left) != fabs(right)) return;
  move_node(j, -1, 0);
  if (left != right) j->edge->value[GT_CONSTANT_C] *= -1;
}

/* Moves constants of the edge into the node, and fixes those that become redundant. */
static void move_inner(const joint *j) {
  gt_symbolic_edge *g = j->edge;
  move_node(j, g->value[GT_CONSTANT_A], g->value[GT_CONSTANT_B]);
  fix(g, GT_CONSTANT_A, 1);
  fix(g, GT_CONSTANT_B, 0);
  normalize_sign(j);
  if (g->symbol->kind == GT_SYMBOL_LINE) {
    const double c = g->value[GT_CONSTANT_C];
    move_node(j, c, 0);
    *j->next_bias += *j->bias;
  } else if (g->symbol->kind == GT_SYMBOL_EXP) {
    g->value[GT_CONSTANT_C] *= exp(*j->bias);
  } else {
    if (g->symbol->kind == GT_SYMBOL_POWER || g->symbol->kind == GT_SYMBOL_LOG) normalize_scale(j);
    return;
  }
  if (g->symbol->kind == GT_SYMBOL_LINE) fix(g, GT_CONSTANT_C, 1);
  *j->bias = 0;
  *j->bias_fixed = true;
}

static int count_edges_out(const gt_symbolic *s, int layer, int node) {
  int count = 0;
  for (int e = 0; e < s->edges; e++) count += s->edge[e].layer == layer && s->edge[e].from == node;
  return count;
}

/* Makes a positive where f is odd, even or a step, and reduces the phase of a wave. */
static void normalize_argument(gt_symbolic *s, gt_symbolic_edge *g) {
  double *v = g->value;
  if (!(g->symbol->free & GT_SYMBOL_A) || g->fixed[GT_CONSTANT_A]) return;
  const gt_symbol_kind kind = g->symbol->kind;
  if (v[GT_CONSTANT_A] < 0 && kind != GT_SYMBOL_EXP) {
    v[GT_CONSTANT_A] = -v[GT_CONSTANT_A];
    v[GT_CONSTANT_B] = -v[GT_CONSTANT_B];
    const bool odd = kind == GT_SYMBOL_ODD || (kind == GT_SYMBOL_PERIODIC && !gt_symbol_value(g->symbol, 0));
    if (kind == GT_SYMBOL_STEP) s->bias[g->layer + 1][g->to] += v[GT_CONSTANT_C];
    if (odd || kind == GT_SYMBOL_STEP) v[GT_CONSTANT_C] = -v[GT_CONSTANT_C];
  }
  if (kind != GT_SYMBOL_PERIODIC) return;
  const double half_turns = floor(v[GT_CONSTANT_B] / pi + 0.5 + 1e-9); /* b is then from -pi/2 to pi/2 */
  v[GT_CONSTANT_B] -= half_turns * pi;
  if (fmod(fabs(half_turns), 2) == 1) v[GT_CONSTANT_C] = -v[GT_CONSTANT_C];
}

void gt_symbolic_normalize(gt_symbolic *s) {
  for (int e = s->edges; e-- > 0;) { /* from the last layer to the first */
    gt_symbolic_edge *g = &s->edge[e];
    if (!g->layer || count_edges_out(s, g->layer, g->from) != 1) continue;
    const joint j = {s, g, &s->bias[g->layer][g->from], &s->bias[g->layer + 1][g->to],
                     &s->bias_fixed[g->layer][g->from]};
    move_inner(&j);
  }
  for (int e = 0; e < s->edges; e++) normalize_argument(s, &s->edge[e]);
}

/* Evaluation and fits of constants; symbolic_find.c chooses the functions. */
#include "kan/symbolic.h"
#include "base/memory.h"
#include "kan/levenberg_marquardt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of a network's variance that a formula need not explain. */
static const double network_accuracy = 1e-6;

void gt_symbolic_measure(gt_symbolic_data *data) {
  const double *y = data->y;
  double squares = 0, variation = 0;
  for (int o = 0; o < data->outputs; o++) {
    double mean = 0;
    for (int64_t k = 0; k < data->samples; k++) mean += y[k * data->outputs + o] / (double)data->samples;
    for (int64_t k = 0; k < data->samples; k++) {
      const double value = y[k * data->outputs + o], weight = gt_symbolic_weight(data, k, o);
      variation += weight * weight * (value - mean) * (value - mean);
      squares += weight * weight * value * value;
    }
  }
  if (squares == 0) squares = 1;
  data->rounding = 1e-14 * variation + 4e-15 * squares;
  data->variation = variation > 1e-24 * squares ? variation : squares; /* y is constant */
  if (data->fits_network) data->rounding = fmax(data->rounding, network_accuracy * data->variation);
}

gt_symbolic_data gt_symbolic_data_of(const double *x, const double *y, int64_t samples, int inputs,
                                     int outputs) {
  gt_symbolic_data data = {.x = x, .y = y, .samples = samples, .inputs = inputs, .outputs = outputs};
  gt_symbolic_measure(&data);
  return data;
}

void gt_symbolic_set_fits_network(gt_symbolic_data *data) {
  data->fits_network = true;
  gt_symbolic_measure(data);
}

void gt_symbolic_finish(gt_symbolic *symbolic) {
  gt_arena_finish(&symbolic->arena);
  *symbolic = (gt_symbolic){0};
}

gt_symbolic gt_symbolic_copy(gt_arena *arena, const gt_symbolic *s) {
  gt_symbolic copy = *s;
  copy.arena = (gt_arena){0};
  copy.edge = gt_arena_copy(arena, s->edge, (size_t)s->edges * sizeof *s->edge);
  copy.bias = GT_NEW_N(arena, double *, s->layers + 1);
  copy.bias_fixed = GT_NEW_N(arena, bool *, s->layers + 1);
  for (int l = 1; l <= s->layers; l++) {
    copy.bias[l] = gt_arena_copy(arena, s->bias[l], (size_t)s->width[l] * sizeof **s->bias);
    copy.bias_fixed[l] = gt_arena_copy(arena, s->bias_fixed[l], (size_t)s->width[l] * sizeof **s->bias_fixed);
  }
  return copy;
}

/* --- values and derivatives at one sample --- */

typedef struct pass {
  const gt_symbolic *s;
  int *first_node;          /* [layers + 1]: index of a layer's first node in `node` and `adjoint` */
  double *node, *adjoint;   /* [nodes]: value; derivative of the output */
  double *argument, *value; /* [edges]: a x + b; f(a x + b) */
  bool exact;               /* true while no argument has left the domain of its function */
} pass;

static int nodes_of(const gt_symbolic *s) {
  int count = 0;
  for (int l = 0; l <= s->layers; l++) count += s->width[l];
  return count;
}

static void open_pass(pass *p, const gt_symbolic *s) {
  const size_t nodes = (size_t)nodes_of(s), edges = (size_t)s->edges;
  p->s = s;
  p->exact = true;
  p->first_node = gt_alloc(((size_t)s->layers + 1) * sizeof *p->first_node);
  for (int l = 0; l < s->layers; l++) p->first_node[l + 1] = p->first_node[l] + s->width[l];
  p->node = gt_alloc(2 * (nodes + edges) * sizeof *p->node);
  p->adjoint = p->node + nodes;
  p->argument = p->adjoint + nodes;
  p->value = p->argument + edges;
}

static void close_pass(pass *p) {
  free(p->first_node);
  free(p->node);
}

static const double *forward(pass *p, const double *x) {
  const gt_symbolic *s = p->s;
  memcpy(p->node, x, (size_t)s->width[0] * sizeof *x);
  for (int l = 1; l <= s->layers; l++)
    memcpy(p->node + p->first_node[l], s->bias[l], (size_t)s->width[l] * sizeof *x);
  for (int e = 0; e < s->edges; e++) { /* ordered by layer */
    const gt_symbolic_edge *g = &s->edge[e];
    p->argument[e] =
        g->value[GT_CONSTANT_A] * p->node[p->first_node[g->layer] + g->from] + g->value[GT_CONSTANT_B];
    p->value[e] = gt_symbol_value(g->symbol, p->argument[e]);
    p->exact &= gt_symbol_is_exact(g->symbol, p->argument[e]);
    p->node[p->first_node[g->layer + 1] + g->to] += g->value[GT_CONSTANT_C] * p->value[e];
  }
  return p->node + p->first_node[s->layers];
}

/* The index among the network's outputs of output number `output` of the data. */
static int node_of(const gt_symbolic_data *data, int output) {
  return data->output ? data->output[output] : output;
}

/* Writes the derivatives of an output, times `weight`, by all constants that are not fixed, in the order of
 * for_each_free, to `slope`. */
static void backward(pass *p, int output, double weight, double *slope) {
  const gt_symbolic *s = p->s;
  memset(p->adjoint, 0, (size_t)nodes_of(s) * sizeof *p->adjoint);
  p->adjoint[p->first_node[s->layers] + output] = weight;
  double derivative[GT_SYMBOLIC_MAX_EDGES][GT_EDGE_CONSTANTS];
  for (int e = s->edges; e-- > 0;) {
    const gt_symbolic_edge *g = &s->edge[e];
    const double above = p->adjoint[p->first_node[g->layer + 1] + g->to];
    const int below = p->first_node[g->layer] + g->from;
    const double inner =
        above == 0 ? 0 : above * g->value[GT_CONSTANT_C] * gt_symbol_slope(g->symbol, p->argument[e]);
    derivative[e][GT_CONSTANT_A] = inner * p->node[below];
    derivative[e][GT_CONSTANT_B] = inner;
    derivative[e][GT_CONSTANT_C] = above * p->value[e];
    p->adjoint[below] += inner * g->value[GT_CONSTANT_A];
  }
  for (int e = 0; e < s->edges; e++)
    for (int i = 0; i < GT_EDGE_CONSTANTS; i++)
      if (!s->edge[e].fixed[i]) *slope++ = derivative[e][i];
  for (int l = 1; l <= s->layers; l++)
    for (int n = 0; n < s->width[l]; n++)
      if (!s->bias_fixed[l][n]) *slope++ = p->adjoint[p->first_node[l] + n];
}

/* --- constants that are not fixed --- */

typedef struct visitor { /* copies constants to or from a vector, or lists them; NULL: does not */
  double *to;
  const double *from;
  gt_symbolic_constant *list;
  int count;
} visitor;

static void visit(visitor *w, double *value, bool *fixed) {
  if (*fixed) return;
  if (w->to) w->to[w->count] = *value;
  if (w->from) *value = w->from[w->count];
  if (w->list) w->list[w->count] = (gt_symbolic_constant){value, fixed};
  w->count++;
}

/* Visits all constants that are not fixed, in a fixed order. Returns their number. */
static int for_each_free(gt_symbolic *s, visitor w) {
  for (int e = 0; e < s->edges; e++)
    for (int i = 0; i < GT_EDGE_CONSTANTS; i++) visit(&w, &s->edge[e].value[i], &s->edge[e].fixed[i]);
  for (int l = 1; l <= s->layers; l++)
    for (int k = 0; k < s->width[l]; k++) visit(&w, &s->bias[l][k], &s->bias_fixed[l][k]);
  return w.count;
}

int gt_symbolic_free_constants(gt_symbolic *symbolic, gt_symbolic_constant *list) {
  return for_each_free(symbolic, (visitor){.list = list});
}

typedef struct fitting {
  gt_symbolic *s;
  const gt_symbolic_data *data;
  int parameters;
  double *slope; /* [parameters] */
  int *nonzero;  /* [parameters]: indices of slopes that are not 0 */
  bool clamps;   /* arguments outside the domain of a function are allowed and clamped to it */
} fitting;

/* Adds one output's part of J'J and J'r. Skips zeros, because most constants of a wide network affect other
 * outputs. Returns the number of operations. */
static double add_normal_equations(const fitting *f, double residual, double *jtj, double *jtr) {
  int count = 0;
  for (int i = 0; i < f->parameters; i++)
    if (f->slope[i] != 0) f->nonzero[count++] = i;
  for (int i = 0; i < count; i++) {
    const double slope = f->slope[f->nonzero[i]];
    double *row = jtj + f->nonzero[i] * f->parameters;
    jtr[f->nonzero[i]] += slope * residual;
    for (int j = 0; j <= i; j++) row[f->nonzero[j]] += slope * f->slope[f->nonzero[j]];
  }
  return 0.5 * count * count;
}

/* Number of operations of a sum, without those of add_normal_equations. FUNCTION: operations of a function
 * value. */
static double cost_of(const fitting *f, bool derivatives) {
  enum { FUNCTION = 16 };
  const double passes = 1 + (derivatives ? 0.5 * f->data->outputs : 0);
  return FUNCTION * passes * (double)f->data->samples * f->s->edges;
}

static double sum_of_squares(void *context, const double *constants, double *jtj, double *jtr) {
  const fitting *f = context;
  const gt_symbolic_data *d = f->data;
  pass p;
  double sum = 0, cost = cost_of(f, jtj != NULL);
  if (constants) for_each_free(f->s, (visitor){.from = constants});
  open_pass(&p, f->s);
  for (int64_t k = 0; k < d->samples; k++) {
    const double *y = forward(&p, d->x + k * d->inputs);
    for (int o = 0; o < d->outputs; o++) {
      const double weight = gt_symbolic_weight(d, k, o),
                   residual = weight * (y[node_of(d, o)] - d->y[k * d->outputs + o]);
      sum += residual * residual;
      if (!jtj) continue;
      backward(&p, node_of(d, o), weight, f->slope);
      cost += add_normal_equations(f, residual, jtj, jtr);
    }
  }
  close_pass(&p);
  if (d->effort) d->effort->spent += cost;
  return isfinite(sum) && (p.exact || f->clamps) ? sum : INFINITY;
}

bool gt_symbolic_is_exhausted(const gt_symbolic_data *data) {
  return data->effort && data->effort->spent > data->effort->budget;
}

static fitting open_fitting(gt_symbolic *s, const gt_symbolic_data *data, bool clamps) {
  const int parameters = gt_symbolic_free_constants(s, NULL);
  const size_t count = (size_t)parameters + 1;
  return (fitting){s,     data, parameters, gt_alloc(count * sizeof(double)), gt_alloc(count * sizeof(int)),
                   clamps};
}

static void close_fitting(fitting *f) {
  free(f->slope);
  free(f->nonzero);
}

enum { LAST_STEPS = 20 /* of a fit, when the budget is spent */ };

/* If all arguments start within the domains of their functions, the fit keeps them there. */
double gt_symbolic_fit(gt_symbolic *symbolic, const gt_symbolic_data *data, int max_steps) {
  fitting f = open_fitting(symbolic, data, !isfinite(gt_symbolic_sum(symbolic, data)));
  double *p = gt_alloc(((size_t)f.parameters + 1) * sizeof *p);
  for_each_free(symbolic, (visitor){.to = p});
  if (gt_symbolic_is_exhausted(data) && max_steps > LAST_STEPS) max_steps = LAST_STEPS;
  const double sum = gt_levenberg_marquardt_minimize(
      &(gt_levenberg_marquardt){f.parameters, &f, sum_of_squares}, p, max_steps);
  for_each_free(symbolic, (visitor){.from = p});
  free(p);
  close_fitting(&f);
  return f.clamps ? gt_symbolic_sum(symbolic, data) : sum;
}

void gt_symbolic_deviations(gt_symbolic *symbolic, const gt_symbolic_data *data, double *deviation) {
  fitting f = open_fitting(symbolic, data, true);
  gt_levenberg_marquardt_deviations(&(gt_levenberg_marquardt){f.parameters, &f, sum_of_squares}, NULL,
                                    deviation);
  close_fitting(&f);
}

double gt_symbolic_sum(const gt_symbolic *symbolic, const gt_symbolic_data *data) {
  gt_symbolic copy = *symbolic;
  fitting f = {.s = &copy, .data = data};
  return sum_of_squares(&f, NULL, NULL, NULL);
}

double gt_symbolic_distance(const gt_symbolic *a, const gt_symbolic *b, const gt_symbolic_data *data) {
  pass p, q;
  double sum = 0;
  open_pass(&p, a);
  open_pass(&q, b);
  for (int64_t k = 0; k < data->samples; k++) {
    const double *y = forward(&p, data->x + k * data->inputs), *z = forward(&q, data->x + k * data->inputs);
    for (int o = 0; o < data->outputs; o++) {
      const double difference = gt_symbolic_weight(data, k, o) * (y[node_of(data, o)] - z[node_of(data, o)]);
      sum += difference * difference;
    }
  }
  close_pass(&p);
  close_pass(&q);
  return sum;
}

double gt_symbolic_edge_value(const gt_symbolic_edge *g, double x) {
  const double u = g->value[GT_CONSTANT_A] * x + g->value[GT_CONSTANT_B];
  return g->value[GT_CONSTANT_C] * gt_symbol_value(g->symbol, u);
}

void gt_symbolic_ranges(const gt_symbolic *symbolic, const double *x, int64_t samples, double *low,
                        double *high) {
  pass p;
  open_pass(&p, symbolic);
  for (int e = 0; e < symbolic->edges; e++) low[e] = INFINITY, high[e] = -INFINITY;
  for (int64_t k = 0; k < samples; k++) {
    forward(&p, x + k * symbolic->width[0]);
    for (int e = 0; e < symbolic->edges; e++) {
      const gt_symbolic_edge *g = &symbolic->edge[e];
      const double from = p.node[p.first_node[g->layer] + g->from];
      low[e] = fmin(low[e], from);
      high[e] = fmax(high[e], from);
    }
  }
  close_pass(&p);
}

void gt_symbolic_node_values(const gt_symbolic *symbolic, const gt_symbolic_data *data, int layer, int node,
                             double *values) {
  pass p;
  open_pass(&p, symbolic);
  for (int64_t k = 0; k < data->samples; k++) {
    forward(&p, data->x + k * data->inputs);
    values[k] = p.node[p.first_node[layer] + node];
  }
  close_pass(&p);
}

void gt_symbolic_evaluate(const gt_symbolic *symbolic, const double *x, double *y) {
  pass p;
  open_pass(&p, symbolic);
  memcpy(y, forward(&p, x), (size_t)symbolic->width[symbolic->layers] * sizeof *y);
  close_pass(&p);
}

#include "selftest/prepare.h"
#include "base/philox.h"
#include "op/tangent.h"
#include <math.h>
#include <string.h>

/* REACH: points of a difference on each side; PURPOSE: a random stream (base/philox.h). */
enum { MAX_ELEMENTS = 600, MAX_TEXT = 256, REACH = 4, PURPOSE = 31 };
/* LIMIT of relative errors. They are relative to the largest element or to the sum of absolute contributions,
 * but at least to MIN_SCALE. */
static const double LIMIT = 1e-4, MIN_SCALE = 0.1;

/* A derivative of a case as a separate case, whose last input is the direction. */
typedef struct derivative_case {
  gt_case c; /* first, so that a view's `c` points to the whole struct */
  gt_case_rule rule;
  const gt_case *base;
  int order, along; /* along: the input that moves */
  char inputs[MAX_TEXT];
} derivative_case;

static const derivative_case *derivative_of(const gt_case_view *v) { return (const derivative_case *)v->c; }

static gt_case_view base_view(const gt_case_view *v) {
  gt_case_view base = *v;
  base.c = derivative_of(v)->base;
  base.inputs--;
  return base;
}

/* Builds the derivative; GT_NONE if the op has none. */
static gt_id build(gt_graph *graph, const gt_case_view *v, const gt_id *input) {
  const derivative_case *o = derivative_of(v);
  const gt_case_view base = base_view(v);
  const gt_id at = input[o->along], y = o->base->rule->build(graph, &base, input);
  if (graph->error.status || gt_tangent_kink(graph, at, y, o->order) != GT_NONE) return GT_NONE;
  gt_tangents *tangents = gt_tangents_create(graph, at, input[base.inputs], -1);
  gt_id value = y, failed = GT_NONE;
  for (int k = 0; k < o->order && value != GT_NONE; k++) value = gt_tangent(tangents, value, &failed);
  gt_tangents_destroy(tangents);
  return value;
}

/* --- finite differences --------------------------------------------------------------------------------- */

typedef gt_shape (*function)(const gt_case_view *v, const double *const *x, double *y);

/* Central differences of eighth order, of f at -4 h … 4 h: h^-order sum of weight f (Fornberg, "Generation of
 * Finite Difference Formulas on Arbitrarily Spaced Grids", 1988, table 1). */
static double weight_of(int order, int i) {
  static const double weight[GT_ORDERS][1 + REACH] = {
      {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
      {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560},
  };
  const double w = weight[order - 1][i < 0 ? -i : i];
  return order == 1 && i < 0 ? -w : w;
}

/* The difference quotient for x[which] + i h u, i = -REACH … REACH. */
static void difference(function f, const gt_case_view *v, const double *const *x, int which, const double *u,
                       int order, double h, double *y) {
  const int64_t count = gt_shape_count(f(v, x, NULL)), elements = gt_shape_count(v->shape[which]);
  const double *moved[GT_CASE_INPUTS];
  double at[MAX_ELEMENTS], value[MAX_ELEMENTS];
  memcpy(moved, x, sizeof(double *) * (size_t)v->inputs);
  moved[which] = at;
  for (int64_t k = 0; k < count; k++) y[k] = 0;
  for (int i = -REACH; i <= REACH; i++) {
    const double w = weight_of(order, i) / pow(h, order);
    if (w == 0) continue;
    for (int64_t k = 0; k < elements; k++) at[k] = x[which][k] + i * h * u[k];
    f(v, moved, value);
    for (int64_t k = 0; k < count; k++) y[k] += w * value[k];
  }
}

/* The derivative; NAN where it depends on the step size h, because a kink or a pole is near. */
static void differentiate(function f, const gt_case_view *v, const double *const *x, int which,
                          const double *u, int order, double *y) {
  const int64_t count = gt_shape_count(f(v, x, NULL));
  double wide[MAX_ELEMENTS], scale = MIN_SCALE;
  difference(f, v, x, which, u, order, 0x1p-9, y);
  difference(f, v, x, which, u, order, 0x1p-7, wide);
  for (int64_t k = 0; k < count; k++)
    if (isfinite(y[k])) scale = fmax(scale, fabs(y[k]));
  for (int64_t k = 0; k < count; k++)
    if (!(fabs(y[k] - wide[k]) <= LIMIT / 40 * scale)) y[k] = NAN;
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const derivative_case *o = derivative_of(v);
  const gt_case_view base = base_view(v);
  const gt_shape shape = o->base->rule->reference(&base, x, NULL);
  if (y) differentiate(o->base->rule->reference, &base, x, o->along, x[base.inputs], o->order, y);
  // cppcheck-suppress returnDanglingLifetime ; a shape is numbers, and points to nothing
  return shape;
}

/* --- checks --------------------------------------------------------------------------------------------- */

static bool is_small(const gt_subject *s) {
  int64_t elements = s->value.count;
  for (int k = 0; k < s->view.inputs; k++) elements += s->input[k].count;
  return elements <= MAX_ELEMENTS;
}

static void init(derivative_case *o, const gt_subject *s, int order, int along) {
  const gt_case *base = s->view.c;
  const gt_shape shape = s->view.shape[along];
  *o = (derivative_case){.c = *base, .rule = *base->rule, .base = base, .order = order, .along = along};
  int end = snprintf(o->inputs, MAX_TEXT, "%s %s", base->inputs, shape.rank ? "" : "-");
  for (int d = 0; d < shape.rank; d++)
    end += snprintf(o->inputs + end, (size_t)(MAX_TEXT - end), "%s%d", d ? "," : "", (int)shape.dim[d]);
  o->rule.build = build;
  o->rule.reference = reference;
  o->rule.magnitude = NULL;
  o->rule.flat = true;
  o->c.inputs = o->inputs;
  o->c.rule = &o->rule;
}

static const float *content(const gt_outcome *outcome, const gt_guarded_tensor *slot) {
  return (const float *)(const void *)outcome->content[slot->variable] + slot->guard;
}

static void expect(gt_verdict *verdict, const derivative_case *o, const char *what, int which, double got,
                   double expected, double scale) {
  const double error = fabs(got - expected) / fmax(scale, MIN_SCALE);
  if (!(error <= LIMIT))
    gt_verdict_fail(verdict, "order %d along input %d, %s %d: expected %.9g, got %.9g (relative error %.2g)",
                    o->order, o->along, what, which, expected, got, error);
}

/* Checks the gradient of input k, projected on a random direction: the derivative of the weighted sum of
 * values. */
static void check_gradient(const gt_subject *s, const derivative_case *o, int k, const gt_outcome *outcome,
                           gt_verdict *verdict) {
  double got = 0, expected = 0, scale = 0, slope[MAX_ELEMENTS], u[MAX_ELEMENTS];
  for (int64_t j = 0; j < s->input[k].count; j++) {
    u[j] = 2 * (double)gt_random_uniform(PURPOSE, (uint32_t)k, 0, (uint32_t)j) - 1;
    if (s->gradient[k].used) got += u[j] * (double)content(outcome, &s->gradient[k])[j];
  }
  differentiate(reference, &s->view, (const double *const *)s->x, k, u, 1, slope);
  for (int64_t j = 0; j < s->value.count; j++) {
    expected += s->w[j] * slope[j];
    scale += fabs(s->w[j] * slope[j]);
  }
  if (isfinite(expected)) expect(verdict, o, "gradient of input", k, got, expected, scale);
}

/* False if too many elements are near kinks for a verdict. */
static bool check(const gt_subject *s, const derivative_case *o, const gt_outcome *outcome,
                  gt_verdict *verdict) {
  double expected[MAX_ELEMENTS], scale = 0;
  int64_t compared = 0;
  reference(&s->view, (const double *const *)s->x, expected);
  for (int64_t i = 0; i < s->value.count; i++)
    if (isfinite(expected[i])) scale = fmax(scale, fabs(expected[i]));
  for (int64_t i = 0; i < s->value.count; i++) {
    if (!isfinite(expected[i])) continue;
    expect(verdict, o, "element", (int)i, (double)content(outcome, &s->value)[i], expected[i], scale);
    compared++;
  }
  for (int k = 0; k < s->view.inputs - 1; k++)
    if (o->rule.wrt >> k & 1) check_gradient(s, o, k, outcome, verdict);
  return 2 * compared > s->value.count;
}

static bool check_order(const gt_subject *base, int order, int along, gt_backend *backend,
                        gt_verdict *verdict) {
  derivative_case o;
  gt_subject s;
  gt_outcome outcome;
  gt_error error = {0};
  gt_arena arena;
  gt_arena_init(&arena);
  init(&o, base, order, along);
  const bool built = gt_subject_create(&s, &o.c, GT_PRECISION_AUTO, &error);
  bool checked = false;
  if (built && gt_subject_run(&s, backend, true, true, &arena, &outcome, &error))
    checked = check(&s, &o, &outcome, verdict);
  else if (built || s.graph->error.status) /* otherwise the op lacks this derivative */
    gt_verdict_fail(verdict, "order %d along input %d: %s", order, along, error.message);
  gt_subject_finish(&s);
  gt_arena_finish(&arena);
  return checked;
}

int gt_check_orders(const gt_subject *s, gt_backend *backend, gt_verdict *verdict) {
  const gt_case_rule *rule = s->view.c->rule;
  const int orders = rule->orders ? rule->orders : GT_ORDERS;
  int checked = 0;
  if (rule->result || rule->times > 1 || !is_small(s) || s->view.inputs == GT_CASE_INPUTS) return 0;
  for (int k = 0; k < s->view.inputs; k++)
    for (int order = 1; order <= orders && rule->wrt >> k & 1; order++)
      checked += check_order(s, order, k, backend, verdict);
  return checked;
}

/* Cases (op/case.h) of second derivatives of networks and formulas with respect to their inputs, computed by
 * forward differentiation, and of their gradients. References: finite differences and jets, in double. */
#include "op/tangent.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/formula.h"
#include "op/kan/kan.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/softmax.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, tangent)

/* p: the axes of the first and second derivative, then a variant and the degree of splines. */
enum { FIRST, SECOND, KIND, DEGREE };
enum { MAX_WIDTH = 16 };

/* The second derivative of y along axes p[FIRST] and p[SECOND] of x [rows, axes]. */
static gt_id derive(gt_graph *g, const gt_case_view *v, gt_id x, gt_id y) {
  for (int k = FIRST; k <= SECOND; k++) {
    const gt_shape shape = gt_node_at(g, x)->shape;
    const int64_t before[2] = {0, v->c->p[k]}, after[2] = {0, shape.dim[1] - 1 - v->c->p[k]};
    const gt_id ones = gt_expand(g, gt_constant(g, 1), gt_shape_2(shape.dim[0], 1));
    gt_id failed;
    gt_tangents *t = gt_tangents_create(g, x, gt_pad(g, ones, before, after, 0), -1);
    y = gt_tangent(t, y, &failed);
    gt_tangents_destroy(t);
  }
  return y;
}

/* The same by finite differences from six neighboring points on each axis. */
typedef double (*value_function)(const gt_case_view *v, const double *const *x, const double *at,
                                 int64_t output);
static double finite_difference(const gt_case_view *v, const double *const *x, const double *point,
                                int64_t output, value_function value) {
  static const double weight[] = {0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  const double h = 0x1p-6;
  double sum = 0, at[2];
  for (int i = -3; i <= 3; i++)
    for (int j = -3; j <= 3; j++) {
      at[0] = point[0], at[1] = point[1];
      at[v->c->p[FIRST]] += i * h;
      at[v->c->p[SECOND]] += j * h;
      const double w = (i < 0 ? -1 : 1) * weight[abs(i)] * (j < 0 ? -1 : 1) * weight[abs(j)];
      if (w != 0) sum += w * value(v, x, at, output);
    }
  return sum / (h * h);
}

static gt_shape reference_by(const gt_case_view *v, const double *const *x, double *y, int64_t outputs,
                             value_function value) {
  const int64_t rows = v->shape[0].dim[0];
  for (int64_t m = 0; y && m < rows; m++)
    for (int64_t o = 0; o < outputs; o++)
      y[m * outputs + o] = finite_difference(v, x, x[0] + 2 * m, o, value);
  return gt_shape_2(rows, outputs);
}

/* --- formulas ------------------------------------------------------------------------------------------- */

static const char *const formula[] = {
    "exp(sin(x)*y) / (2 + softplus(x - y))",
    "sigmoid(x*y) * silu(x + y) + gelu(y) * erf(x)",
    "sqrt(x^2 + y^2 + 1) * atan(x) + log(x^2 + 1) + pow(3 + x, y)",
    "tan(x/2)*gaussian(y) + asin(x/2)*log10(3 + y) - acos(y/2)*x",
    "tanh(x)^3 * cos(2*y) - reciprocal(3 + x) * exp2(y) + log2(4 + x*y)",
};

static const gt_formula *formula_of(const gt_case_view *v, gt_arena *arena) {
  static const char *const names[] = {"x", "y"};
  return gt_formula_parse(arena, formula[v->c->p[KIND]], names, 2, NULL);
}

static gt_id build_formula(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const int64_t rows = v->shape[0].dim[0];
  gt_id column[2];
  for (int k = 0; k < 2; k++)
    column[k] = gt_shrink(g, x[0], (const int64_t[]){0, k}, (const int64_t[]){rows, k + 1});
  return derive(g, v, x[0], gt_formula_emit(g, formula_of(v, g->arena), column));
}

static double formula_value(const gt_case_view *v, const double *const *x, const double *at, int64_t output) {
  gt_arena arena;
  gt_arena_init(&arena);
  (void)x, (void)output;
  const double value = gt_formula_evaluate(formula_of(v, &arena), at);
  gt_arena_finish(&arena);
  return value;
}
static gt_shape reference_formula(const gt_case_view *v, const double *const *x, double *y) {
  return reference_by(v, x, y, 1, formula_value);
}

/* --- networks of products ------------------------------------------------------------------------------- */

/* Inputs: x, then weights [outputs, inputs] and biases of a hidden layer, and weights of the last. */
static gt_id build_network(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id z = gt_add(g, gt_matmul(g, x[0], x[1], false, true), x[2]);
  const gt_id hidden = v->c->p[KIND] ? gt_softmax(g, z, -1) : gt_tanh(g, z);
  return derive(g, v, x[0], gt_matmul(g, hidden, x[3], false, true));
}

static double network_value(const gt_case_view *v, const double *const *x, const double *at, int64_t output) {
  const int64_t width = v->shape[1].dim[0];
  double value = 0, total = 0, z[MAX_WIDTH];
  for (int64_t j = 0; j < width; j++) {
    z[j] = x[1][2 * j] * at[0] + x[1][2 * j + 1] * at[1] + x[2][j];
    z[j] = v->c->p[KIND] ? exp(z[j]) : tanh(z[j]);
    total += z[j];
  }
  for (int64_t j = 0; j < width; j++) value += x[3][output * width + j] * z[j];
  return v->c->p[KIND] ? value / total : value;
}
static gt_shape reference_network(const gt_case_view *v, const double *const *x, double *y) {
  return reference_by(v, x, y, v->shape[3].dim[0], network_value);
}

/* --- two KAN layers of splines and silu ----------------------------------------------------------------- */

enum { GRID = 4 };

static gt_kan_attribute layer_of(const gt_case_view *v, int layer, int64_t inputs) {
  gt_kan_attribute a = gt_kan_bspline(layer ? -4 : -1, layer ? 4 : 1, GRID, (uint32_t)v->c->p[DEGREE]);
  a.block = (uint32_t)inputs;
  a.base = 1;
  return a;
}

static gt_id build_kan(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_kan_attribute first = layer_of(v, 0, 2), second = layer_of(v, 1, v->shape[1].dim[1]);
  return derive(g, v, x[0], gt_kan(g, gt_kan(g, x[0], x[1], GT_NONE, &first), x[2], GT_NONE, &second));
}

typedef struct jet { /* a value, its derivatives along each axis and along both */
  double v, a, b, ab;
} jet;

static double spline(double knot, double cell, uint32_t degree, uint32_t order, double x) {
  if (!degree) return x >= knot && x < knot + cell ? 1 : 0;
  const double left = spline(knot, cell, degree - 1, order ? order - 1 : 0, x),
               right = spline(knot + cell, cell, degree - 1, order ? order - 1 : 0, x);
  return order ? (left - right) / cell
               : ((x - knot) * left + (knot + (degree + 1) * cell - x) * right) / (degree * cell);
}

/* The jet of f(x); f: its value and first two derivatives at x.v. */
static jet chain(const double f[3], jet x) {
  return (jet){f[0], f[1] * x.a, f[1] * x.b, f[2] * x.a * x.b + f[1] * x.ab};
}

/* Function number `term` of a layer's edge; the last one is silu. */
static jet edge(const gt_case_view *v, int layer, int64_t term, jet x) {
  const uint32_t degree = (uint32_t)v->c->p[DEGREE];
  const double low = layer ? -4 : -1, cell = -2 * low / GRID, s = 1 / (1 + exp(-x.v)), q = s * (1 - s);
  double f[3] = {x.v * s, s + x.v * q, q * (2 + x.v * (1 - 2 * s))};
  for (uint32_t order = 0; order < 3 && term < GRID + degree; order++)
    f[order] = spline(low + ((double)term - degree) * cell, cell, degree, order, x.v);
  return chain(f, x);
}

/* Computes the outputs y of layer `number` (0 or 1) with coefficients c from x. */
static void run_layer(const gt_case_view *v, int number, const double *c, int64_t inputs, int64_t outputs,
                      const jet *x, jet *y) {
  const int64_t total = GRID + v->c->p[DEGREE] + 1;
  for (int64_t o = 0; o < outputs; o++) y[o] = (jet){0};
  for (int64_t t = 0; t < total; t++)
    for (int64_t i = 0; i < inputs; i++) {
      const jet f = edge(v, number, t, x[i]);
      for (int64_t o = 0; o < outputs; o++) {
        const double weight = c[(t * inputs + i) * outputs + o];
        y[o].v += weight * f.v, y[o].a += weight * f.a, y[o].b += weight * f.b, y[o].ab += weight * f.ab;
      }
    }
}

static gt_shape reference_kan(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->shape[0].dim[0], width = v->shape[1].dim[1], outputs = v->shape[2].dim[1];
  for (int64_t m = 0; y && m < rows; m++) {
    jet in[2], hidden[MAX_WIDTH], out[MAX_WIDTH];
    for (int k = 0; k < 2; k++) in[k] = (jet){x[0][2 * m + k], k == v->c->p[FIRST], k == v->c->p[SECOND], 0};
    run_layer(v, 0, x[1], 2, width, in, hidden);
    run_layer(v, 1, x[2], width, outputs, hidden, out);
    for (int64_t o = 0; o < outputs; o++) y[m * outputs + o] = out[o].ab;
  }
  return gt_shape_2(rows, outputs);
}

#define RULE(what, gradients)                                                                         \
  {                                                                                                   \
    .name = "tangent_" #what, .build = build_##what, .reference = reference_##what, .wrt = gradients, \
    .low = -0.9, .high = 1, .tolerance = 4e-5, .gradient_tolerance = 1e-4,                            \
    .orders = -1 /* the inputs already are such derivatives */,                                       \
    .reason = "sums of products of rounded derivatives, which cancel"                                 \
  }
static const gt_case_rule formulas = RULE(formula, 1), network = RULE(network, 15), kan = RULE(kan, 7);
/* No gradient of x: the third derivative of cubic splines is discontinuous. */
static const gt_case_rule cubic = RULE(kan, 6);

static const gt_case cases[] = {
    {&formulas, "7,2", {0, 1, 0}},
    {&formulas, "7,2", {1, 1, 1}},
    {&formulas, "7,2", {0, 0, 2}, .more = true},
    {&formulas, "7,2", {0, 1, 3}},
    {&formulas, "7,2", {0, 1, 4}},
    {&network, "33,2 16,2 16 3,16", {0, 1}},
    {&network, "6,2 5,2 5 1,5", {0, 0, 1}, .more = true},
    {&cubic, "6,2 16,3 24,2", {0, 1, 0, 3}},
    {&kan, "21,2 20,5 50,1", {0, 0, 0, 5}},
};
GT_CASES(tangent, cases);

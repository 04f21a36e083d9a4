/* Cases (op/case.h) of KAN layers and bases whose functions have parameters for each input: splines with
 * knots of each input, radial functions and waves with a center and scale for each function and input. */
#include "op/kan/kan.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <math.h>

GT_REGISTER(opcase, kan_own)

/* p: basis, grid (cells, points or frequencies), degree, block (0: all inputs), base (1: with silu). Inputs:
 * x; rows of numbers around 0 from which parameter_row computes knots, centers and scales; coefficients, if
 * any; their scales, if any. */
enum { BASIS, GRID, DEGREE, BLOCK, BASE };
enum { MAX_TERMS = 32 };

typedef struct layer {
  gt_kan_attribute a;
  int64_t rows, inputs, outputs;
  int64_t total;          /* functions of an input, with the base */
  int64_t parameter_rows; /* follow the rows of x */
} layer;

static layer layer_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  const gt_shape x = v->shape[0];
  layer l = {.rows = x.dim[0], .inputs = x.dim[1], .outputs = v->shape[v->inputs - 1].dim[1]};
  l.a = p[BASIS] == GT_BASIS_KNOTS     ? gt_kan_knots((uint32_t)p[GRID], (uint32_t)p[DEGREE])
        : p[BASIS] == GT_BASIS_FOURIER ? gt_kan_waves((uint32_t)p[GRID])
                                       : gt_kan_bumps((uint32_t)p[BASIS], -1, 1, (uint32_t)p[GRID], 0);
  l.a.placed = p[BASIS] != GT_BASIS_KNOTS;
  l.a.block = (uint32_t)(p[BLOCK] ? p[BLOCK] : l.inputs);
  l.a.base = (uint32_t)p[BASE];
  l.total = l.a.terms + l.a.base;
  l.parameter_rows = gt_kan_parameter_rows(&l.a);
  return l;
}

/* --- parameters ----------------------------------------------------------------------------------------- */

/* Row k of the parameters is *start + *factor * row k of input 1: knots are ascending with unequal
 * distances, and two of them coincide. */
static void parameter_row(const layer *l, int64_t k, double *start, double *factor) {
  const double h = 2.0 / (double)(l->a.terms - l->a.degree);
  *factor = 0.3;
  if (!l->a.placed) {
    *start = -1 + (double)(k - l->a.degree) * h;
    *factor = k == 1 || k == 2 ? 0 : 0.3 * h;
    if (k == 1) *start += h;
  } else if (k < l->a.terms) {
    *start = -1 + 2.0 * (double)k / l->a.terms;
  } else {
    *start = 0.8 + 0.5 * (double)(k % 3);
  }
}

/* x followed by the rows of parameters, as the op reads it. */
static gt_id with_parameters(gt_graph *g, const layer *l, gt_id x, gt_id raw) {
  gt_id part[2 + 2 * MAX_TERMS] = {x};
  for (int64_t k = 0; k < l->parameter_rows; k++) {
    double start, factor;
    parameter_row(l, k, &start, &factor);
    const gt_id row = gt_view(g, raw, k * l->inputs, gt_shape_2(1, l->inputs));
    part[1 + k] = gt_add(g, gt_mul(g, row, gt_constant(g, factor)), gt_constant(g, start));
  }
  return gt_concatenate(g, part, 1 + (int)l->parameter_rows, 0);
}

static double parameter(const layer *l, const double *raw, int64_t k, int64_t input) {
  double start, factor;
  parameter_row(l, k, &start, &factor);
  return start + factor * raw[k * l->inputs + input];
}

/* --- functions in double -------------------------------------------------------------------------------- */

static double quotient_or_0(double a, double b) { return b > 0 ? a / b : 0; }

static double spline(const double *knot, uint32_t degree, double x) {
  if (!degree) return x >= knot[0] && x < knot[1] ? 1 : 0;
  return quotient_or_0(x - knot[0], knot[degree] - knot[0]) * spline(knot, degree - 1, x) +
         quotient_or_0(knot[degree + 1] - x, knot[degree + 1] - knot[1]) * spline(knot + 1, degree - 1, x);
}

/* Function `term` of u = (x - center) * scale. */
static double placed_value(const layer *l, int64_t term, double u) {
  const double pi_u = M_PI * u;
  switch (l->a.basis) {
  case GT_BASIS_RBF: return exp(-u * u);
  case GT_BASIS_RSWAF: return 1 / (cosh(u) * cosh(u));
  case GT_BASIS_WAVELET: return 2 / (sqrt(3) * pow(M_PI, 0.25)) * (u * u - 1) * exp(-u * u / 2);
  case GT_BASIS_SINC: return u == 0 ? 1 : sin(pi_u) / pi_u;
  default: return term < l->a.terms / 2 ? cos(u) : sin(u);
  }
}

static double value_of(const layer *l, const double *raw, int64_t term, int64_t input, double x) {
  double knot[12];
  if (term == l->a.terms) return x / (1 + exp(-x));
  if (l->a.placed)
    return placed_value(l, term,
                        (x - parameter(l, raw, term, input)) * parameter(l, raw, l->a.terms + term, input));
  for (uint32_t k = 0; k < l->a.degree + 2; k++) knot[k] = parameter(l, raw, term + k, input);
  return spline(knot, l->a.degree, x);
}

/* --- layers --------------------------------------------------------------------------------------------- */

static int64_t coefficient_row(const layer *l, int64_t input, int64_t term) {
  return (input / l->a.block * l->total + term) * l->a.block + input % l->a.block;
}

/* x[3], if present: scales of all functions but the base. */
static gt_shape reference_kan(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  const gt_shape shape = gt_shape_2(l.rows, l.outputs);
  const bool scaled = v->inputs > 3;
  if (!y) return shape;
  for (int64_t i = 0; i < l.rows * l.outputs; i++) y[i] = 0;
  for (int64_t m = 0; m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double f = value_of(&l, x[1], t, i, x[0][m * l.inputs + i]);
        for (int64_t o = 0; f != 0 && o < l.outputs; o++)
          y[m * l.outputs + o] += f * x[2][coefficient_row(&l, i, t) * l.outputs + o] *
                                  (scaled && t < l.a.terms ? x[3][i * l.outputs + o] : 1);
      }
  return shape;
}

/* The sums of the absolute products. */
static gt_shape magnitude_kan(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  for (int64_t i = 0; y && i < l.rows * l.outputs; i++) y[i] = 0;
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double f = value_of(&l, x[1], t, i, x[0][m * l.inputs + i]);
        for (int64_t o = 0; o < l.outputs; o++)
          y[m * l.outputs + o] += fabs(f * x[2][coefficient_row(&l, i, t) * l.outputs + o]);
      }
  return gt_shape_2(l.rows, l.outputs);
}

static gt_id build_kan(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan(g, with_parameters(g, &l, x[0], x[1]), x[2], v->inputs > 3 ? x[3] : GT_NONE, &l.a);
}

static gt_shape reference_basis(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++)
        y[m * l.inputs * l.total + coefficient_row(&l, i, t)] =
            value_of(&l, x[1], t, i, x[0][m * l.inputs + i]);
  return gt_shape_2(l.rows, l.inputs * l.total);
}

static gt_id build_basis(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan_basis(g, with_parameters(g, &l, x[0], x[1]), &l.a);
}

/* A layer of the functions' derivatives with respect to x. */
static gt_id build_slope(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  layer l = layer_of(v);
  l.a.order = 1;
  return gt_kan(g, with_parameters(g, &l, x[0], x[1]), x[2], GT_NONE, &l.a);
}

static gt_shape reference_slope(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  const gt_shape shape = gt_shape_2(l.rows, l.outputs);
  const double h = 0x1p-16;
  for (int64_t i = 0; y && i < l.rows * l.outputs; i++) y[i] = 0;
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double at = x[0][m * l.inputs + i];
        const double f = (value_of(&l, x[1], t, i, at + h) - value_of(&l, x[1], t, i, at - h)) / (2 * h);
        for (int64_t o = 0; o < l.outputs; o++)
          y[m * l.outputs + o] += f * x[2][coefficient_row(&l, i, t) * l.outputs + o];
      }
  return shape;
}

#define RULE(title, what, gradients)                                                                    \
  {                                                                                                     \
    .name = title, .build = build_##what, .reference = reference_##what, .wrt = gradients, .low = -1.2, \
    .high = 1.3, .tolerance = 2e-5, .gradient_tolerance = 4e-5,                                         \
    .reason = "rounding of the sums, as in matmul, and of the functions' arguments"                     \
  }
/* Knots have no gradient; splines of degree 1 have kinks, splines of degree 0 steps. */
static const gt_case_rule knots = RULE("kan_own_knots", kan, 5), low_degree = RULE("kan_own_corners", kan, 4),
                          centers = RULE("kan_own_places", kan, 7),
                          knots_scaled = RULE("kan_own_knots_scaled", kan, 13),
                          centers_scaled = RULE("kan_own_places_scaled", kan, 15),
                          knot_basis = RULE("kan_basis_knots", basis, 1), basis = RULE("kan_basis", basis, 3),
                          slope = RULE("kan_own_slope", slope, 5);

/* On matrix units, with vectorized and scalar loads of the inputs. */
static const gt_case_rule on_units = {
    .name = "kan_own_on_units",
    .build = build_kan,
    .reference = reference_kan,
    .magnitude = magnitude_kan,
    .half_gradient = 1,
    .wrt = 5,
    .low = -1.2,
    .high = 1.3,
    .tolerance = 2e-5,
    .gradient_tolerance = 4e-5,
    .reason = "rounding of the sums, as in matmul, and of the functions' arguments"};

static const gt_case cases[] = {
    {&low_degree, "6,4 6,4 20,3", {GT_BASIS_KNOTS, 5, 0}},
    {&low_degree, "6,4 8,4 24,3", {GT_BASIS_KNOTS, 5, 1}},
    {&knots, "6,4 10,4 28,3", {GT_BASIS_KNOTS, 5, 2}},
    {&knots, "6,5 12,5 40,3", {GT_BASIS_KNOTS, 5, 3}},
    {&knots, "6,5 12,5 45,3", {GT_BASIS_KNOTS, 5, 3, 0, 1}, .more = true},
    {&knots, "33,16 12,16 144,9", {GT_BASIS_KNOTS, 5, 3, 16, 1}},
    {&knots, "130,32 10,32 224,17", {GT_BASIS_KNOTS, 3, 3, 16, 1}, .low = -2, .high = 2},
    {&knots, "7,9 12,9 72,3", {GT_BASIS_KNOTS, 5, 3, 3}, .more = true},
    {&knots, "6,4 12,4 28,3", {GT_BASIS_KNOTS, 3, 4}},
    {&knots, "6,4 14,4 32,3", {GT_BASIS_KNOTS, 3, 5}, .more = true},
    {&knots, "6,4 22,4 48,3", {GT_BASIS_KNOTS, 3, 9}},
    {&centers, "6,5 16,5 40,3", {GT_BASIS_RBF, 8}, .more = true},
    {&centers, "33,16 10,16 96,9", {GT_BASIS_RBF, 5, 0, 16, 1}},
    {&centers, "6,5 16,5 40,3", {GT_BASIS_RSWAF, 8}, .more = true},
    {&centers, "34,8 10,8 48,9", {GT_BASIS_RSWAF, 5, 0, 4, 1}},
    {&centers, "6,5 12,5 30,3", {GT_BASIS_WAVELET, 6}},
    {&centers, "6,5 12,5 30,3", {GT_BASIS_SINC, 6}},
    {&centers, "6,5 12,5 30,3", {GT_BASIS_FOURIER, 3}, .more = true},
    {&centers, "34,8 12,8 56,9", {GT_BASIS_FOURIER, 3, 0, 4, 1}},
    {&knots_scaled, "6,5 12,5 45,3 5,3", {GT_BASIS_KNOTS, 5, 3, 0, 1}},
    {&knots_scaled, "33,16 12,16 144,9 16,9", {GT_BASIS_KNOTS, 5, 3, 16, 1}},
    {&centers_scaled, "6,5 16,5 40,3 5,3", {GT_BASIS_RBF, 8}, .more = true},
    {&centers_scaled, "34,8 12,8 56,9 8,9", {GT_BASIS_FOURIER, 3, 0, 8, 1}},
    {&knot_basis, "6,5 12,5", {GT_BASIS_KNOTS, 5, 3, 0, 1}},
    {&knot_basis, "9,8 12,8", {GT_BASIS_KNOTS, 5, 3, 4}},
    {&basis, "6,5 12,5", {GT_BASIS_RBF, 6}},
    {&basis, "9,8 10,8", {GT_BASIS_WAVELET, 5, 0, 4, 1}},
    {&basis, "9,8 12,8", {GT_BASIS_FOURIER, 3, 0, 2}},
    {&on_units, "40,16 12,16 144,32", {GT_BASIS_KNOTS, 5, 3, 16, 1}, .more = true},
    {&on_units, "34,6 12,6 54,5", {GT_BASIS_KNOTS, 5, 3, 0, 1}},
    {&on_units, "40,16 10,16 96,32", {GT_BASIS_RBF, 5, 0, 16, 1}},
    {&slope, "6,4 14,4 32,3", {GT_BASIS_KNOTS, 3, 5}},
};
GT_CASES(kan_own, cases);

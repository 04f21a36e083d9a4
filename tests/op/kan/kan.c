/* Cases (op/case.h) of KAN layers, their gradients and their basis functions. */
#include "op/kan/kan.h"
#include "op/case.h"
#include "op/elementwise.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, kan)

/* p: basis, grid (cells, points or frequencies), degree, block (0: all inputs), base (1: with silu), ends of
 * the range in eighths, width of radial functions in eighths of the distance between their centers (0: 8),
 * both exponents of Jacobi polynomials in eighths, order of the derivative. */
enum { BASIS, GRID, DEGREE, BLOCK, BASE, LOW, HIGH, WIDTH, FIRST, SECOND, ORDER };

static double eighths(const gt_case_view *v, int which) { return (double)v->c->p[which] / 8; }

static gt_kan_attribute attribute_of(const gt_case_view *v, int64_t inputs) {
  const int64_t *p = v->c->p;
  const uint32_t basis = (uint32_t)p[BASIS], grid = (uint32_t)p[GRID], degree = (uint32_t)p[DEGREE];
  const double low = eighths(v, LOW), high = eighths(v, HIGH);
  const double width = p[WIDTH] ? eighths(v, WIDTH) * (high - low) / (grid > 1 ? grid - 1 : 1) : 0;
  gt_kan_attribute a = basis == GT_BASIS_BSPLINE            ? gt_kan_bspline(low, high, grid, degree)
                       : basis == GT_BASIS_PIECEWISE_LINEAR ? gt_kan_piecewise_linear(low, high, grid)
                       : basis == GT_BASIS_FOURIER          ? gt_kan_waves(grid)
                       : grid                               ? gt_kan_bumps(basis, low, high, grid, width)
                              : gt_kan_polynomials(basis, degree, eighths(v, FIRST), eighths(v, SECOND));
  a.block = (uint32_t)(p[BLOCK] ? p[BLOCK] : inputs);
  a.base = (uint32_t)p[BASE];
  return a;
}

/* --- functions in double, by other formulas than those of the kernels --- */

/* The recursive definition of Cox and de Boor. */
static double spline(const double *knot, uint32_t degree, double x) {
  if (!degree) return x >= knot[0] && x < knot[1] ? 1 : 0;
  return (x - knot[0]) / (knot[degree] - knot[0]) * spline(knot, degree - 1, x) +
         (knot[degree + 1] - x) / (knot[degree + 1] - knot[1]) * spline(knot + 1, degree - 1, x);
}

static double spline_derived(const double *knot, uint32_t degree, uint32_t order, double x) {
  if (order > degree) return 0;
  if (!order) return spline(knot, degree, x);
  return degree * (spline_derived(knot, degree - 1, order - 1, x) / (knot[degree] - knot[0]) -
                   spline_derived(knot + 1, degree - 1, order - 1, x) / (knot[degree + 1] - knot[1]));
}

static double bspline(const gt_case_view *v, const gt_kan_attribute *a, uint32_t term, uint32_t order,
                      double x) {
  double knot[16];
  const double low = eighths(v, LOW), h = (eighths(v, HIGH) - low) / (double)v->c->p[GRID];
  for (uint32_t i = 0; i < a->degree + 2; i++) knot[i] = low + ((double)(i + term) - a->degree) * h;
  return spline_derived(knot, a->degree, order, x);
}

static double chebyshev(uint32_t n, double x) {
  if (fabs(x) <= 1) return cos(n * acos(x));
  return (x < 0 && n % 2 ? -1 : 1) * cosh(n * acosh(fabs(x)));
}

static double binomial(double n, uint32_t k) {
  double value = 1;
  for (uint32_t i = 0; i < k; i++) value *= (n - i) / (k - i);
  return value;
}

static double jacobi(uint32_t n, double a, double b, double x) {
  double sum = 0;
  for (uint32_t s = 0; s <= n; s++)
    sum += binomial(n + a, n - s) * binomial(n + b, s) * pow((x - 1) / 2, s) * pow((x + 1) / 2, n - s);
  return sum;
}

static double hermite(uint32_t n, double x) {
  double sum = 0;
  for (uint32_t m = 0; 2 * m <= n; m++)
    sum += (m % 2 ? -1 : 1) * tgamma(n + 1.0) / (tgamma(m + 1.0) * tgamma(n - 2.0 * m + 1)) *
           pow(2 * x, n - 2.0 * m);
  return sum;
}

static double piecewise_linear(const gt_case_view *v, uint32_t term, double x) {
  const double low = eighths(v, LOW), grid = (double)v->c->p[GRID], h = (eighths(v, HIGH) - low) / grid;
  const double cell = fmin(fmax(floor((x - low) / h), 0), grid - 1), left = low + cell * h;
  if (term == cell) return (left + h - x) / h;
  return term == cell + 1 ? (x - left) / h : 0;
}

/* Function number `term` of an input. */
static double value_of(const gt_case_view *v, const gt_kan_attribute *a, uint32_t term, double x) {
  const double low = eighths(v, LOW), high = eighths(v, HIGH), grid = (double)v->c->p[GRID];
  const double spacing = (high - low) / (grid > 1 ? grid - 1 : 1), centre = low + term * spacing;
  const double width = v->c->p[WIDTH] ? eighths(v, WIDTH) * spacing : spacing, z = (x - centre) / width;
  const double phase = M_PI * (x - centre) / spacing;
  if (term == a->terms) return x / (1 + exp(-x));
  switch (a->basis) {
  case GT_BASIS_BSPLINE: return bspline(v, a, term, 0, x);
  case GT_BASIS_CHEBYSHEV: return chebyshev(term, x);
  case GT_BASIS_LEGENDRE: return jacobi(term, 0, 0, x);
  case GT_BASIS_JACOBI: return jacobi(term, eighths(v, FIRST), eighths(v, SECOND), x);
  case GT_BASIS_HERMITE: return hermite(term, x);
  case GT_BASIS_RBF: return exp(-z * z);
  case GT_BASIS_RSWAF: return 1 / (cosh(z) * cosh(z));
  case GT_BASIS_WAVELET: return 2 / (sqrt(3) * pow(M_PI, 0.25)) * (z * z - 1) * exp(-z * z / 2);
  case GT_BASIS_SINC: return phase == 0 ? 1 : sin(phase) / phase;
  case GT_BASIS_PIECEWISE_LINEAR: return piecewise_linear(v, term, x);
  default: return term < grid ? cos((term + 1) * x) : sin((term + 1 - grid) * x);
  }
}

static double slope_of(const gt_case_view *v, const gt_kan_attribute *a, uint32_t term, double x) {
  const double h = 0x1p-16;
  return (8 * (value_of(v, a, term, x + h) - value_of(v, a, term, x - h)) -
          (value_of(v, a, term, x + 2 * h) - value_of(v, a, term, x - 2 * h))) /
         (12 * h);
}

/* The derivative of this order: exact for splines, otherwise by finite differences. */
static double derived_of(const gt_case_view *v, const gt_kan_attribute *a, uint32_t term, uint32_t order,
                         double x) {
  static const double second[] = {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90},
                      third[] = {0, -13.0 / 8, 1, -1.0 / 8};
  const double h = 0x1p-7, *weight = order == 2 ? second : third;
  double sum = 0;
  if (a->basis == GT_BASIS_BSPLINE && term < a->terms) return bspline(v, a, term, order, x);
  if (order == 1) return slope_of(v, a, term, x);
  for (int k = -3; k <= 3; k++)
    sum += (k < 0 && order == 3 ? -1 : 1) * weight[abs(k)] * value_of(v, a, term, x + k * h);
  return sum / pow(h, order);
}

/* --- layers --------------------------------------------------------------------------------------------- */

typedef struct layer {
  gt_kan_attribute a;
  int64_t rows, inputs, outputs;
  int64_t total; /* functions of an input, with the base */
} layer;

static layer layer_of(const gt_case_view *v) {
  const gt_shape x = v->shape[0], second = v->shape[1];
  layer l = {.inputs = x.dim[x.rank - 1], .outputs = second.dim[second.rank - 1]};
  l.rows = gt_shape_count(x) / l.inputs;
  l.a = attribute_of(v, l.inputs);
  l.total = l.a.terms + l.a.base;
  return l;
}

/* The first coefficient of one function of an input; order: blocks, functions, inputs of a block. */
static int64_t first_coefficient(const layer *l, int64_t input, int64_t term) {
  return ((input / l->a.block * l->total + term) * l->a.block + input % l->a.block) * l->outputs;
}

static gt_shape reference_kan(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  gt_shape shape = v->shape[0];
  shape.dim[shape.rank - 1] = l.outputs;
  if (!y) return shape;
  for (int64_t i = 0; i < l.rows * l.outputs; i++) y[i] = 0;
  for (int64_t m = 0; m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double f = value_of(v, &l.a, (uint32_t)t, x[0][m * l.inputs + i]);
        for (int64_t o = 0; f != 0 && o < l.outputs; o++)
          y[m * l.outputs + o] += f * x[1][first_coefficient(&l, i, t) + o];
      }
  return shape;
}

/* The sums of the absolute products. */
static gt_shape magnitude_kan(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  const gt_shape shape = reference_kan(v, x, NULL);
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] = 0;
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double f = value_of(v, &l.a, (uint32_t)t, x[0][m * l.inputs + i]);
        for (int64_t o = 0; o < l.outputs; o++)
          y[m * l.outputs + o] += fabs(f * x[1][first_coefficient(&l, i, t) + o]);
      }
  return shape;
}

static gt_shape reference_coefficients(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  const gt_shape shape = gt_shape_2(l.inputs * l.total, l.outputs);
  if (!y) return shape;
  for (int64_t i = 0; i < gt_shape_count(shape); i++) y[i] = 0;
  for (int64_t m = 0; m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (int64_t t = 0; t < l.total; t++) {
        const double f = value_of(v, &l.a, (uint32_t)t, x[0][m * l.inputs + i]);
        for (int64_t o = 0; f != 0 && o < l.outputs; o++)
          y[first_coefficient(&l, i, t) + o] += f * x[1][m * l.outputs + o];
      }
  return shape;
}

/* absolute: the sums of the absolute products. */
static gt_shape sum_input(const gt_case_view *v, const double *const *x, double *y, bool absolute) {
  const layer l = layer_of(v);
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++) {
      double *to = &y[m * l.inputs + i];
      *to = 0;
      for (int64_t t = 0; t < l.total; t++) {
        const double slope = slope_of(v, &l.a, (uint32_t)t, x[0][m * l.inputs + i]);
        for (int64_t o = 0; o < l.outputs; o++) {
          const double each = slope * x[1][m * l.outputs + o] * x[2][first_coefficient(&l, i, t) + o];
          *to += absolute ? fabs(each) : each;
        }
      }
    }
  return v->shape[0];
}
static gt_shape reference_input(const gt_case_view *v, const double *const *x, double *y) {
  return sum_input(v, x, y, false);
}
static gt_shape magnitude_input(const gt_case_view *v, const double *const *x, double *y) {
  return sum_input(v, x, y, true);
}

static gt_id build_kan(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan(g, x[0], x[1], GT_NONE, &l.a);
}
static gt_id build_coefficients(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan_coefficients(g, x[0], x[1], &l.a);
}
static gt_id build_input(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  layer l = layer_of(v);
  l.a.order = 1;
  return gt_kan_input(g, x[0], x[1], x[2], GT_NONE, &l.a);
}

/* Values of g from MAX_FINITE on become infinite. */
enum { MAX_G = 4096 };
static const double MAX_FINITE = 1.2;
static gt_id build_infinite_input(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id infinite_g = gt_div(g, x[1], gt_less(g, x[1], gt_constant(g, MAX_FINITE)));
  return build_input(g, v, (const gt_id[]){x[0], infinite_g, x[2]});
}
static gt_shape reference_infinite_input(const gt_case_view *v, const double *const *x, double *y) {
  double infinite_g[MAX_G];
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[1]); i++)
    infinite_g[i] = x[1][i] < MAX_FINITE ? x[1][i] : INFINITY;
  return reference_input(v, y ? (const double *const[]){x[0], infinite_g, x[2]} : x, y);
}

static gt_kan_attribute derived(const gt_case_view *v) {
  gt_kan_attribute a = attribute_of(v, v->shape[0].dim[1]);
  a.order = (uint32_t)v->c->p[ORDER];
  return a;
}
static gt_shape reference_basis(const gt_case_view *v, const double *const *x, double *y) {
  const gt_kan_attribute a = derived(v);
  const int64_t rows = v->shape[0].dim[0], inputs = v->shape[0].dim[1], total = a.terms + a.base;
  const layer l = {.a = a, .total = total, .outputs = 1};
  for (int64_t m = 0; y && m < rows; m++)
    for (int64_t i = 0; i < inputs; i++)
      for (int64_t t = 0; t < total; t++)
        y[m * inputs * total + first_coefficient(&l, i, t)] =
            derived_of(v, &a, (uint32_t)t, a.order, x[0][m * inputs + i]);
  return gt_shape_2(rows, inputs * total);
}
static gt_id build_basis(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_kan_attribute a = derived(v);
  return gt_kan_basis(g, x[0], &a);
}

/* With the other ops of a layer: an activation before it, which is fused into the gradient of the inputs, and
 * a bias and an activation after it. */
static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_tanh(g, gt_add(g, gt_kan(g, gt_sin(g, x[0]), x[1], GT_NONE, &l.a), x[2]));
}
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  double before[4096];
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) before[i] = sin(x[0][i]);
  const gt_shape shape = reference_kan(v, (const double *const[]){before, x[1]}, y);
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] = tanh(y[i] + x[2][i % v->shape[2].dim[0]]);
  return shape;
}

/* The coefficients x[at], in the shape of `coefficients`, times the scales x[at + 1]. An edge has one scale
 * for all functions but the base, or a second one for the base. Owner: the caller (free). */
static double *scaled(const layer *l, const double *const *x, int at, gt_shape coefficients,
                      gt_shape scales) {
  double *value = malloc((size_t)gt_shape_count(coefficients) * sizeof *value);
  const int64_t edge_scales = gt_shape_count(scales) / l->inputs / l->outputs, block = l->a.block;
  for (int64_t i = 0; i < l->inputs; i++)
    for (int64_t t = 0; t < l->total; t++) {
      const bool base = t == l->a.terms;
      const int64_t from =
          ((i / block * edge_scales + (base && edge_scales == 2)) * block + i % block) * l->outputs;
      for (int64_t o = 0; o < l->outputs; o++)
        value[first_coefficient(l, i, t) + o] =
            x[at][first_coefficient(l, i, t) + o] * (base && edge_scales == 1 ? 1 : x[at + 1][from + o]);
    }
  return value;
}
static gt_shape reference_scaled(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  double *coefficients = y ? scaled(&l, x, 1, v->shape[1], v->shape[2]) : NULL;
  const gt_shape shape = reference_kan(v, y ? (const double *const[]){x[0], coefficients} : x, y);
  free(coefficients);
  return shape;
}
static gt_shape magnitude_scaled(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  double *coefficients = y ? scaled(&l, x, 1, v->shape[1], v->shape[2]) : NULL;
  const gt_shape shape = magnitude_kan(v, y ? (const double *const[]){x[0], coefficients} : x, y);
  free(coefficients);
  return shape;
}
static gt_shape reference_scaled_input(const gt_case_view *v, const double *const *x, double *y) {
  const layer l = layer_of(v);
  double *coefficients = y ? scaled(&l, x, 2, v->shape[2], v->shape[3]) : NULL;
  const gt_shape shape = reference_input(v, y ? (const double *const[]){x[0], x[1], coefficients} : x, y);
  free(coefficients);
  return shape;
}
static gt_id build_scaled(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan(g, x[0], x[1], x[2], &l.a);
}
static gt_id build_scaled_input(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  layer l = layer_of(v);
  l.a.order = 1;
  return gt_kan_input(g, x[0], x[1], x[2], x[3], &l.a);
}

#define RULE(title, what, gradients)                                                                    \
  {                                                                                                     \
    .name = title, .build = build_##what, .reference = reference_##what, .wrt = gradients, .low = -1.2, \
    .high = 1.3, .tolerance = 2e-5, .gradient_tolerance = 4e-5,                                         \
    .reason = "rounding of the sums, as in matmul, and of the place in a cell"                          \
  }
/* Rules differ in the inputs whose gradient is checked. At some points a function is not differentiable, or
 * a gradient is only a small difference of large numbers: at knots, at the ends of splines of a high degree,
 * where a sinc is 0. dgrad: the gradient of the layer's inputs. */
static const gt_case_rule kan = RULE("kan", kan, 3), at_knots = RULE("kan_knots", kan, 2),
                          high_degree = RULE("kan_smooth", kan, 1), value_only = RULE("kan_exact", kan, 0),
                          coefficients = RULE("kan_coefficients", coefficients, 3),
                          dgrad = RULE("kan_input", input, 7), dgrad_value = RULE("kan_input_only", input, 0),
                          infinite = RULE("kan_input_infinite", infinite_input, 0),
                          with_scales = RULE("kan_scales", scaled, 7),
                          dgrad_scaled = RULE("kan_input_scales", scaled_input, 15),
                          dgrad_prescaled = RULE("kan_input_many_scales", scaled_input, 0),
                          with_activations = RULE("kan_layer", layer, 7),
                          basis = RULE("kan_basis_curve", basis, 1),
                          basis_value = RULE("kan_basis_twist", basis, 0);
static const gt_case_rule on_units = {.name = "kan_on_units",
                                      .build = build_kan,
                                      .reference = reference_kan,
                                      .magnitude = magnitude_kan,
                                      .half_gradient = 1,
                                      .wrt = 3,
                                      .low = -1.2,
                                      .high = 1.3,
                                      .tolerance = 2e-5,
                                      .gradient_tolerance = 4e-5,
                                      .reason =
                                          "rounding of the sums, as in matmul, and of the place in a cell"};
static const gt_case_rule scaled_on_units = {.name = "kan_scales_on_units",
                                             .build = build_scaled,
                                             .reference = reference_scaled,
                                             .magnitude = magnitude_scaled,
                                             .half_gradient = 1,
                                             .wrt = 7,
                                             .low = -1.2,
                                             .high = 1.3,
                                             .tolerance = 2e-5,
                                             .gradient_tolerance = 4e-5,
                                             .reason = "as without scales"};
static const gt_case_rule dgrad_on_units = {.name = "kan_input_on_units",
                                            .build = build_input,
                                            .reference = reference_input,
                                            .magnitude = magnitude_input,
                                            .low = -1.2,
                                            .high = 1.3,
                                            .tolerance = 2e-5,
                                            .reason = "as in kan"};

static const gt_case cases[] = {
    /* B-splines: degrees, grids, shapes */
    {&kan, "5,3 15,2", {GT_BASIS_BSPLINE, 5, 0, 0, 0, -8, 8}},
    {&at_knots, "g7,8 32,5", {GT_BASIS_BSPLINE, 4, 0, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "5,3 18,2", {GT_BASIS_BSPLINE, 5, 1, 0, 0, -8, 8}},
    {&at_knots, "g7,8 40,5", {GT_BASIS_BSPLINE, 4, 1, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "5,3 21,2", {GT_BASIS_BSPLINE, 5, 2, 0, 0, -8, 8}},
    {&at_knots, "g7,8 48,5", {GT_BASIS_BSPLINE, 4, 2, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "5,3 24,2", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&at_knots, "g7,8 56,5", {GT_BASIS_BSPLINE, 4, 3, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "5,3 27,2", {GT_BASIS_BSPLINE, 5, 4, 0, 0, -8, 8}},
    {&at_knots, "g7,8 64,5", {GT_BASIS_BSPLINE, 4, 4, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "5,3 30,2", {GT_BASIS_BSPLINE, 5, 5, 0, 0, -8, 8}},
    {&at_knots, "g7,8 72,5", {GT_BASIS_BSPLINE, 4, 5, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&high_degree, "7,3 30,4", {GT_BASIS_BSPLINE, 3, 7, 0, 0, -8, 8}},
    {&high_degree, "3,5 55,2", {GT_BASIS_BSPLINE, 2, 9, 0, 0, -8, 8}},
    {&kan, "1,1 1,1", {GT_BASIS_BSPLINE, 1, 0, 0, 0, -8, 8}},
    {&kan, "1,1 4,1", {GT_BASIS_BSPLINE, 1, 3, 0, 0, -8, 8}},
    {&kan, "13,1 8,1", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&kan, "1,37 296,11", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&kan, "64,37 333,11", {GT_BASIS_BSPLINE, 5, 3, 0, 1, -8, 8}, .more = true},
    {&kan, "67,64 576,33", {GT_BASIS_BSPLINE, 5, 3, 32, 1, -8, 8}},
    {&kan, "31,48 432,64", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}, .low = -4, .high = 4, .more = true},
    {&kan, "130,16 176,70", {GT_BASIS_BSPLINE, 8, 3, 4, 0, -8, 8}, .more = true},
    {&at_knots, "5,6 618,3", {GT_BASIS_BSPLINE, 100, 3, 2, 0, -8, 8}},
    {&kan, "300,12 156,7", {GT_BASIS_BSPLINE, 10, 2, 6, 1, 0, 12}, .more = true},
    {&kan, "520,8 56,20", {GT_BASIS_BSPLINE, 3, 3, 8, 1, -8, 8}},
    {&kan, "2,3,5 40,4", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&kan, "7,9 99,3", {GT_BASIS_BSPLINE, 7, 3, 3, 1, -9, 5}, .more = true},
    {&kan, "9,300 1500,5", {GT_BASIS_BSPLINE, 2, 3, 0, 0, -8, 8}},
    /* other bases */
    {&kan, "5,7 7,3", {GT_BASIS_CHEBYSHEV, 0, 0, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&kan, "5,7 14,3", {GT_BASIS_CHEBYSHEV, 0, 1, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&kan, "5,7 35,3", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&kan, "5,7 63,3", {GT_BASIS_CHEBYSHEV, 0, 8, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&kan, "33,32 160,12", {GT_BASIS_CHEBYSHEV, 0, 4, 16, 0, -8, 8}},
    {&kan, "4,3 39,2", {GT_BASIS_CHEBYSHEV, 0, 12, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&kan, "5,7 42,3", {GT_BASIS_LEGENDRE, 0, 5, 0, 0, -8, 8}},
    {&kan, "5,8 40,3", {GT_BASIS_HERMITE, 0, 4, 4, 0, -8, 8}},
    {&kan, "5,7 35,3", {GT_BASIS_JACOBI, 0, 4, 0, 0, -8, 8, 0, 8, 8}},
    {&kan, "6,4 28,3", {GT_BASIS_JACOBI, 0, 5, 4, 1, -8, 8, 0, -4, 12}},
    {&kan, "6,5 40,3", {GT_BASIS_RBF, 8, 0, 0, 0, -8, 8}},
    {&kan, "33,16 96,9", {GT_BASIS_RBF, 5, 0, 16, 1, -16, 16, 12}},
    {&kan, "6,5 40,3", {GT_BASIS_RSWAF, 8, 0, 0, 0, -8, 8}},
    {&kan, "33,16 96,9", {GT_BASIS_RSWAF, 5, 0, 16, 1, -16, 16, 12}},
    {&kan, "6,5 40,3", {GT_BASIS_WAVELET, 8, 0, 0, 0, -8, 8}},
    {&kan, "33,16 96,9", {GT_BASIS_WAVELET, 5, 0, 16, 1, -16, 16, 12}},
    {&kan, "3,2 2,2", {GT_BASIS_RBF, 1, 0, 0, 0, -8, 8}},
    {&kan, "6,5 30,3", {GT_BASIS_FOURIER, 3, 0, 0, 0, -8, 8}},
    {&kan, "34,16 176,9", {GT_BASIS_FOURIER, 5, 0, 8, 1, -8, 8}},
    {&kan, "5,4 32,3", {GT_BASIS_FOURIER, 4, 0, 0, 0, -8, 8}, .low = -30, .high = 30, .more = true},
    {&kan, "6,5 40,3", {GT_BASIS_SINC, 8, 0, 0, 0, -8, 8}},
    {&kan, "33,16 96,9", {GT_BASIS_SINC, 5, 0, 16, 1, -16, 16}},
    {&value_only, "g7,8 40,3", {GT_BASIS_SINC, 5, 0, 0, 0, -8, 8}, .low = -3, .high = 3},
    {&kan, "6,5 30,3", {GT_BASIS_PIECEWISE_LINEAR, 5, 0, 0, 0, -8, 8}},
    {&kan, "33,16 96,9", {GT_BASIS_PIECEWISE_LINEAR, 4, 0, 4, 1, -8, 8}, .low = -3, .high = 3},
    {&kan, "3,2 4,2", {GT_BASIS_PIECEWISE_LINEAR, 1, 0, 0, 0, -8, 8}},
    {&at_knots, "g7,8 40,5", {GT_BASIS_PIECEWISE_LINEAR, 4, 0, 0, 0, -8, 8}, .low = -3, .high = 3},
    /* gradients, and the gradients of these */
    {&coefficients, "7,5 7,3", {GT_BASIS_BSPLINE, 5, 1, 0, 0, -8, 8}},
    {&coefficients, "7,5 7,3", {GT_BASIS_BSPLINE, 5, 2, 0, 0, -8, 8}},
    {&coefficients, "7,5 7,3", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&coefficients, "7,5 7,3", {GT_BASIS_BSPLINE, 5, 4, 0, 0, -8, 8}},
    {&coefficients, "130,32 130,17", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}},
    {&coefficients, "9,4 9,3", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}, .low = -1, .high = 1},
    {&coefficients, "8,9 8,20", {GT_BASIS_RBF, 4, 0, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 32,3", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 36,3", {GT_BASIS_BSPLINE, 4, 4, 0, 1, -8, 8}},
    {&dgrad, "6,4 6,3 36,3", {GT_BASIS_BSPLINE, 4, 5, 0, 0, -8, 8}, .more = true},
    {&dgrad, "6,4 6,3 24,3", {GT_BASIS_CHEBYSHEV, 0, 5, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 20,3", {GT_BASIS_RBF, 5, 0, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 24,3", {GT_BASIS_FOURIER, 3, 0, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 24,3", {GT_BASIS_SINC, 5, 0, 0, 1, -8, 8}},
    {&dgrad, "6,4 6,3 20,3", {GT_BASIS_LEGENDRE, 0, 4, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 16,3", {GT_BASIS_HERMITE, 0, 3, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 20,3", {GT_BASIS_JACOBI, 0, 4, 0, 0, -8, 8, 0, 8, 4}},
    {&dgrad, "6,4 6,3 20,3", {GT_BASIS_RSWAF, 5, 0, 0, 0, -8, 8}},
    {&dgrad, "6,4 6,3 20,3", {GT_BASIS_WAVELET, 5, 0, 0, 0, -8, 8}},
    {&dgrad_value, "6,4 6,3 28,3", {GT_BASIS_BSPLINE, 5, 2, 0, 0, -8, 8}},
    {&dgrad_value, "6,4 6,3 24,3", {GT_BASIS_PIECEWISE_LINEAR, 5, 0, 0, 0, -8, 8}},
    {&dgrad, "67,64 67,33 576,33", {GT_BASIS_BSPLINE, 5, 3, 32, 1, -8, 8}},
    {&dgrad, "5,40 5,16 480,16", {GT_BASIS_BSPLINE, 8, 3, 20, 1, -8, 8}, .more = true},
    {&dgrad, "600,12 600,10 108,10", {GT_BASIS_BSPLINE, 5, 3, 4, 1, -8, 8}},
    {&with_activations, "5,6 48,4 4", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&with_activations, "70,16 144,24 24", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}, .more = true},
    {&with_activations, "9,7 28,5 5", {GT_BASIS_RBF, 4, 0, 0, 0, -8, 8}},
    {&with_activations, "9,7 28,5 5", {GT_BASIS_CHEBYSHEV, 0, 3, 0, 0, -8, 8}},
    {&with_activations, "70,16 96,24 24", {GT_BASIS_LEGENDRE, 0, 4, 16, 1, -8, 8}},
    /* the basis itself, its higher derivatives and the gradient of these */
    {&basis, "5,3", {GT_BASIS_BSPLINE, 5, 3, 0, 1, -8, 8, [ORDER] = 1}},
    {&basis, "9,8", {GT_BASIS_BSPLINE, 5, 3, 4, 1, -8, 8, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_BSPLINE, 4, 5, 0, 0, -8, 8, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_BSPLINE, 4, 7, 0, 0, -8, 8, [ORDER] = 2}, .more = true},
    {&basis, "5,3", {GT_BASIS_CHEBYSHEV, 0, 5, 0, 0, -8, 8, [ORDER] = 2}},
    {&basis, "5,4", {GT_BASIS_LEGENDRE, 0, 4, 4, 0, -8, 8, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_HERMITE, 0, 4, 0, 0, -8, 8, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_JACOBI, 0, 4, 0, 0, -8, 8, 0, 8, 4, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_RBF, 5, 0, 0, 1, -8, 8, [ORDER] = 2}},
    {&basis, "5,4", {GT_BASIS_RSWAF, 5, 0, 4, 0, -8, 8, 12, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_WAVELET, 5, 0, 0, 0, -8, 8, 12, [ORDER] = 2}},
    {&basis, "5,3", {GT_BASIS_SINC, 5, 0, 0, 0, -8, 8, [ORDER] = 2}},
    {&basis, "5,4", {GT_BASIS_FOURIER, 3, 0, 4, 0, -8, 8, [ORDER] = 2}},
    {&basis_value, "5,3", {GT_BASIS_BSPLINE, 5, 3, 0, 1, -8, 8, [ORDER] = 3}},
    {&basis_value, "9,8", {GT_BASIS_BSPLINE, 4, 4, 4, 0, -8, 8, [ORDER] = 3}},
    {&basis_value, "5,3", {GT_BASIS_BSPLINE, 5, 2, 0, 0, -8, 8, [ORDER] = 3}},
    {&basis_value, "5,3", {GT_BASIS_CHEBYSHEV, 0, 5, 0, 0, -8, 8, [ORDER] = 3}},
    {&basis_value, "5,4", {GT_BASIS_RBF, 5, 0, 4, 0, -8, 8, 12, [ORDER] = 3}},
    {&basis_value, "5,3", {GT_BASIS_FOURIER, 3, 0, 0, 0, -8, 8, [ORDER] = 3}},
    /* for matrix units, with vectorized and scalar loads of the inputs */
    {&on_units, "40,12 108,33", {GT_BASIS_BSPLINE, 5, 3, 4, 1, -8, 8}},
    {&on_units, "34,7 28,5", {GT_BASIS_CHEBYSHEV, 0, 3, 0, 0, -8, 8}},
    {&on_units, "70,32 288,36", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}, .more = true}, /* many functions */
    {&on_units, "33,64 256,64", {GT_BASIS_RBF, 4, 0, 32, 0, -8, 8}},
    /* functions that grow beyond a range of inputs */
    {&on_units, "140,16 80,33", {GT_BASIS_CHEBYSHEV, 0, 4, 16, 0, -8, 8}, .low = -3, .high = 3},
    {&on_units, "40,40 200,33", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}, .low = -40, .high = 40},
    {&on_units, "40,16 96,33", {GT_BASIS_HERMITE, 0, 4, 8, 1, -8, 8}, .low = -4, .high = 4, .more = true},
    {&on_units, "40,16 80,33", {GT_BASIS_JACOBI, 0, 4, 0, 0, -8, 8, 0, 8, -4}, .low = -3, .high = 3},
    {&on_units,
     "40,16 80,33",
     {GT_BASIS_PIECEWISE_LINEAR, 4, 0, 4, 0, -8, 8},
     .low = -30,
     .high = 30,
     .more = true},
    {&on_units, "40,16 144,33", {GT_BASIS_BSPLINE, 5, 3, 8, 1, -8, 8}, .low = -8, .high = 40},
    /* scales on coefficients, with and without one for the base */
    {&with_scales, "5,3 24,2 3,2", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&with_scales, "1,1 4,1 1,1", {GT_BASIS_BSPLINE, 1, 3, 0, 0, -8, 8}},
    {&with_scales, "64,37 333,11 37,11", {GT_BASIS_BSPLINE, 5, 3, 0, 1, -8, 8}, .more = true},
    {&with_scales, "67,64 576,33 2,1,32,33", {GT_BASIS_BSPLINE, 5, 3, 32, 1, -8, 8}},
    {&with_scales, "31,48 432,64 3,2,16,64", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}, .more = true},
    {&with_scales, "7,9 99,3 3,2,3,3", {GT_BASIS_BSPLINE, 7, 3, 3, 1, -9, 5}},
    /* many rows: the coefficients are scaled in advance */
    {&with_scales, "2053,3 27,5 3,5", {GT_BASIS_BSPLINE, 5, 3, 0, 1, -8, 8}, .more = true},
    {&with_scales, "2049,4 36,8 2,2,2,8", {GT_BASIS_BSPLINE, 5, 3, 2, 1, -8, 8}},
    {&with_scales, "2,3,5 25,4 5,4", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}},
    /* K segments of 64, 32 and 160 outputs; partial tiles of rows and columns */
    {&dgrad_on_units, "70,36 70,64 324,64", {GT_BASIS_BSPLINE, 5, 3, 12, 1, -8, 8}},
    {&dgrad_on_units, "34,33 34,32 165,32", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}},
    {&dgrad_on_units, "40,16 40,160 64,160", {GT_BASIS_RBF, 4, 0, 16, 0, -8, 8}},
    /* whole matrices; at aligned addresses: tests/op_units/kan_input.c */
    {&dgrad_on_units, "64,16 64,32 96,32", {GT_BASIS_RBF, 5, 0, 16, 1, -8, 8}},
    {&dgrad_on_units, "96,48 96,160 240,160", {GT_BASIS_CHEBYSHEV, 0, 4, 0, 0, -8, 8}, .more = true},
    {&dgrad_on_units, "64,80 64,32 560,32", {GT_BASIS_BSPLINE, 4, 3, 0, 0, -8, 8}},
    {&dgrad_on_units, "140,70 140,33 280,33", {GT_BASIS_FOURIER, 2, 0, 0, 0, -8, 8}},
    {&infinite, "70,36 70,32 180,32", {GT_BASIS_RBF, 5, 0, 12, 0, -8, 8}},
    {&infinite, "40,9 40,7 72,7", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&dgrad_scaled, "6,4 6,3 32,3 4,3", {GT_BASIS_BSPLINE, 5, 3, 0, 0, -8, 8}},
    {&dgrad_scaled, "6,4 6,3 36,3 4,3", {GT_BASIS_BSPLINE, 4, 4, 0, 1, -8, 8}},
    {&dgrad_scaled, "6,4 6,3 24,3 2,2,2,3", {GT_BASIS_RBF, 5, 0, 2, 1, -8, 8}},
    {&dgrad_scaled, "67,64 67,33 576,33 2,1,32,33", {GT_BASIS_BSPLINE, 5, 3, 32, 1, -8, 8}},
    {&dgrad_scaled, "5,40 5,16 480,16 2,2,20,16", {GT_BASIS_BSPLINE, 8, 3, 20, 1, -8, 8}, .more = true},
    {&dgrad_prescaled,
     "2080,8 2080,32 24,32 8,32",
     {GT_BASIS_RBF, 3, 0, 0, 0, -8, 8}}, /* scaled in advance */
    {&scaled_on_units, "40,12 108,33 12,33", {GT_BASIS_BSPLINE, 5, 3, 4, 1, -8, 8}},
    {&scaled_on_units, "70,32 288,36 2,2,16,36", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}, .more = true},
    {&scaled_on_units, "70,32 288,40 32,40", {GT_BASIS_BSPLINE, 5, 3, 16, 1, -8, 8}}, /* many outputs */
    {&scaled_on_units, "33,64 320,64 2,2,32,64", {GT_BASIS_RBF, 4, 0, 32, 1, -8, 8}},
    {&scaled_on_units, "33,64 256,64 64,64", {GT_BASIS_RBF, 4, 0, 32, 0, -8, 8}},
};
GT_CASES(kan, cases);

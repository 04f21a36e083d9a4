/* Cases (op/case.h) of KAN layers whose base reads inputs of its own (gt_kan_attribute.apart). */
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/kan.h"
#include <math.h>

GT_REGISTER(opcase, kan_apart)

/* p: basis over [-1, 1], functions of an input, block (0: all inputs). */
enum { BASIS, TERMS, BLOCK };

typedef struct layer {
  gt_kan_attribute a;
  int64_t rows, inputs, outputs;
} layer;

static gt_kan_attribute attribute_of(const gt_case_view *v, int64_t inputs) {
  const uint32_t basis = (uint32_t)v->c->p[BASIS], terms = (uint32_t)v->c->p[TERMS];
  gt_kan_attribute a = GT_BASIS_IS_POLYNOMIAL(basis) ? gt_kan_polynomials(basis, terms - 1, 0, 0)
                                                     : gt_kan_bumps(basis, -1, 1, terms, 0);
  a.block = (uint32_t)(v->c->p[BLOCK] ? v->c->p[BLOCK] : inputs);
  a.base = a.apart = 1;
  return a;
}

/* x: [2, rows…, inputs]: what the functions read, then what the base reads. */
static layer layer_of(const gt_case_view *v) {
  const gt_shape x = v->shape[0], second = v->shape[1];
  layer l = {.inputs = x.dim[x.rank - 1], .outputs = second.dim[second.rank - 1]};
  l.rows = gt_shape_count(x) / l.inputs / 2;
  l.a = attribute_of(v, l.inputs);
  return l;
}

/* In double, by other formulas than those of the kernels. Function number a->terms is the base. */
static double value_of(const gt_kan_attribute *a, uint32_t term, double x) {
  const double spacing = 2.0 / (a->terms > 1 ? a->terms - 1 : 1), z = (x - (term * spacing - 1)) / spacing;
  if (term == a->terms) return x / (1 + exp(-x));
  if (a->basis == GT_BASIS_RBF) return exp(-z * z);
  if (a->basis == GT_BASIS_RSWAF) return 1 / (cosh(z) * cosh(z));
  return fabs(x) <= 1 ? cos(term * acos(x)) : (x < 0 && term % 2 ? -1 : 1) * cosh(term * acosh(fabs(x)));
}

/* The row of coefficients of one function of an input. Those of the base come last. */
static int64_t coefficient_row(const layer *l, int64_t input, uint32_t term) {
  const int64_t block = l->a.block, terms = l->a.terms;
  return term == terms ? l->inputs * terms + input : (input / block * terms + term) * block + input % block;
}

/* The value of function `term` of an input in a row. */
static double function_at(const layer *l, const double *x, int64_t row, int64_t input, uint32_t term) {
  const int64_t first_row = term == l->a.terms ? l->rows : 0;
  return value_of(&l->a, term, x[(first_row + row) * l->inputs + input]);
}

/* absolute: the sums of the absolute products. */
static gt_shape sum_kan(const gt_case_view *v, const double *const *x, double *y, bool absolute) {
  const layer l = layer_of(v);
  gt_shape shape = gt_shape_without_first(v->shape[0]);
  shape.dim[shape.rank - 1] = l.outputs;
  for (int64_t i = 0; y && i < l.rows * l.outputs; i++) y[i] = 0;
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (uint32_t t = 0; t <= l.a.terms; t++)
        for (int64_t o = 0; o < l.outputs; o++) {
          const double each =
              function_at(&l, x[0], m, i, t) * x[1][coefficient_row(&l, i, t) * l.outputs + o];
          y[m * l.outputs + o] += absolute ? fabs(each) : each;
        }
  return shape;
}
static gt_shape reference_kan(const gt_case_view *v, const double *const *x, double *y) {
  return sum_kan(v, x, y, false);
}
static gt_shape magnitude_kan(const gt_case_view *v, const double *const *x, double *y) {
  return sum_kan(v, x, y, true);
}

static gt_shape sum_coefficients(const gt_case_view *v, const double *const *x, double *y, bool absolute) {
  const layer l = layer_of(v);
  const gt_shape shape = gt_shape_2(l.inputs * (l.a.terms + 1), l.outputs);
  for (int64_t i = 0; y && i < gt_shape_count(shape); i++) y[i] = 0;
  for (int64_t m = 0; y && m < l.rows; m++)
    for (int64_t i = 0; i < l.inputs; i++)
      for (uint32_t t = 0; t <= l.a.terms; t++)
        for (int64_t o = 0; o < l.outputs; o++) {
          const double each = function_at(&l, x[0], m, i, t) * x[1][m * l.outputs + o];
          y[coefficient_row(&l, i, t) * l.outputs + o] += absolute ? fabs(each) : each;
        }
  return shape;
}
static gt_shape reference_coefficients(const gt_case_view *v, const double *const *x, double *y) {
  return sum_coefficients(v, x, y, false);
}
static gt_shape magnitude_coefficients(const gt_case_view *v, const double *const *x, double *y) {
  return sum_coefficients(v, x, y, true);
}

static gt_id build_kan(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan(g, x[0], x[1], GT_NONE, &l.a);
}
static gt_id build_coefficients(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const layer l = layer_of(v);
  return gt_kan_coefficients(g, x[0], x[1], &l.a);
}

/* As in a layer: x[0] [lines, inputs] and its sine, which stands for a normalization, are packed into one
 * tensor, and so are the coefficients and the weights of the base; a bias and an activation after it. */
static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_shape in = v->shape[0], weight = v->shape[2];
  const gt_kan_attribute a = attribute_of(v, in.dim[1]);
  const gt_id inputs[2] = {gt_sin(g, x[0]), x[0]}, weights[2] = {x[1], x[2]};
  const gt_id packed =
      gt_reshape(g, gt_pack(g, inputs, 2), (gt_shape){.rank = 3, .dim = {2, in.dim[0], in.dim[1]}});
  const gt_id y =
      gt_kan(g, packed, gt_reshape(g, gt_pack(g, weights, 2), gt_shape_2(-1, weight.dim[1])), GT_NONE, &a);
  return gt_tanh(g, gt_add(g, y, x[3]));
}
static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape in = v->shape[0], weight = v->shape[2];
  const layer l = {.a = attribute_of(v, in.dim[1]), .inputs = in.dim[1], .outputs = weight.dim[1]};
  for (int64_t m = 0; y && m < in.dim[0]; m++)
    for (int64_t o = 0; o < l.outputs; o++) {
      double sum = x[3][o];
      for (int64_t i = 0; i < l.inputs; i++) {
        const double raw = x[0][m * l.inputs + i];
        sum += value_of(&l.a, l.a.terms, raw) * x[2][i * l.outputs + o];
        for (uint32_t t = 0; t < l.a.terms; t++)
          sum += value_of(&l.a, t, sin(raw)) * x[1][coefficient_row(&l, i, t) * l.outputs + o];
      }
      y[m * l.outputs + o] = tanh(sum);
    }
  return gt_shape_2(in.dim[0], l.outputs);
}

#define RULE(title, what, gradients, ...)                                                               \
  {                                                                                                     \
    .name = title, .build = build_##what, .reference = reference_##what, .wrt = gradients, .low = -1.2, \
    .high = 1.3, .tolerance = 2e-5, .gradient_tolerance = 4e-5, .reason = "as in kan", __VA_ARGS__      \
  }
static const gt_case_rule kan = RULE("kan_apart", kan, 3, .magnitude = magnitude_kan, .half_gradient = 1),
                          coefficients = RULE("kan_apart_coefficients", coefficients, 3,
                                              .magnitude = magnitude_coefficients, .half_gradient = 1),
                          layered = RULE("kan_apart_layer", layer, 15, .times = 1);

static const gt_case cases[] = {
    {&kan, "2,1,1 2,1", {GT_BASIS_RBF, 1}},
    {&kan, "2,5,3 27,2", {GT_BASIS_RBF, 8}},
    {&kan, "2,67,64 576,33", {GT_BASIS_RBF, 8, 32}},
    {&kan, "2,2,3,5 25,4", {GT_BASIS_RSWAF, 4}},
    {&kan, "2,130,32 192,70", {GT_BASIS_CHEBYSHEV, 5, 16}, .more = true},
    {&kan, "2,65,48 336,64", {GT_BASIS_RBF, 6, 16}, .low = -40, .high = 40},
    {&kan, "2,2053,2 6,3", {GT_BASIS_RBF, 2}}, /* many rows */
    {&coefficients, "2,7,5 7,3", {GT_BASIS_RBF, 8}},
    {&coefficients, "2,270,64 270,33", {GT_BASIS_RBF, 8, 32}},
    {&coefficients, "2,140,32 140,64", {GT_BASIS_CHEBYSHEV, 5, 16}, .more = true},
    {&layered, "33,16 80,9 16,9 9", {GT_BASIS_RSWAF, 5, 4}},
};

GT_CASES(kan_apart, cases);

/* Cases (op/case.h) of means and variances of columns. */
#include "op/moments.h"
#include "base/memory.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "op/core.h"
#include "op/matmul/matmul.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, moments)

/* p[0]: 1: the variance, 2: 1 / sqrt(variance + 0.01), otherwise the mean; p[1]: each entry of the batch is
 * weighted by input 1, and if p[2] is not 0, only entries with a weight above p[2] tenths count. p[3] is
 * added to x, to move it away from 0. */
static double weight_of(const gt_case_view *v, const double *w, int64_t entry) {
  if (!v->c->p[1]) return 1;
  return v->c->p[2] ? (double)(w[entry] > (double)v->c->p[2] / 10) : w[entry];
}

static gt_id build_moments_of(gt_graph *g, const gt_case_view *v, gt_id x, gt_id weight) {
  if (!v->c->p[1]) weight = GT_NONE;
  if (v->c->p[2]) weight = gt_less(g, gt_constant(g, (double)v->c->p[2] / 10), weight);
  return gt_result(g, gt_column_moments(g, x, weight, 0.01), (int)v->c->p[0]);
}

/* The moments of x [rows, columns], where `each` rows are one entry of the batch. */
static void moments_of(const gt_case_view *v, const double *x, const double *w, int64_t rows, int64_t columns,
                       int64_t each, double *y) {
  for (int64_t j = 0; j < columns; j++) {
    double count = 0, sum = 0, squares = 0;
    for (int64_t i = 0; i < rows; i++) {
      const double weight = weight_of(v, w, i / each);
      count += weight;
      sum += weight == 0 ? 0 : weight * x[i * columns + j];
    }
    const double mean = count > 0 ? sum / count : 0;
    for (int64_t i = 0; i < rows; i++) {
      const double weight = weight_of(v, w, i / each), difference = x[i * columns + j] - mean;
      squares += weight == 0 ? 0 : weight * difference * difference;
    }
    const double variance = count > 0 ? squares / count : 0;
    y[j] = v->c->p[0] == 0 ? mean : v->c->p[0] == 1 ? variance : 1 / sqrt(variance + 0.01);
  }
}

static gt_id build_moments(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id shifted = v->c->p[3] ? gt_add(g, x[0], gt_constant(g, (double)v->c->p[3])) : x[0];
  return build_moments_of(g, v, shifted, v->inputs > 1 ? x[1] : GT_NONE);
}

static gt_shape reference_moments(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = v->shape[0];
  const int64_t all = gt_shape_count(shape), columns = shape.dim[shape.rank - 1];
  double *shifted = y ? gt_alloc(sizeof *shifted * (size_t)all) : NULL;
  /* x + p[3] is rounded to float, as in the graph. */
  for (int64_t i = 0; y && i < all; i++)
    shifted[i] = v->c->p[3] ? (float)(x[0][i] + (double)v->c->p[3]) : x[0][i];
  if (y) moments_of(v, shifted, x[1], all / columns, columns, all / columns / shape.dim[0], y);
  free(shifted);
  return gt_shape_1(columns);
}

/* The moments of a product, whose kernel may also reduce its columns. p[4]: rows per entry of the batch; 0
 * stands for 1. */
static gt_id build_product(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id product = gt_matmul(g, x[0], x[1], false, false), weight = v->inputs > 2 ? x[2] : GT_NONE;
  const int64_t each = v->c->p[4] ? v->c->p[4] : 1, rows = v->shape[0].dim[0];
  const gt_shape batch = {.rank = 3, .dim = {rows / each, each, v->shape[1].dim[1]}};
  return build_moments_of(g, v, gt_reshape(g, product, batch), weight);
}

static gt_shape reference_product(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t m = v->shape[0].dim[0], k = v->shape[0].dim[1], n = v->shape[1].dim[1];
  double *product = y ? gt_alloc(sizeof *product * (size_t)(m * n)) : NULL;
  for (int64_t i = 0; y && i < m; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t q = 0; q < k; q++) product[i * n + j] += x[0][i * k + q] * x[1][q * n + j];
  if (y) moments_of(v, product, x[2], m, n, v->c->p[4] ? v->c->p[4] : 1, y);
  free(product);
  return gt_shape_1(n);
}

static const gt_case_rule moments = {.name = "moments",
                                     .build = build_moments,
                                     .reference = reference_moments,
                                     .wrt = 1,
                                     .low = -1,
                                     .high = 2,
                                     .tolerance = 4e-6,
                                     .gradient_tolerance = 1e-3,
                                     .reason = "rounding of the partial sums; differences from the mean"};
static const gt_case_rule shifted_moments = {.name = "moments",
                                             .build = build_moments,
                                             .reference = reference_moments,
                                             .low = -1,
                                             .high = 2,
                                             .tolerance = 4e-5,
                                             .reason = "the mean is far from 0: its rounding counts"};
static const gt_case_rule of_product = {.name = "moments_of_product",
                                        .build = build_product,
                                        .reference = reference_product,
                                        .low = -0.5,
                                        .high = 1,
                                        .tolerance = 2e-5,
                                        .reason = "the product's rounding"};

#define BOTH(rule, inputs, ...)        \
  {&rule, inputs, {0, __VA_ARGS__}}, { \
    &rule, inputs, { 1, __VA_ARGS__ }  \
  }

static const gt_case cases[] = {
    BOTH(moments, "1,1", 0),
    BOTH(moments, "1,5", 0),
    BOTH(moments, "7,3", 0),
    BOTH(moments, "64,8", 0),
    BOTH(moments, "67,129", 0),
    BOTH(moments, "129,67", 0),
    BOTH(moments, "5,3,7,4", 0),
    BOTH(moments, "20011,3", 0),
    BOTH(moments, "3001,260", 0),
    BOTH(moments, "13,5 13", 1),
    BOTH(moments, "13,5,6,8 13", 1),
    BOTH(moments, "13,5,6,8 13", 1, 5),
    BOTH(moments, "31,40,6 31", 1, 15),
    BOTH(moments, "31,40,6 31", 1, 30), /* nothing counts */
    {&moments, "5,7", {2}},
    {&moments, "130,5,6,8", {2}},
    {&moments, "13,5,6,8 13", {2, 1, 5}},
    {&moments, "31,40,6 31", {2, 1, 30}},
    {&of_product, "257,70 70,131", {2}},
    BOTH(shifted_moments, "2003,12", 0, 0, 1000),
    BOTH(shifted_moments, "40,50,5 40", 1, 5, 1000),
    BOTH(shifted_moments, "200003,2", 0, 0, 100),
    BOTH(of_product, "65,3 3,1", 0),
    BOTH(of_product, "67,31 31,37", 0),
    BOTH(of_product, "128,64 64,64", 0),
    BOTH(of_product, "257,70 70,131", 0),
    BOTH(of_product, "1009,16 16,8", 0),
    BOTH(of_product, "70,2050 2050,33", 0),
    BOTH(of_product, "66,4099 4099,68", 0),
    BOTH(of_product, "70,4099 4099,32", 0),
    BOTH(of_product, "67,31 31,37 67", 1),
    BOTH(of_product, "257,70 70,131 257", 1, 5),
    BOTH(of_product, "300,40 40,64 300", 1, 5),
    BOTH(of_product, "300,40 40,64 300", 1, 15), /* nothing counts */
    BOTH(of_product, "300,40 40,64 60", 1, 5, 0, 5),
    BOTH(of_product, "300,40 40,64 3", 1, 5, 0, 100),
    BOTH(of_product, "1001,12 12,36 7", 1, 0, 0, 143),
    {&of_product, "64,20 20,12", {1}}, /* too few rows */
};
GT_CASES(moments, cases);

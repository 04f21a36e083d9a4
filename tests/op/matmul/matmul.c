/* Cases (op/case.h) of matrix products, with epilogues and with column sums of the result. */
#include "op/matmul/matmul.h"
#include "base/memory.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "selftest/reference.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, matmul)

/* p[0], p[1]: a, b transposed. */
static gt_shape product_shape(const gt_case_view *v) {
  gt_shape a = v->shape[0], b = v->shape[1];
  const int64_t m = a.dim[a.rank - (v->c->p[0] ? 1 : 2)], n = b.dim[b.rank - (v->c->p[1] ? 2 : 1)];
  a.rank -= 2, b.rank -= 2;
  gt_shape out = gt_reference_broadcast_shape(a, b);
  out.dim[out.rank++] = m;
  out.dim[out.rank++] = n;
  return out;
}

static gt_shape reference_product(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape a = v->shape[0], b = v->shape[1], out = product_shape(v);
  gt_shape batch = out, a_batch = a, b_batch = b;
  batch.rank -= 2, a_batch.rank -= 2, b_batch.rank -= 2;
  const bool ta = v->c->p[0], tb = v->c->p[1];
  const int64_t m = out.dim[out.rank - 2], n = out.dim[out.rank - 1], k = a.dim[a.rank - (ta ? 2 : 1)];
  for (int64_t entry = 0; y && entry < gt_shape_count(batch); entry++) {
    const double *left = x[0] + gt_reference_broadcast(batch, a_batch, entry) * m * k;
    const double *right = x[1] + gt_reference_broadcast(batch, b_batch, entry) * k * n;
    for (int64_t i = 0; i < m; i++) {
      double *row = y + (entry * m + i) * n;
      for (int64_t j = 0; j < n; j++) row[j] = 0;
      for (int64_t q = 0; q < k; q++) {
        const double factor = left[ta ? q * m + i : i * k + q];
        for (int64_t j = 0; j < n; j++) row[j] += factor * right[tb ? j * k + q : q * n + j];
      }
    }
  }
  return out;
}

/* The sum of the absolute products of each value. */
static gt_shape product_magnitude(const gt_case_view *v, const double *const *x, double *y) {
  double *absolute[2] = {NULL, NULL};
  for (int i = 0; y && i < 2; i++) {
    const int64_t count = gt_shape_count(v->shape[i]);
    absolute[i] = gt_alloc(sizeof **absolute * (size_t)count);
    for (int64_t j = 0; j < count; j++) absolute[i][j] = fabs(x[i][j]);
  }
  const gt_shape out = reference_product(v, (const double *const *)absolute, y);
  free(absolute[0]);
  free(absolute[1]);
  return out;
}

static gt_id build_product(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_matmul(g, x[0], x[1], v->c->p[0], v->c->p[1]);
}

/* With the ops of a layer after it: bias, activation, a residual, a factor for each row. */
static gt_id build_layer(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_id y = gt_tanh(g, gt_add(g, build_product(g, v, x), x[2]));
  if (v->inputs > 3) y = gt_add(g, y, x[3]);
  if (v->inputs > 4) y = gt_mul(g, y, x[4]);
  return y;
}

static gt_shape reference_layer(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = reference_product(v, x, y);
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    y[i] = tanh(y[i] + x[2][gt_reference_broadcast(out, v->shape[2], i)]);
    if (v->inputs > 3) y[i] += x[3][gt_reference_broadcast(out, v->shape[3], i)];
    if (v->inputs > 4) y[i] *= x[4][gt_reference_broadcast(out, v->shape[4], i)];
  }
  return out;
}

/* tanh has a slope of at most 1, and a residual adds no error. */
static gt_shape layer_magnitude(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = product_magnitude(v, x, y);
  for (int64_t i = 0; y && v->inputs > 4 && i < gt_shape_count(out); i++)
    y[i] *= fabs(x[4][gt_reference_broadcast(out, v->shape[4], i)]);
  return out;
}

/* The column sums of a layer's output, a by-product of the GEMM. p[2]: the output itself is also used, plus
 * the sums in each of its rows. */
static gt_id build_columns(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_id y = build_product(g, v, x);
  if (v->inputs > 2) y = gt_relu(g, gt_add(g, y, x[2]));
  const gt_id sum = gt_sum(g, y, 1, false);
  return v->c->p[2] ? gt_add(g, y, sum) : sum;
}

/* Writes the result of build_columns for a layer's output of this shape to y, and frees `output`. */
static gt_shape sum_columns(const gt_case_view *v, gt_shape shape, double *output, double *y) {
  const int64_t m = shape.dim[0], n = shape.dim[1];
  for (int64_t j = 0; y && j < n; j++) {
    double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += output[i * n + j];
    for (int64_t i = 0; v->c->p[2] && i < m; i++) y[i * n + j] = output[i * n + j] + sum;
    if (!v->c->p[2]) y[j] = sum;
  }
  free(output);
  return v->c->p[2] ? shape : gt_shape_1(n);
}

/* Memory for a product; NULL if y is NULL. */
static double *alloc_product(gt_shape shape, const double *y) {
  return y ? gt_alloc(sizeof(double) * (size_t)gt_shape_count(shape)) : NULL;
}

static gt_shape reference_columns(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = product_shape(v);
  double *output = alloc_product(out, y);
  reference_product(v, x, output);
  for (int64_t i = 0; y && v->inputs > 2 && i < gt_shape_count(out); i++)
    output[i] = fmax(output[i] + x[2][i % out.dim[1]], 0);
  return sum_columns(v, out, output, y);
}

/* relu has a slope of at most 1. */
static gt_shape columns_magnitude(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = product_shape(v);
  double *output = alloc_product(out, y);
  product_magnitude(v, x, output);
  return sum_columns(v, out, output, y);
}

#define PRODUCT(label, called)                                       \
  static const gt_case_rule label = {.name = called,                 \
                                     .build = build_product,         \
                                     .reference = reference_product, \
                                     .magnitude = product_magnitude, \
                                     .half_gradient = 1,             \
                                     .wrt = 3,                       \
                                     .low = -1,                      \
                                     .high = 1.5,                    \
                                     .tolerance = 1e-5,              \
                                     .gradient_tolerance = 1e-5,     \
                                     .reason = "rounding of k sums, grows as their root"}

PRODUCT(product, "matmul");
/* Few rows or columns or a small K; its name lets tests/selftest/vulkan_units.sh skip it. */
PRODUCT(small, "small_matmul");

/* The gradients of a layer are a chain of two products; the second has tanh' of the first as a factor: the
 * error is at most 2 |tanh| times that of the first, whose absolute products sum up to 3.4 here. */
static const gt_case_rule layer = {.name = "matmul_layer",
                                   .build = build_layer,
                                   .reference = reference_layer,
                                   .magnitude = layer_magnitude,
                                   .half_gradient = 8,
                                   .wrt = 7,
                                   .low = -0.4,
                                   .high = 0.5,
                                   .tolerance = 1e-5,
                                   .gradient_tolerance = 4e-5,
                                   .reason = "as the product, through a slope of at most one"};
static const gt_case_rule residual = {.name = "matmul_layer",
                                      .build = build_layer,
                                      .reference = reference_layer,
                                      .magnitude = layer_magnitude,
                                      .half_gradient = 8,
                                      .wrt = 31,
                                      .low = -0.4,
                                      .high = 0.5,
                                      .tolerance = 1e-5,
                                      .gradient_tolerance = 4e-5,
                                      .reason = "as the product"};

#define COLUMNS(label, with)                                         \
  static const gt_case_rule label = {.name = "matmul_columns",       \
                                     .build = build_columns,         \
                                     .reference = reference_columns, \
                                     .magnitude = columns_magnitude, \
                                     .half_gradient = 1,             \
                                     .wrt = with,                    \
                                     .low = -0.5,                    \
                                     .high = 1,                      \
                                     .tolerance = 1e-5,              \
                                     .reason = "as the product; of values that are mostly positive"}

COLUMNS(columns, 3);
COLUMNS(written, 0); /* with a gradient the product would write two values, and then has no by-product */

/* All four transpositions of one shape, given as [m, k] and [k, n]. */
#define FORM(rule, shapes, a, b, is_more) \
  { &rule, shapes, {a, b}, .more = is_more }
#define FORMS_OF(rule, m, n, k, is_more)                                                                  \
  FORM(rule, #m "," #k " " #k "," #n, 0, 0, is_more), FORM(rule, #m "," #k " " #n "," #k, 0, 1, is_more), \
      FORM(rule, #k "," #m " " #k "," #n, 1, 0, is_more), FORM(rule, #k "," #m " " #n "," #k, 1, 1, is_more)
#define FORMS(rule, m, n, k)      FORMS_OF(rule, m, n, k, false)
#define MORE_FORMS(rule, m, n, k) FORMS_OF(rule, m, n, k, true)

static const gt_case cases[] = {
    FORMS(small, 1, 1, 1),
    FORMS(small, 2, 3, 4),
    FORMS(small, 1, 17, 5),
    FORMS(small, 13, 1, 7),
    FORMS(product, 31, 37, 29),
    FORMS(product, 64, 64, 64),
    FORMS(product, 65, 63, 67),
    MORE_FORMS(product, 130, 129, 33),
    FORMS(product, 257, 70, 131),
    FORMS(small, 3, 5, 1031),
    FORMS(small, 300, 10, 40),
    MORE_FORMS(small, 8, 16, 256),
    FORMS(small, 9, 17, 257),
    FORMS(small, 13, 33, 15),
    MORE_FORMS(small, 25, 47, 513),
    MORE_FORMS(small, 40, 12, 300),
    FORMS(small, 64, 10, 784),
    FORMS(small, 12, 290, 31),
    {&product, "16,784 512,784", {0, 1}},
    {&small, "5,4099 4099,6", {0, 0}},
    {&small, "2000,3 3,4", {0, 0}},
    {&small, "1,300 300,300", {0, 0}},
    {&small, "300,3 300,1", {1, 0}},
    {&product, "3,17,19 3,19,23", {0, 0}},
    {&product, "3,17,19 3,23,19", {0, 1}, .more = true},
    {&product, "3,19,17 3,19,23", {1, 0}, .more = true},
    {&product, "3,19,17 3,23,19", {1, 1}},
    {&product, "3,17,19 19,23", {0, 0}},
    {&product, "3,17,19 23,19", {0, 1}},
    {&product, "3,19,17 19,23", {1, 0}},
    {&product, "17,19 3,19,23", {0, 0}},
    {&product, "19,17 3,23,19", {1, 1}},
    {&small, "2,3,4,5 2,3,5,6", {0, 0}},
    {&small, "2,1,4,5 1,3,5,6", {0, 0}},
    {&small, "2,1,4,5 3,5,6", {0, 0}},
    {&small, "2,3,4,5 1,3,6,5", {0, 1}},
    {&small, "1,1,4,5 2,3,5,6", {0, 0}},
    {&small, "2,3,4,5 5,6", {0, 0}},
    {&product, "70,33,5 70,5,31", {0, 0}},
    {&small, "2,1,2,1,2,1,3,4 1,2,1,2,1,2,4,5", {0, 0}},
    {&layer, "2,3 3,4 4", {0, 0}},
    {&layer, "67,65 33,65 33", {0, 1}},
    {&layer, "65,67 65,300 300", {1, 0}, .more = true},
    {&layer, "3,21,65 65,33 33", {0, 0}, .more = true},
    {&layer, "5,2011 9,2011 9", {0, 1}, .low = -0.05, .high = 0.06},
    {&layer, "270,300 290,300 290", {0, 1}, .low = -0.15, .high = 0.2},
    {&layer, "40,30 30,20 -", {0, 0}},
    {&layer, "40,30 30,20 40,1", {0, 0}},
    {&residual, "67,65 65,33 33 67,33 67,1", {0, 0}},
    {&residual, "2,9,8 8,7 7 2,9,7 2,1,1", {0, 0}},
    /* by-products: whole and partial tiles, many and one, split-K, columns that are not a multiple of 4 */
    {&columns, "65,3 3,1"},
    {&columns, "67,31 31,37"},
    {&columns, "128,64 64,64"},
    {&columns, "128,64 64,64", {0, 0, 1}},
    {&written, "257,70 131,70 131", {0, 1, 1}, .more = true},
    {&written, "96,33 33,40 40", {0, 0, 1}},
    {&written, "131,97 131,50 50", {1, 0}},
    {&written, "1009,16 16,8 8", .more = true},
    {&written, "70,2050 2050,33 33", {0, 0, 1}, .low = -0.05, .high = 0.1},
    {&columns, "66,4099 4099,68", {0, 0, 0}, .low = -0.05, .high = 0.1},
    {&written, "300,300 300,260 260", {0, 0, 1}, .low = -0.1, .high = 0.2, .more = true},
    {&columns, "64,20 20,12", {0, 0, 1}}, /* too few rows */
    {&residual, "4,999 999,12 12 4,12 -", {0, 0}, .low = -0.1, .high = 0.12},
};
GT_CASES(matmul, cases);

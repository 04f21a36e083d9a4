/* Cases (op/case.h) of the product of rows of a table with a weight, computed from the table. */
#include "op/table_product.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/gather.h"
#include <math.h>

GT_REGISTER(opcase, table_product)

/* Inputs: the table [rows, in], indices [M, N], a weight [units, in] and maybe a bias [units]. p[0]: what is
 * done with the rows before the product. */
enum { PLAIN, SWAPPED, RESHAPED };

static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const uint32_t rows = (uint32_t)v->shape[0].dim[0];
  (void)x;
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i++)
    out[i] = (int32_t)(gt_random_bits(5, rows, 3, (uint32_t)i) % rows);
}

/* Every third index is outside the table. */
static void fill_outside(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int32_t invalid[] = {-1, INT32_MIN, INT32_MAX, (int32_t)v->shape[0].dim[0]};
  fill(v, input, x, out);
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i += 3) out[i] = invalid[i / 3 % 4];
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_id rows = gt_gather(g, x[0], x[1], -1);
  const gt_shape shape = gt_node_at(g, rows)->shape;
  if (v->c->p[0] == SWAPPED) rows = gt_gather_swapped(g, rows);
  if (v->c->p[0] == RESHAPED)
    rows =
        gt_reshape(g, rows, gt_shape_of(3, (const int64_t[]){1, shape.dim[0] * shape.dim[1], shape.dim[2]}));
  return gt_table_product(g, rows, x[2], v->inputs > 3 ? x[3] : GT_NONE);
}

/* The row of the table that row i of the result is computed from. */
static double row_of(const gt_case_view *v, const double *const *x, int64_t i) {
  const int64_t m = v->shape[1].dim[0], n = v->shape[1].dim[1];
  return x[1][v->c->p[0] == SWAPPED ? i % m * n + i / m : i];
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t m = v->shape[1].dim[0], n = v->shape[1].dim[1], in = v->shape[0].dim[1];
  const int64_t units = v->shape[2].dim[0];
  const bool is_swapped = v->c->p[0] == SWAPPED, is_reshaped = v->c->p[0] == RESHAPED;
  for (int64_t i = 0; y && i < m * n; i++) {
    const double row = row_of(v, x, i);
    for (int64_t u = 0; u < units; u++) {
      double *sum = &y[i * units + u];
      *sum = row < 0 || row >= (double)v->shape[0].dim[0] ? NAN : v->inputs > 3 ? x[3][u] : 0;
      for (int64_t k = 0; k < in && !isnan(*sum); k++) *sum += x[0][(int64_t)row * in + k] * x[2][u * in + k];
    }
  }
  return is_reshaped ? gt_shape_of(3, (const int64_t[]){1, m * n, units})
                     : gt_shape_of(3, (const int64_t[]){is_swapped ? n : m, is_swapped ? m : n, units});
}

/* The sum of the absolute products of each value. */
static gt_shape magnitude(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t count = gt_shape_count(v->shape[1]), units = v->shape[2].dim[0], in = v->shape[0].dim[1];
  for (int64_t i = 0; y && i < count * units; i++) {
    const int64_t row = (int64_t)row_of(v, x, i / units);
    y[i] = 0;
    for (int64_t k = 0; k < in; k++) y[i] += fabs(x[0][row * in + k] * x[2][i % units * in + k]);
  }
  return reference(v, x, NULL);
}

static const gt_case_rule product = {.name = "table_product",
                                     .build = build,
                                     .reference = reference,
                                     .fill = fill,
                                     .magnitude = magnitude,
                                     .half_gradient = 1,
                                     .wrt = 13,
                                     .low = -1,
                                     .high = 1.5,
                                     .tolerance = 1e-5,
                                     .gradient_tolerance = 1e-5,
                                     .reason = "rounding of the sums, as in matmul"};
static const gt_case_rule outside = {.name = "table_product",
                                     .build = build,
                                     .reference = reference,
                                     .fill = fill_outside,
                                     .low = -1,
                                     .high = 1.5,
                                     .tolerance = 1e-5,
                                     .reason = "rounding of the sums, as in matmul"};

static const gt_case cases[] = {
    {&product, "1,1 c2,2 1,1 1", {PLAIN}},
    {&product, "5,4 c7,3 9,4 9", {PLAIN}},
    {&product, "5,4 c7,3 9,4", {SWAPPED}},
    {&product, "5,4 c7,2 9,4 9", {SWAPPED}}, /* too few rows: the plain product */
    {&product, "7,33 c31,13 41,33 41", {SWAPPED}},
    {&product, "3,8 c17,5 12,8 12", {RESHAPED}},
    {&outside, "13,8 c31,5 12,8 12", {PLAIN}},
};
GT_CASES(table_product, cases);

/* Cases (op/case.h) of row programs, which fusion makes of row reductions and the ops after them
 * (plan/fuse_rows.c): short and long rows, one and many, several reductions of a row, values with one element
 * per row, and graphs of which only a part can be fused. */
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "selftest/reference.h"
#include <math.h>

GT_REGISTER(opcase, rows)

static uint32_t last_axis(const gt_case_view *v) { return 1u << (v->shape[0].rank - 1); }

static int64_t width_of(const gt_case_view *v) {
  const gt_shape shape = v->shape[0];
  return shape.rank ? shape.dim[shape.rank - 1] : 1;
}

/* relu(a + (x - mean) / sqrt(variance + v) * weight + bias): two reductions one after the other; inputs x, a,
 * weight and bias. */
static gt_id build_norm(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id centered = gt_sub(g, x[0], gt_mean(g, x[0], last_axis(v), true));
  const gt_id variance = gt_mean(g, gt_mul(g, centered, centered), last_axis(v), true);
  const gt_id deviation = gt_sqrt(g, gt_add(g, variance, gt_constant(g, v->c->v)));
  const gt_id scaled = gt_add(g, gt_mul(g, gt_div(g, centered, deviation), x[2]), x[3]);
  return gt_relu(g, gt_add(g, x[1], scaled));
}

static gt_shape reference_norm(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = width_of(v), rows = gt_shape_count(v->shape[0]) / n;
  for (int64_t r = 0; y && r < rows; r++) {
    const double *row = x[0] + r * n;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++) mean += row[i] / (double)n;
    for (int64_t i = 0; i < n; i++) variance += (row[i] - mean) * (row[i] - mean) / (double)n;
    for (int64_t i = 0; i < n; i++) {
      const double normal = (row[i] - mean) / sqrt(variance + v->c->v);
      y[r * n + i] = fmax(0, x[1][r * n + i] + normal * x[2][i] + x[3][i]);
    }
  }
  return v->shape[0];
}

/* (x - smallest) / (largest - smallest + sum of squares + 1): three reductions in one pass. */
static gt_id build_range(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id least = gt_reduce_min(g, x[0], last_axis(v), true);
  const gt_id most = gt_reduce_max(g, x[0], last_axis(v), true);
  const gt_id squares = gt_sum(g, gt_mul(g, x[0], x[0]), last_axis(v), true);
  const gt_id denominator = gt_add(g, gt_add(g, gt_sub(g, most, least), squares), gt_constant(g, 1));
  return gt_div(g, gt_sub(g, x[0], least), denominator);
}

static gt_shape reference_range(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = width_of(v), rows = gt_shape_count(v->shape[0]) / n;
  for (int64_t r = 0; y && r < rows; r++) {
    const double *row = x[0] + r * n;
    double least = INFINITY, most = -INFINITY, squares = 0;
    for (int64_t i = 0; i < n; i++) {
      least = fmin(least, row[i]);
      most = fmax(most, row[i]);
      squares += row[i] * row[i];
    }
    for (int64_t i = 0; i < n; i++) y[r * n + i] = (row[i] - least) / (most - least + squares + 1);
  }
  return v->shape[0];
}

/* log(sum(exp(x))), one value per row, in three passes without any other output; added to input 1, which also
 * has one value per row. */
static gt_id build_logarithm(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id most = gt_stop_gradient(g, gt_reduce_max(g, x[0], last_axis(v), true));
  const gt_id sum = gt_sum(g, gt_exp(g, gt_sub(g, x[0], most)), last_axis(v), false);
  return gt_add(g, x[1], gt_add(g, gt_log(g, sum), gt_reshape(g, most, v->shape[1])));
}

static gt_shape reference_logarithm(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = width_of(v), rows = gt_shape_count(v->shape[1]);
  for (int64_t r = 0; y && r < rows; r++) {
    double sum = exp(x[0][r * n]);
    for (int64_t i = 1; i < n; i++) sum += exp(x[0][r * n + i]);
    y[r] = x[1][r] + log(sum);
  }
  return v->shape[1];
}

/* Each row's sum, used for the column of the same number: x [n, n] times tanh of the sums [n], broadcast to
 * all rows. */
static gt_id build_square(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id sums = gt_tanh(g, gt_sum(g, x[0], last_axis(v), false));
  const gt_id across = gt_mul(g, x[0], sums);
  return gt_sub(g, across, gt_mean(g, across, last_axis(v), true));
}

static gt_shape reference_square(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = width_of(v);
  for (int64_t r = 0; y && r < n; r++) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t k = 0; k < n; k++) sum += x[0][i * n + k];
      y[r * n + i] = x[0][r * n + i] * tanh(sum);
      mean += y[r * n + i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) y[r * n + i] -= mean;
  }
  return v->shape[0];
}

/* x divided by a value from its total sum, which a second row program reads: the first program has one row,
 * the second the rows of x. */
static gt_id build_whole(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id quotient = gt_div(g, x[0], gt_add(g, gt_constant(g, 3), gt_abs(g, gt_sum(g, x[0], 0, false))));
  return gt_sub(g, quotient, gt_sum(g, quotient, last_axis(v), true));
}

static gt_shape reference_whole(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = width_of(v), all = gt_shape_count(v->shape[0]);
  double whole = 0;
  for (int64_t i = 0; y && i < all; i++) whole += x[0][i];
  for (int64_t r = 0; y && r < all / n; r++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[0][r * n + i] / (3 + fabs(whole));
    for (int64_t i = 0; i < n; i++) y[r * n + i] = x[0][r * n + i] / (3 + fabs(whole)) - sum;
  }
  return v->shape[0];
}

#define RULE(label, which, limit, slope_limit)                          \
  static const gt_case_rule label = {.name = #label,                    \
                                     .build = build_##label,            \
                                     .reference = reference_##label,    \
                                     .wrt = which,                      \
                                     .low = -1,                         \
                                     .high = 2,                         \
                                     .tolerance = limit,                \
                                     .gradient_tolerance = slope_limit, \
                                     .reason = "rounding of the sums of a row"};
RULE(norm, 15, 1e-5, 4e-5)
RULE(range, 1, 4e-6, 4e-5)
RULE(logarithm, 3, 4e-6, 2e-5)
RULE(square, 1, 1e-5, 4e-5)
RULE(whole, 1, 1e-5, 4e-5)

#define NORM(shape, row) \
  { &norm, shape " " shape " " row " " row, .v = 0.1 }
#define ONE(rule, shapes) \
  { &rule, shapes }

static const gt_case cases[] = {
    NORM("3,1", "1"),
    NORM("1,2", "2"),
    NORM("5,4", "4"),
    NORM("7,33", "33"),
    NORM("2,3,10", "10"),
    NORM("301,3", "3"),
    NORM("66,64", "64"),
    NORM("9,127", "127"),
    NORM("3,513", "513"),
    NORM("2,1023", "1023"),
    NORM("3,1032", "1032"),
    NORM("2,2051", "2051"),
    NORM("1,4096", "4096"),
    NORM("2,4099", "4099"),
    ONE(range, "1,2"),
    ONE(range, "4,8"),
    ONE(range, "33,5"),
    ONE(range, "6,260"),
    ONE(range, "2,1500"),
    ONE(logarithm, "1,2 1"),
    ONE(logarithm, "130,10 130"),
    ONE(logarithm, "4,5,6 4,5"),
    ONE(logarithm, "3,777 3"),
    ONE(logarithm, "2,4000 2"),
    ONE(square, "2,2"),
    ONE(square, "10,10"),
    ONE(square, "65,65"),
    ONE(whole, "7"),
    ONE(whole, "3,5"),
    ONE(whole, "16,16"),
    ONE(whole, "50,80"),
};
GT_CASES(rows, cases);

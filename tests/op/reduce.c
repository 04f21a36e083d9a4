/* Cases (op/case.h) of reductions, and of the check for finite values. */
#include "op/reduce.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "selftest/reference.h"
#include <math.h>

GT_REGISTER(opcase, reduce)

/* p[0]: axes as bits (0: all), p[1]: keep. */
static bool is_reduced(const gt_case_view *v, int axis) { return v->c->p[0] == 0 || v->c->p[0] >> axis & 1; }

static gt_shape kept_shape(const gt_case_view *v) {
  gt_shape shape = v->shape[0];
  for (int d = 0; d < shape.rank; d++)
    if (is_reduced(v, d)) shape.dim[d] = 1;
  return shape;
}

static gt_shape result_shape(const gt_case_view *v) {
  if (v->c->p[1]) return kept_shape(v);
  gt_shape shape = {0};
  for (int d = 0; d < v->shape[0].rank; d++)
    if (!is_reduced(v, d)) shape.dim[shape.rank++] = v->shape[0].dim[d];
  return shape;
}

enum { SUM, MEAN, MAX, MIN };

static gt_shape reduce(const gt_case_view *v, const double *x, double *y, int kind) {
  const gt_shape from = v->shape[0], kept = kept_shape(v), out = result_shape(v);
  if (!y) return out;
  const int64_t n = gt_shape_count(out), all = gt_shape_count(from);
  for (int64_t i = 0; i < n; i++) y[i] = kind == MAX ? -INFINITY : kind == MIN ? INFINITY : 0;
  for (int64_t i = 0; i < all; i++) {
    double *to = &y[gt_reference_broadcast(from, kept, i)];
    *to = kind == MAX ? fmax(*to, x[i]) : kind == MIN ? fmin(*to, x[i]) : *to + x[i];
  }
  for (int64_t i = 0; kind == MEAN && i < n; i++) y[i] /= (double)(all / n);
  return out;
}

#define REDUCTION(label, kind, builder, tolerance_, why)                                        \
  static gt_id build_##label(gt_graph *g, const gt_case_view *v, const gt_id *x) {              \
    return builder(g, x[0], (uint32_t)v->c->p[0], v->c->p[1]);                                  \
  }                                                                                             \
  static gt_shape reference_##label(const gt_case_view *v, const double *const *x, double *y) { \
    return reduce(v, x[0], y, kind);                                                            \
  }                                                                                             \
  static const gt_case_rule label = {.name = #label,                                            \
                                     .build = build_##label,                                    \
                                     .reference = reference_##label,                            \
                                     .wrt = 1,                                                  \
                                     .low = -1,                                                 \
                                     .high = 2,                                                 \
                                     .tolerance = tolerance_,                                   \
                                     .reason = why};

REDUCTION(sum, SUM, gt_sum, 4e-6, "rounding of the partial sums")
REDUCTION(mean, MEAN, gt_mean, 4e-6, "rounding of the partial sums")
REDUCTION(max, MAX, gt_reduce_max, 0, "an element, unchanged")
REDUCTION(min, MIN, gt_reduce_min, 0, "an element, unchanged")

/* Sum down to the shape of input 1, of which only the shape is used. */
static gt_id build_sum_to(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_sum_to(g, x[0], v->shape[1]);
}

static gt_shape reference_sum_to(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[1]); i++) y[i] = 0;
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    y[gt_reference_broadcast(v->shape[0], v->shape[1], i)] += x[0][i];
  return v->shape[1];
}

/* With ops before it that are fused into the kernel, and an op after it: the root of a mean squared error. */
static gt_id build_error(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id difference = gt_sub(g, x[0], x[1]);
  return gt_sqrt(g, gt_mean(g, gt_mul(g, difference, difference), (uint32_t)v->c->p[0], v->c->p[1]));
}

static gt_shape reference_error(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape from = v->shape[0], kept = kept_shape(v), out = result_shape(v);
  const int64_t n = gt_shape_count(out), all = gt_shape_count(from);
  for (int64_t i = 0; y && i < n; i++) y[i] = 0;
  for (int64_t i = 0; y && i < all; i++) {
    const double d = x[0][i] - x[1][gt_reference_broadcast(from, v->shape[1], i)];
    y[gt_reference_broadcast(from, kept, i)] += d * d / (double)(all / n);
  }
  for (int64_t i = 0; y && i < n; i++) y[i] = sqrt(y[i]);
  return out;
}

static const gt_case_rule sum_to = {.name = "sum_to",
                                    .build = build_sum_to,
                                    .reference = reference_sum_to,
                                    .wrt = 1,
                                    .low = -1,
                                    .high = 2,
                                    .tolerance = 4e-6,
                                    .reason = "rounding of the partial sums"};
static const gt_case_rule error = {.name = "reduce_fused",
                                   .build = build_error,
                                   .reference = reference_error,
                                   .wrt = 3,
                                   .low = -1,
                                   .high = 2,
                                   .tolerance = 4e-6,
                                   .gradient_tolerance = 2e-5,
                                   .reason = "rounding of the partial sums"};

/* Checks x or, if p[0], its logarithm, which is infinite at 0 and NaN below. p[1]: 1: the initial flag is a
 * computed value, which may be updated in place; 2: it is read again, so it may not. */
static gt_id build_finite(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id initial = v->c->p[1] ? gt_neg(g, x[1]) : x[1];
  const gt_id flag = gt_all_finite(g, v->c->p[0] ? gt_log(g, x[0]) : x[0], initial);
  return v->c->p[1] == 2 ? gt_sub(g, flag, initial) : flag;
}

static gt_shape reference_finite(const gt_case_view *v, const double *const *x, double *y) {
  bool finite = true;
  for (int64_t i = 0; y && v->c->p[0] && i < gt_shape_count(v->shape[0]); i++)
    finite &= (bool)isfinite(log(x[0][i]));
  const double initial = y ? (v->c->p[1] ? -x[1][0] : x[1][0]) : 0;
  if (y) y[0] = (finite ? initial : 0) - (v->c->p[1] == 2 ? initial : 0);
  return v->shape[1];
}

static const gt_case_rule all_finite = {.name = "all_finite",
                                        .build = build_finite,
                                        .reference = reference_finite,
                                        .low = 0.5,
                                        .high = 2,
                                        .reason = "the initial flag or 0"};

#define SHAPES(rule)                                                                                  \
  {&rule, "-"}, {&rule, "1"}, {&rule, "7", {0, 1}}, {&rule, "5,9", {1}}, {&rule, "5,9", {2}},         \
      {&rule, "3,4,5", {2}}, {&rule, "3,4,5", {5, 1}}, {&rule, "2,3,5,2", {6}}, {&rule, "1031", {0}}, \
      {&rule, "129,67", {1}}, {                                                                       \
    &rule, "67,129", { 2 }                                                                            \
  }

static const gt_case cases[] = {
    SHAPES(sum),
    SHAPES(mean),
    SHAPES(max),
    SHAPES(min),
    {&sum, "200003"},
    {&sum, "2,100003", {2}},
    {&sum, "20011,3", {1}},
    {&sum, "200003,2", {1}, .low = 0.1, .high = 0.1000001}, /* nearly equal: rounding adds up */
    {&sum, "200003", .low = 0.1, .high = 0.1000001},
    {&sum, "5,4001,7", {2}},
    {&sum, "3000,2", {2}},
    /* columns in vec4 */
    {&sum, "20011,8", {1}},
    {&sum, "2,3001,260", {2}},
    {&sum, "200003,4", {1}, .low = 0.1, .high = 0.1000001},
    {&max, "3,997,12", {2}},
    {&min, "131,4", {1}},
    {&mean, "67,1028", {1}},
    {&mean, "300,301"},
    {&max, "100003"},
    {&min, "5,4001,3", {2}},
    {&sum, "2,3,2,2,3,2,2,2", {0x55}},
    {&sum, "2,3,2,2,3,2,2,2", {0xAA, 1}},
    {&max, "2,3,2,2,3,2,2,2", {0x33}},
    {&sum, "1,1,5", {3}},
    {&mean, "1,1", {1}},
    {&sum_to, "4,5 5"},
    {&sum_to, "4,5 4,1"},
    {&sum_to, "4,5 -"},
    {&sum_to, "2,3,4 3,1"},
    {&sum_to, "2,3,4 2,1,4"},
    {&sum_to, "1000,10 10"},
    {&sum_to, "4,5 4,5"},
    {&sum_to, "3,1,4 1,1,1"},
    {&sum_to, "2,3,4,5 3,1,5"},
    {&error, "257 257"},
    {&error, "40,41 40,41", {2}},
    {&error, "40,41 40,41", {1}},
    {&error, "40,41 41", {2, 1}},
    {&error, "3001,7 3001,1", {1}},
    {&error, "3001,8 3001,1", {1}},
    {&error, "6,5,4 5,1", {2}},
    {&all_finite, "- -"},
    {&all_finite, "7 1"},
    {&all_finite, "40,41 -", {1}},
    {&all_finite, "3,5001 1"},
    {&all_finite, "200003 1", {1}},
    {&all_finite, "1000003 1"},
    {&all_finite, "- -", {0, 1}},
    {&all_finite, "1 1", {0, 1}},
    {&all_finite, "257 -", {1, 1}},
    {&all_finite, "70001 1", {0, 1}},
    {&all_finite, "257 -", {1, 2}},
    {&all_finite, "257 -", {1, 1}, 0, -1, 2},
    {&all_finite, "257 -", {1, 2}, 0, -1, 2},
    {&all_finite, "1 1", {1}, 0, -2, -1},
    {&all_finite, "257 -", {1}, 0, -0.01, 2},
    {&all_finite, "g64,65 -", {1}, 0, 0, 50},
    {&all_finite, "70001 1", {1}, 0, -0.0001, 2},
    {&all_finite, "g1000003 1", {1}, 0, 0, 100000},
};
GT_CASES(reduce, cases);

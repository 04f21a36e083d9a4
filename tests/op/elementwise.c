/* Cases (op/case.h) of the elementwise ops, of random numbers, and of a chain of many ops. */
#include "op/elementwise.h"
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "selftest/reference.h"
#include <math.h>

GT_REGISTER(opcase, elementwise)

/* --- one operand --- */

#define UNARY(label, low_, high_, wrt_, tolerance_, floor_, formula)                                \
  static gt_id build_##label(gt_graph *g, const gt_case_view *v, const gt_id *x) {                  \
    (void)v;                                                                                        \
    return gt_##label(g, x[0]);                                                                     \
  }                                                                                                 \
  static gt_shape reference_##label(const gt_case_view *v, const double *const *input, double *y) { \
    for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) {                                \
      const double x = input[0][i];                                                                 \
      y[i] = formula;                                                                               \
    }                                                                                               \
    return v->shape[0];                                                                             \
  }                                                                                                 \
  static const gt_case_rule rule_##label = {.name = #label,                                         \
                                            .build = build_##label,                                 \
                                            .reference = reference_##label,                         \
                                            .low = low_,                                            \
                                            .high = high_,                                          \
                                            .wrt = wrt_,                                            \
                                            .tolerance = tolerance_,                                \
                                            .floor = floor_,                                        \
                                            .gradient_tolerance = 2e-5,                             \
                                            .reason = "a few units in the last place of float"};

static double logistic(double x) { return 1 / (1 + exp(-x)); }
static double normal_cdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

/* Ranges keep away from zeros of derivatives, where a float has no relative precision. */
UNARY(neg, -3, 3, 1, 0, 1e-30, -x)
UNARY(exp, -4, 4, 1, 1e-6, 1e-30, exp(x))
UNARY(log, 0.05, 8, 1, 1e-6, 1, log(x))
UNARY(exp2, -5, 5, 1, 1e-6, 1e-30, exp2(x))
UNARY(log2, 0.05, 8, 1, 1e-6, 1, log2(x))
UNARY(sin, 0.2, 1.2, 1, 1e-6, 1, sin(x))
UNARY(cos, 0.2, 1.2, 1, 1e-6, 1, cos(x))
UNARY(atan, -4, 4, 1, 1e-6, 1e-30, atan(x))
UNARY(sqrt, 0.05, 9, 1, 1e-6, 1e-30, sqrt(x))
UNARY(reciprocal, 0.2, 5, 1, 1e-6, 1e-30, 1 / x)
UNARY(abs, -3, 3, 1, 0, 1e-30, fabs(x))
UNARY(relu, -3, 3, 1, 0, 1e-30, x > 0 ? x : 0)
UNARY(sigmoid, -4, 4, 1, 1e-6, 1e-3, logistic(x))
UNARY(tanh, -2, 2, 1, 1e-6, 1e-3, tanh(x))
UNARY(erf, -2, 2, 1, 1e-6, 1e-2, erf(x))
UNARY(gelu, -0.6, 3, 1, 2e-6, 1, x *normal_cdf(x))
UNARY(silu, -1, 3, 1, 2e-6, 1, x *logistic(x))
UNARY(softplus, -4, 4, 1, 2e-6, 1e-3, log1p(exp(x)))
UNARY(is_finite, -3, 3, 0, 0, 1, 1 + 0 * x)
UNARY(sign, -3, 3, 0, 0, 1, (double)((x > 0) - (x < 0)))
UNARY(stop_gradient, -3, 3, 0, 0, 1, x)

/* Large magnitudes, for overflow, underflow and range reduction; values only. */
#define FAR(label, floor_)                                                 \
  static const gt_case_rule far_##label = {.name = #label,                 \
                                           .build = build_##label,         \
                                           .reference = reference_##label, \
                                           .tolerance = 2e-6,              \
                                           .floor = floor_,                \
                                           .reason = "range reduction costs an extra bit"};
FAR(exp, 1e-30)
FAR(sin, 1)
FAR(cos, 1)
FAR(atan, 1e-30)
FAR(sigmoid, 1e-6)
FAR(tanh, 1e-6)
FAR(erf, 1e-6)
FAR(gelu, 1)
FAR(silu, 1)
FAR(softplus, 1)
FAR(log, 1)
FAR(sqrt, 1e-30)
FAR(reciprocal, 1e-30)

/* --- two operands --- */

#define BINARY(label, low_, high_, wrt_, tolerance_, formula)                                       \
  static gt_id build_##label(gt_graph *g, const gt_case_view *v, const gt_id *x) {                  \
    (void)v;                                                                                        \
    return gt_##label(g, x[0], x[1]);                                                               \
  }                                                                                                 \
  static gt_shape reference_##label(const gt_case_view *v, const double *const *input, double *y) { \
    const gt_shape out = gt_reference_broadcast_shape(v->shape[0], v->shape[1]);                    \
    for (int64_t i = 0; y && i < gt_shape_count(out); i++) {                                        \
      const double a = input[0][gt_reference_broadcast(out, v->shape[0], i)];                       \
      const double b = input[1][gt_reference_broadcast(out, v->shape[1], i)];                       \
      y[i] = formula;                                                                               \
    }                                                                                               \
    return out;                                                                                     \
  }                                                                                                 \
  static const gt_case_rule rule_##label = {.name = #label,                                         \
                                            .build = build_##label,                                 \
                                            .reference = reference_##label,                         \
                                            .low = low_,                                            \
                                            .high = high_,                                          \
                                            .wrt = wrt_,                                            \
                                            .tolerance = tolerance_,                                \
                                            .floor = 1,                                             \
                                            .gradient_tolerance = 4e-5,                             \
                                            .reason = "a few units in the last place of float"};

BINARY(add, -3, 3, 3, 1e-6, a + b)
BINARY(sub, -3, 3, 3, 1e-6, a - b)
BINARY(mul, -3, 3, 3, 1e-6, a *b)
BINARY(div, 0.3, 3, 3, 1e-6, a / b)
BINARY(max, -3, 3, 3, 0, a > b ? a : b)
BINARY(min, -3, 3, 3, 0, a < b ? a : b)
BINARY(mod, 0.3, 5, 3, 4e-6, a - b * floor(a / b))
BINARY(less, -3, 3, 0, 0, a < b ? 1 : 0)
BINARY(pow, 0.3, 2.5, 3, 4e-6, pow(a, b))

/* mod of numbers of both signs; the divisor is never 0. */
static gt_id build_signed_mod(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_mod(g, x[0], gt_add(g, x[1], gt_constant(g, 0.25)));
}

static gt_shape reference_signed_mod(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) {
    const double b = x[1][i] + 0.25, remainder = fmod(x[0][i], b);
    y[i] = remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  }
  return v->shape[0];
}

/* A power with a constant exponent, also of a negative base. */
static gt_id build_integral_pow(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_pow(g, x[0], gt_constant(g, v->c->v));
}

static gt_shape reference_integral_pow(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = pow(x[0][i], v->c->v);
  return v->shape[0];
}

static const gt_case_rule signed_mod = {.name = "mod",
                                        .build = build_signed_mod,
                                        .reference = reference_signed_mod,
                                        .tolerance = 1e-6,
                                        .floor = 1,
                                        .reason = "halves are exact"};
static const gt_case_rule integral_pow = {.name = "pow",
                                          .build = build_integral_pow,
                                          .reference = reference_integral_pow,
                                          .wrt = 1,
                                          .tolerance = 4e-6,
                                          .floor = 1e-3,
                                          .gradient_tolerance = 4e-5,
                                          .reason = "exp and log of the base, multiplied by the exponent"};

/* --- others --- */

static gt_id build_leaky_relu(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_leaky_relu(g, x[0], v->c->v);
}

static gt_shape reference_leaky_relu(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    y[i] = x[0][i] > 0 ? x[0][i] : x[0][i] * (double)(float)v->c->v;
  return v->shape[0];
}

static gt_id build_where(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_where(g, gt_less(g, x[0], gt_constant(g, 0.5)), x[1], x[2]);
}

static gt_shape reference_where(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = gt_reference_broadcast_shape(v->shape[0], v->shape[1]);
  out = gt_reference_broadcast_shape(out, v->shape[2]);
  for (int64_t i = 0; y && i < gt_shape_count(out); i++) {
    const int chosen = x[0][gt_reference_broadcast(out, v->shape[0], i)] < 0.5 ? 1 : 2;
    y[i] = x[chosen][gt_reference_broadcast(out, v->shape[chosen], i)];
  }
  return out;
}

/* p[4]: 0: random numbers; 1: dropout as a layer builds it, whose gradient uses the same random numbers.
 * Inputs: the clock's state (words p), its table, x. */
static gt_id build_random(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id clock = gt_clock(g, v->variable[0], v->variable[1]);
  const gt_id draw = gt_random(g, v->shape[2], clock);
  if (!v->c->p[4]) return gt_add(g, draw, gt_mul(g, x[2], gt_constant(g, 0.0)));
  return gt_mul(g, x[2], gt_mul(g, gt_less(g, draw, gt_constant(g, 0.75)), gt_constant(g, 1 / 0.75)));
}

static gt_shape reference_random(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t *p = v->c->p;
  const uint64_t seed = (uint32_t)p[1] | (uint64_t)p[2] << 32;
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[2]); i++) {
    const double u = gt_random_uniform(seed, GT_PURPOSE_GRAPH, (uint32_t)p[0], (uint32_t)i);
    y[i] = !p[4] ? u : u < 0.75 ? x[2][i] / 0.75 : 0;
  }
  return v->shape[2];
}

/* A chain of p[0] links with more nodes than a program, or more inputs than a kernel, can have: fusion has to
 * split it. */
static gt_id build_chain(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_id y = x[0];
  for (int i = 0; i < v->c->p[0]; i++)
    y = gt_sin(g, gt_add(g, y, gt_mul(g, x[i % v->inputs], gt_constant(g, 0.1 * i))));
  return y;
}

static gt_shape reference_chain(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape out = v->shape[0];
  for (int k = 0; k < v->inputs; k++) out = gt_reference_broadcast_shape(out, v->shape[k]);
  for (int64_t e = 0; y && e < gt_shape_count(out); e++) {
    double value = x[0][gt_reference_broadcast(out, v->shape[0], e)];
    for (int i = 0; i < v->c->p[0]; i++) {
      const int k = i % v->inputs;
      value = sin(value + x[k][gt_reference_broadcast(out, v->shape[k], e)] * (double)(float)(0.1 * i));
    }
    y[e] = value;
  }
  return out;
}

static const gt_case_rule leaky_relu = {.name = "leaky_relu",
                                        .build = build_leaky_relu,
                                        .reference = reference_leaky_relu,
                                        .wrt = 1,
                                        .tolerance = 2e-7,
                                        .floor = 1e-3,
                                        .reason = "one product"};
static const gt_case_rule where = {.name = "where",
                                   .build = build_where,
                                   .reference = reference_where,
                                   .wrt = 6,
                                   .tolerance = 0,
                                   .reason = "a copy of one of two values"};
static const gt_case_rule random_draw = {.name = "random",
                                         .build = build_random,
                                         .reference = reference_random,
                                         .tolerance = 0,
                                         .reason = "same bits everywhere"};
static const gt_case_rule dropout = {.name = "dropout",
                                     .build = build_random,
                                     .reference = reference_random,
                                     .wrt = 4,
                                     .tolerance = 1e-6,
                                     .floor = 1e-3,
                                     .reason = "one product with a rounded scale"};
static const gt_case_rule chain = {.name = "chain",
                                   .build = build_chain,
                                   .reference = reference_chain,
                                   .wrt = 3,
                                   .low = -1,
                                   .high = 1,
                                   .tolerance = 2e-5,
                                   .floor = 1,
                                   .gradient_tolerance = 1e-4,
                                   .reason = "errors of the links add up"};

#define ONE(name) \
  {&rule_##name, "-"}, {&rule_##name, "257"}, { &rule_##name, "3,5,2" }
#define TWO(name)                                                                                            \
  {&rule_##name, "- -"}, {&rule_##name, "5,67 5,67"}, {&rule_##name, "9,31 31"}, {&rule_##name, "9,31 9,1"}, \
      {&rule_##name, "- 3,7"}, {                                                                             \
    &rule_##name, "2,3,4 3,1"                                                                                \
  }

static const gt_case cases[] = {
    ONE(neg),
    ONE(exp),
    ONE(log),
    ONE(exp2),
    ONE(log2),
    ONE(sin),
    ONE(cos),
    ONE(atan),
    ONE(sqrt),
    ONE(reciprocal),
    ONE(abs),
    ONE(relu),
    ONE(sigmoid),
    ONE(tanh),
    ONE(erf),
    ONE(gelu),
    ONE(silu),
    ONE(softplus),
    ONE(is_finite),
    ONE(sign),
    ONE(stop_gradient),
    {&rule_exp, "100003"},
    {&rule_relu, "300007"},
    {&rule_gelu, "2,1,3,2,1,2,2,3"},
    {&rule_sign, "g64"},
    {&far_exp, "1001", .low = -85, .high = 88},
    {&far_sin, "1001", .low = -300, .high = 300},
    {&far_cos, "1001", .low = -300, .high = 300},
    {&far_atan, "1001", .low = -1e5, .high = 1e5},
    {&far_sigmoid, "1001", .low = -80, .high = 80},
    {&far_tanh, "1001", .low = -60, .high = 60},
    {&far_erf, "1001", .low = -8, .high = 8},
    {&far_gelu, "1001", .low = -12, .high = 12},
    {&far_silu, "1001", .low = -80, .high = 80},
    {&far_softplus, "1001", .low = -90, .high = 90},
    {&far_log, "1001", .low = 1e-6, .high = 1e6},
    {&far_sqrt, "1001", .low = 0, .high = 1e6},
    {&far_reciprocal, "1001", .low = -1e5, .high = -1e-3},
    TWO(add),
    TWO(sub),
    TWO(mul),
    TWO(div),
    TWO(max),
    TWO(min),
    TWO(mod),
    TWO(less),
    TWO(pow),
    {&rule_add, "g6,7 g6,7"},
    {&rule_max, "g40,3 g40,3"},
    {&rule_min, "g40,3 g40,1"},
    {&rule_less, "g40,3 g40,3"},
    {&rule_mul, "7,1 1,9"},
    {&rule_mul, "2,1,3,1,2,1,2,1 1,2,1,3,1,2,1,2"},
    {&rule_add, "1,1,1 1"},
    {&rule_add, "701,113 113"},
    {&rule_mul, "701,113 701,1"},
    {&rule_sub, "300,1,40 1,25,1"},
    {&rule_mul, "- 70001"},
    {&signed_mod, "g200 g200", .low = -6, .high = 6},
    {&integral_pow, "101", .v = 2, .low = -2, .high = 2},
    {&integral_pow, "101", .v = 3, .low = -2, .high = -0.5},
    {&integral_pow, "101", .v = -1, .low = -2, .high = -0.5},
    {&integral_pow, "101", .v = 0.5, .low = 0.1, .high = 4},
    {&leaky_relu, "257", .v = 0.01},
    {&leaky_relu, "4,5", .v = 0.2},
    {&where, "6,7 6,7 6,7"},
    {&where, "6,1 7 -"},
    {&where, "5 4,5 4,1"},
    {&random_draw, "w4 v1,1 1003", {5, 77, 3, 0, 0}},
    {&random_draw, "w4 v2,1 3,5", {0, 1, 0, 0, 0}},
    {&dropout, "w4 v1,1 1003", {5, 77, 3, 0, 1}},
    {&dropout, "w4 v1,1 33,31", {1000000, 9, 9, 0, 1}},
    {&chain, "31,3 31,3", {10}},
    {&chain, "17,9 9", {40}, .more = true},
    {&chain, "5,1 1,7 5,7", {90}, .more = true},
    {&chain, "6,4 6,4 4 6,1 - 1,4 6,4 6,4", {30}},
};
GT_CASES(elementwise, cases);

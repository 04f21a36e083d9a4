/* Cases (op/case.h) of views, packs, assignments, the clock and the log. */
#include "op/core.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <string.h>

GT_REGISTER(opcase, core)

static gt_id one(gt_graph *g) { return gt_constant(g, 1.0); }

/* view: p[0] = offset, p[1] = length; p[2]: 0: doubled, so that an op reads it, 1: as it is. */
static gt_id build_view(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id part = gt_view(g, x[0], v->c->p[0], gt_shape_1(v->c->p[1]));
  return v->c->p[2] ? part : gt_add(g, part, part);
}

static gt_shape reference_view(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < v->c->p[1]; i++) y[i] = (v->c->p[2] ? 1 : 2) * x[0][v->c->p[0] + i];
  return gt_shape_1(v->c->p[1]);
}

/* reshape to p[1..], of rank p[0], in which one extent may be -1; the resulting shape is p[12..]. */
static gt_id build_reshape(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_reshape(g, x[0], gt_shape_of((int)v->c->p[0], v->c->p + 1));
}

static gt_shape reference_reshape(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = x[0][i];
  return gt_shape_of((int)v->c->p[0], v->c->p + 12);
}

/* pack: p[0]: 0: of the inputs; 1: of the inputs plus 1, which are computed; 2: the first of these is also
 * used elsewhere. */
static gt_id build_pack(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_id part[GT_CASE_INPUTS];
  for (int k = 0; k < v->inputs; k++) part[k] = v->c->p[0] ? gt_add(g, x[k], one(g)) : x[k];
  const gt_id packed = gt_pack(g, part, v->inputs);
  return v->c->p[0] > 1 ? gt_add(g, packed, gt_view(g, part[0], 0, gt_shape_1(1))) : packed;
}

static gt_shape reference_pack(const gt_case_view *v, const double *const *x, double *y) {
  const double added = v->c->p[0] ? 1 : 0;
  int64_t count = 0;
  for (int k = 0; k < v->inputs; k++)
    for (int64_t i = 0; i < gt_shape_count(v->shape[k]); i++, count++)
      if (y) y[count] = x[k][i] + added + (v->c->p[0] > 1 ? x[0][0] + added : 0);
  return gt_shape_1(count);
}

/* assign: variable 0 [n] += x, at offset p[0]. */
static gt_id build_update(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id old = gt_view(g, x[0], v->c->p[0], v->shape[1]);
  return gt_assign(g, v->variable[0], v->c->p[0], gt_add(g, old, x[1]));
}

static gt_shape reference_update(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) {
    const int64_t k = i - v->c->p[0];
    y[i] = x[0][i] + (k >= 0 && k < gt_shape_count(v->shape[1]) ? (double)v->c->rule->times * x[1][k] : 0);
  }
  return v->shape[0];
}

/* The two halves of a variable are swapped: both are read before one of them is written. */
static gt_id build_swap(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const int64_t half = gt_shape_count(v->shape[0]) / 2;
  const gt_id low = gt_view(g, x[0], 0, gt_shape_1(half)), high = gt_view(g, x[0], half, gt_shape_1(half));
  gt_assign(g, v->variable[0], 0, high);
  return gt_assign(g, v->variable[0], half, low);
}

static gt_shape reference_swap(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = gt_shape_count(v->shape[0]);
  for (int64_t i = 0; y && i < n; i++) y[i] = x[0][(i + n / 2) % n];
  return v->shape[0];
}

/* Variable 1 becomes the weighted sum of variable 0's old values, although variable 0 is assigned first. */
static gt_id build_old(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_assign(g, v->variable[0], 0, gt_mul(g, x[0], gt_constant(g, -3.0)));
  return gt_assign(g, v->variable[1], 0, gt_sum(g, gt_mul(g, x[0], x[2]), 0, false));
}

static gt_shape reference_old(const gt_case_view *v, const double *const *x, double *y) {
  if (y) y[0] = 0;
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[0] += x[0][i] * x[2][i];
  return v->shape[1];
}

/* The clock's scalars in the last of some runs; inputs: state (words p), table. */
static gt_id build_clock(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)x;
  const gt_id clock = gt_clock(g, v->variable[0], v->variable[1]);
  gt_id scalar[GT_CASE_INPUTS];
  const int n = (int)v->shape[1].dim[1];
  for (int k = 0; k < n; k++) scalar[k] = gt_clock_scalar(g, clock, k);
  return gt_pack(g, scalar, n);
}

static gt_shape reference_clock(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->shape[1].dim[0], n = v->shape[1].dim[1];
  const int64_t step = v->c->p[0] + (v->c->rule->times ? v->c->rule->times - 1 : 0);
  for (int64_t k = 0; y && k < n; k++) y[k] = x[1][step % rows * n + k];
  return gt_shape_1(n);
}

/* The log after some runs; inputs: state, table, log, then tensors whose sums are logged: a sum is complete
 * only after several steps of a kernel. */
static gt_id build_log(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id clock = gt_clock(g, v->variable[0], v->variable[1]);
  gt_id scalar[GT_CASE_INPUTS];
  const int n = (int)v->shape[2].dim[1];
  for (int k = 0; k < n - 1; k++) scalar[k] = gt_sum(g, x[3 + k], 0, false);
  scalar[n - 1] = gt_clock_scalar(g, clock, 0);
  return gt_log_row(g, v->variable[2], clock, scalar, n);
}

static gt_shape reference_log(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape log = v->shape[2];
  const int64_t n = log.dim[1];
  for (int64_t i = 0; y && i < gt_shape_count(log); i++) y[i] = x[2][i];
  for (int64_t run = 0; y && run < v->c->rule->times; run++) {
    const int64_t step = v->c->p[0] + run;
    double *row = y + step % log.dim[0] * n;
    for (int64_t k = 0; k < n - 1; k++) {
      row[k] = 0;
      for (int64_t i = 0; i < gt_shape_count(v->shape[3 + k]); i++) row[k] += x[3 + k][i];
    }
    row[n - 1] = x[1][step % v->shape[1].dim[0] * v->shape[1].dim[1]];
  }
  return log;
}

#define RULE(id, label, function, wrt_, tolerance_, ...)             \
  static const gt_case_rule id = {.name = label,                     \
                                  .build = build_##function,         \
                                  .reference = reference_##function, \
                                  .wrt = wrt_,                       \
                                  .tolerance = tolerance_,           \
                                  .reason = "a copy or a sum",       \
                                  __VA_ARGS__};
RULE(view, "view", view, 1, 0, .times = 0)
RULE(reshape, "reshape", reshape, 1, 0, .times = 0)
RULE(pack, "pack", pack, 3, 1e-6, .times = 0)
RULE(update, "assign", update, 0, 1e-6, .times = 3, .result = 1)
RULE(swap, "assign", swap, 0, 0, .times = 3, .result = 1)
RULE(old, "assign", old, 0, 4e-6, .times = 1, .result = 2, .low = -1, .high = 2)
RULE(clock, "clock", clock, 0, 0, .times = 1)
RULE(clock_ticks, "clock", clock, 0, 0, .times = 4)
RULE(log_row, "log_row", log, 0, 4e-6, .times = 3, .result = 3, .low = -1, .high = 2)

static const gt_case cases[] = {
    {&view, "9", {2, 5}},
    {&view, "3,4", {3, 7}},
    {&view, "3,4", {3, 7, 1}},
    {&view, "5", {4, 1}},
    {&view, "1000", {333, 500}},
    {&reshape, "6", {2, 2, 3, [12] = 2, 3}},
    {&reshape, "2,3,4", {2, -1, 8, [12] = 3, 8}},
    {&reshape, "1", {0}},
    {&reshape, "-", {3, 1, 1, 1, [12] = 1, 1, 1}},
    {&pack, "3 4,5"},
    {&pack, "3 4,5", {1}},
    {&pack, "3,1 4,5 1 70", {1}},
    {&pack, "3 4 5", {2}},
    {&pack, "- - -", {1}},
    {&pack, "1001 3 257", {2}},
    {&update, "v9 9"},
    {&update, "v9 5", {2}},
    {&update, "v5000 4001", {3}},
    {&update, "v3 1", {2}},
    {&swap, "v8"},
    {&swap, "v6002"},
    {&old, "m7 v1 7"},
    {&old, "m3001 v1 3001"},
    {&clock, "w4 v5,2", {0, 1, 2}},
    {&clock, "w4 v5,2", {13, 1, 2}},
    {&clock, "w4 v1,1", {13, 1, 2}},
    {&clock, "w4 v70,8", {1000, 1, 2}},
    {&clock_ticks, "w4 v5,2", {3, 1, 2}},
    {&clock_ticks, "w4 v3,7", {100, 1, 2}},
    {&log_row, "w4 v3,2 v4,2 -", {0}},
    {&log_row, "w4 v3,2 v4,3 5,7 -", {9}},
    {&log_row, "w4 v1,1 v2,4 3 300 7,9", {5}},
    {&log_row, "w4 v2,3 v1,1", {1}},
};
GT_CASES(core, cases);

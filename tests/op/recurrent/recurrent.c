/* Cases (op/case.h) of recurrent layers. */
#include "op/recurrent/recurrent.h"
#include "op/case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, recurrent)

/* p: the cell, then flags. Inputs: the gates' input product, W_hh, then the bias of the hidden product if
 * BIASED, and the lengths if LENGTHS. */
enum { CELL, REVERSE, BIASED, LENGTHS, LAST };
enum { X_GATES, X_WEIGHT, X_BIAS };

static bool has(const gt_case_view *v, int what) { return v->c->p[what] != 0; }
static gt_cell cell_of(const gt_case_view *v) { return (gt_cell)v->c->p[CELL]; }

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_recurrent_input input = {.cell = cell_of(v),
                                    .gates = x[X_GATES],
                                    .w_hh = x[X_WEIGHT],
                                    .bias = has(v, BIASED) ? x[X_BIAS] : GT_NONE,
                                    .lengths = has(v, LENGTHS) ? x[X_BIAS + has(v, BIASED)] : GT_NONE,
                                    .reverse = has(v, REVERSE)};
  const gt_id y = gt_recurrent(g, &input);
  return has(v, LAST) ? gt_recurrent_last(g, y) : y;
}

typedef struct row_state {
  double h[256], c[256];
} row_state;

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* PyTorch's formulas, unit by unit; x: [gates, units]. */
static void advance(gt_cell cell, int64_t units, const double *x, const double *w, const double *bias,
                    row_state *s) {
  double z[4][256] = {{0}};
  for (int64_t g = 0; g < gt_cell_gates(cell); g++)
    for (int64_t u = 0; u < units; u++) {
      z[g][u] = bias ? bias[g * units + u] : 0;
      for (int64_t k = 0; k < units; k++) z[g][u] += w[(g * units + u) * units + k] * s->h[k];
    }
  for (int64_t u = 0; u < units; u++) {
    const double a = x[u] + z[0][u];
    if (cell == GT_CELL_LSTM) {
      const double i = sigmoid(a), f = sigmoid(x[units + u] + z[1][u]), g = tanh(x[2 * units + u] + z[2][u]);
      s->c[u] = f * s->c[u] + i * g;
      s->h[u] = sigmoid(x[3 * units + u] + z[3][u]) * tanh(s->c[u]);
    } else if (cell == GT_CELL_GRU) {
      const double update = sigmoid(x[units + u] + z[1][u]);
      const double next = tanh(x[2 * units + u] + sigmoid(a) * z[2][u]);
      s->h[u] = (1 - update) * next + update * s->h[u];
    } else {
      s->h[u] = cell == GT_CELL_RNN_TANH ? tanh(a) : fmax(a, 0);
    }
  }
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape gates = v->shape[X_GATES];
  const int64_t steps = gates.dim[0], batch = gates.dim[1], units = v->shape[X_WEIGHT].dim[1];
  const gt_shape outputs = {.rank = 3, .dim = {steps, batch, units}};
  if (!y) return has(v, LAST) ? gt_shape_2(batch, units) : outputs;
  memset(y, 0, (size_t)(has(v, LAST) ? 1 : steps) * (size_t)(batch * units) * sizeof *y);
  for (int64_t b = 0; b < batch; b++) {
    const int64_t length = has(v, LENGTHS) ? (int64_t)x[X_BIAS + has(v, BIASED)][b] : steps;
    row_state s = {{0}, {0}};
    for (int64_t n = 0; n < length; n++) {
      const int64_t t = has(v, REVERSE) ? length - 1 - n : n;
      advance(cell_of(v), units, x[X_GATES] + (t * batch + b) * gates.dim[2], x[X_WEIGHT],
              has(v, BIASED) ? x[X_BIAS] : NULL, &s);
      memcpy(y + (has(v, LAST) ? b : t * batch + b) * units, s.h, (size_t)units * sizeof *y);
    }
  }
  return has(v, LAST) ? gt_shape_2(batch, units) : outputs;
}

#define RULE(rule, rule_name, inputs, least, most)              \
  static const gt_case_rule rule = {.name = rule_name,          \
                                    .build = build,             \
                                    .reference = reference,     \
                                    .wrt = inputs,              \
                                    .flat = true,               \
                                    .tolerance = 4e-6,          \
                                    .gradient_tolerance = 4e-5, \
                                    .low = least,               \
                                    .high = most,               \
                                    .reason = "each step adds its rounding"}
RULE(plain, "recurrent", 1 << X_GATES | 1 << X_WEIGHT, -1, 1);
RULE(biased, "recurrent_biased", 1 << X_GATES | 1 << X_WEIGHT | 1 << X_BIAS, -1, 1);
/* Smaller weights, so that the sums of many units are not saturated and many steps do not overflow. */
RULE(wide, "recurrent_wide", 1 << X_GATES | 1 << X_WEIGHT, -0.2, 0.2);

#define LSTM GT_CELL_LSTM
#define GRU  GT_CELL_GRU
#define TANH GT_CELL_RNN_TANH
#define RELU GT_CELL_RNN_RELU
static const gt_case cases[] = {
    {&plain, "1,1,12 12,3", {LSTM}},
    {&plain, "2,3,12 12,3", {LSTM, true}, .more = true},
    {&plain, "17,5,12 12,3 i5", {LSTM, false, false, true}, .v = 18, .more = true},
    {&plain, "17,5,12 12,3 i5", {LSTM, true, false, true}, .v = 18},
    {&plain, "5,9,20 20,5", {LSTM, false, false, false, true}, .more = true},
    {&plain, "5,9,20 20,5 i9", {LSTM, true, false, true, true}, .v = 6},
    {&biased, "2,3,9 9,3 9", {GRU, false, true}, .more = true},
    {&biased, "17,5,9 9,3 9 i5", {GRU, true, true, true}, .v = 18},
    {&biased, "4,9,15 15,5 15", {GRU, true, true, false, true}, .more = true},
    {&plain, "3,5,9 9,3 i5", {GRU, false, false, true}, .v = 4},
    {&plain, "1,2,9 9,3", {GRU, true}, .more = true},
    {&plain, "5,5,3 3,3 i5", {TANH, false, false, true}, .v = 6, .more = true},
    {&plain, "4,9,5 5,5", {TANH, true, false, false, true}},
    {&plain, "3,5,3 3,3", {RELU, true}, .more = true},
    {&plain, "3,5,3 3,3 i5", {RELU, false, false, true}, .v = 4},
    {&wide, "2,7,132 132,33", {LSTM}},
    {&wide, "2,13,99 99,33 i13", {GRU, true, false, true}, .v = 3, .more = true},
    {&wide, "2,5,520 520,130", {LSTM, true}, .more = true},
    {&wide, "3,9,390 390,130", {GRU}, .more = true},
    {&wide, "3,35,130 130,130", {TANH}, .more = true},
    {&wide, "1024,1,12 12,3", {LSTM, true}, .more = true},
    {&wide, "1023,3,6 6,2 i3", {GRU, false, false, true}, .v = 1024, .more = true},
};
GT_CASES(recurrent, cases);

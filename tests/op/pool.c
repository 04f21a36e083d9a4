/* Cases (op/case.h) of pooling and its gradients. */
#include "op/pool.h"
#include "op/autodiff.h"
#include "base/memory.h"
#include "op/case.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, pool)

/* p[0]: the pooling; then three values each, one per spatial axis: windows (or outputs, for adaptive
 * pooling), strides, padding, dilation; then ceil_mode and count_include_pad. v: divisor. */
enum { MAX, AVERAGE, ADAPTIVE_MAX, ADAPTIVE_AVERAGE };
enum { WINDOW = 1, STRIDE = 4, PADDING = 7, DILATION = 10, CEIL = 13, INCLUDE = 14 };

static bool is_adaptive(const gt_case_view *v) { return v->c->p[0] >= ADAPTIVE_MAX; }
static bool averages(const gt_case_view *v) { return v->c->p[0] % 2; }

static gt_pool_attribute attribute_of(const gt_case_view *v) {
  const int64_t *p = v->c->p;
  gt_pool_attribute a = {.axes = v->shape[0].rank - 2,
                         .ceil_mode = p[CEIL],
                         .count_include_pad = p[INCLUDE],
                         .divisor = v->c->v};
  if (is_adaptive(v)) return gt_pool_adaptive(v->shape[0], p + WINDOW);
  for (int k = 0; k < a.axes; k++) {
    a.window[k] = p[WINDOW + k];
    a.stride[k] = p[STRIDE + k];
    a.padding[k] = p[PADDING + k];
    a.dilation[k] = p[DILATION + k];
  }
  return a;
}

/* --- the reference: axis by axis, as in PyTorch's documentation ----------------------------------------- */

static int64_t outputs(const gt_case_view *v, int k) {
  const int64_t *p = v->c->p, size = v->shape[0].dim[1 + k];
  if (is_adaptive(v)) return p[WINDOW + k];
  const double span = (double)(size + 2 * p[PADDING + k] - p[DILATION + k] * (p[WINDOW + k] - 1) - 1);
  double n = span / (double)p[STRIDE + k] + 1;
  n = p[CEIL] ? ceil(n) : floor(n);
  while (p[CEIL] && (n - 1) * (double)p[STRIDE + k] >= (double)(size + p[PADDING + k])) n--;
  return (int64_t)n;
}

/* True if element i of axis k is in window o; i may be in the padding. */
static bool lies_in(const gt_case_view *v, int k, int64_t o, int64_t i) {
  const int64_t *p = v->c->p, size = v->shape[0].dim[1 + k];
  if (is_adaptive(v)) {
    const double each = (double)size / (double)p[WINDOW + k];
    return i >= 0 && i < size && i >= (int64_t)floor((double)o * each + 1e-9) &&
           i < (int64_t)ceil((double)(o + 1) * each - 1e-9);
  }
  const int64_t distance = i - (o * p[STRIDE + k] - p[PADDING + k]);
  return distance >= 0 && distance % p[DILATION + k] == 0 && distance / p[DILATION + k] < p[WINDOW + k];
}

static gt_shape shape_of(const gt_case_view *v) {
  gt_shape out = v->shape[0];
  for (int k = 0; k < out.rank - 2; k++) out.dim[1 + k] = outputs(v, k);
  return out;
}

/* Position `index` in a shape [batch, axes…, channels], padded with leading axes of length 1 to three. */
static void place_of(gt_shape shape, int64_t index, int64_t at[5]) {
  at[4] = index % shape.dim[shape.rank - 1];
  index /= shape.dim[shape.rank - 1];
  for (int k = 3; k >= 1; k--) {
    const int d = shape.rank - 1 - (4 - k);
    at[k] = d >= 1 ? index % shape.dim[d] : 0;
    if (d >= 1) index /= shape.dim[d];
  }
  at[0] = index;
}

typedef struct window {
  double sum, count, largest;
  int64_t place; /* of the largest; -1: none */
} window;

/* What window number `index` of the result contains. */
static window window_at(const gt_case_view *v, const double *x, int64_t index) {
  const gt_shape in = v->shape[0], out = shape_of(v);
  const int axes = in.rank - 2;
  int64_t at[5], low[3] = {0}, high[3] = {1, 1, 1}, i[3];
  window w = {.largest = -INFINITY, .place = -1};
  place_of(out, index, at);
  for (int k = 3 - axes; k < 3; k++) { /* includes the padding, but not the extension by ceil_mode */
    low[k] = -v->c->p[PADDING + k - 3 + axes] * !is_adaptive(v);
    high[k] = in.dim[1 + k - 3 + axes] - low[k];
    if (is_adaptive(v)) continue;
    const int64_t *p = v->c->p + k - 3 + axes, begin = at[1 + k] * p[STRIDE] - p[PADDING];
    low[k] = begin; /* the first window starts in the padding */
    if (high[k] > begin + (p[WINDOW] - 1) * p[DILATION] + 1)
      high[k] = begin + (p[WINDOW] - 1) * p[DILATION] + 1;
  }
  for (i[0] = low[0]; i[0] < high[0]; i[0]++)
    for (i[1] = low[1]; i[1] < high[1]; i[1]++)
      for (i[2] = low[2]; i[2] < high[2]; i[2]++) {
        bool member = true, inside = true;
        int64_t from = at[0];
        for (int k = 3 - axes; member && k < 3; k++) {
          const int64_t size = in.dim[1 + k - 3 + axes];
          member = lies_in(v, k - 3 + axes, at[1 + k], i[k]);
          inside &= i[k] >= 0 && i[k] < size;
          from = from * size + i[k];
        }
        if (!member) continue;
        w.count += inside || v->c->p[INCLUDE];
        if (!inside) continue;
        from = from * in.dim[in.rank - 1] + at[4];
        w.sum += x[from];
        if (w.place >= 0 && !(x[from] > w.largest) && !isnan(x[from])) continue;
        w.largest = x[from];
        w.place = from;
      }
  if (v->c->v > 0) w.count = v->c->v;
  return w;
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = shape_of(v);
  for (int64_t o = 0; y && o < gt_shape_count(out); o++) {
    const window w = window_at(v, x[0], o);
    y[o] = averages(v) ? w.sum / w.count : w.largest;
  }
  return out;
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_pool_attribute a = attribute_of(v);
  return averages(v) ? gt_avg_pool(g, x[0], &a) : gt_max_pool(g, x[0], &a, v->c->rule->wrt != 0);
}

/* The gradient of the pool's input as a value; x[1] is the gradient of its output. Among equal maxima the
 * first one gets all of it. */
static gt_shape reference_ties(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = 0;
  for (int64_t o = 0; y && o < gt_shape_count(shape_of(v)); o++) {
    const window w = window_at(v, x[0], o);
    if (w.place >= 0) y[w.place] += x[1][o];
  }
  return v->shape[0];
}

static gt_id gradient_of(gt_graph *g, const gt_case_view *v, gt_id x, gt_id output_gradient,
                         bool differentiated) {
  const gt_pool_attribute a = attribute_of(v);
  const gt_id y = gt_max_pool(g, x, &a, differentiated);
  gt_id gradient = GT_NONE;
  gt_autodiff(g, gt_sum(g, gt_mul(g, y, output_gradient), 0, false), &x, 1, &gradient, &g->error);
  return gradient;
}

static gt_id build_ties(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gradient_of(g, v, x[0], x[1], true);
}

/* The same if the pool was built without `differentiated`. */
static gt_id build_undeclared(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gradient_of(g, v, x[0], x[1], false);
}

/* Logarithms of x, including -infinity and NaN: the value of the pool or, with input 1, its gradient. */
static gt_shape reference_logarithms(const gt_case_view *v, const double *const *x, double *y) {
  enum { MAX_VALUES = 4096 };
  double logs[MAX_VALUES];
  const double *input[] = {logs, x[1]};
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) logs[i] = x[0][i] < 0 ? NAN : log(x[0][i]);
  return (v->inputs == 2 ? reference_ties : reference)(v, input, y);
}

static gt_id build_logarithms(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_pool_attribute a = attribute_of(v);
  const gt_id logs = gt_log(g, x[0]);
  return v->inputs == 2 ? gradient_of(g, v, logs, x[1], true) : gt_max_pool(g, logs, &a, false);
}

/* After an activation and a factor for each channel, into whose gradients the pool's may be fused. */
static gt_shape reference_after_activation(const gt_case_view *v, const double *const *x, double *y) {
  double *active = gt_alloc((size_t)gt_shape_count(v->shape[0]) * sizeof *active);
  const double *input[] = {active};
  const int64_t channels = v->shape[1].dim[0];
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    active[i] = fmax(x[0][i], 0) * x[1][i % channels];
  const gt_shape shape = reference(v, input, y);
  free(active);
  return shape;
}

static gt_id build_after_activation(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_pool_attribute a = attribute_of(v);
  const gt_id active = gt_mul(g, gt_relu(g, x[0]), x[1]);
  return averages(v) ? gt_avg_pool(g, active, &a) : gt_max_pool(g, active, &a, true);
}

#define RULE(name_, op, build_, reference_, ...) \
  static const gt_case_rule name_ = {.name = op, .build = build_, .reference = reference_, __VA_ARGS__}
RULE(max, "max_pool", build, reference, .wrt = 1, .gradient_tolerance = 4e-6, .reason = "a copy");
RULE(plain, "max_pool", build, reference, .reason = "a copy");
RULE(average, "avg_pool", build, reference, .wrt = 1, .tolerance = 4e-6,
     .reason = "sums of hundreds of values");
RULE(ties, "max_pool_gradient", build_ties, reference_ties, .tolerance = 2e-6,
     .reason = "sums of a few values");
RULE(undeclared, "max_pool_gradient", build_undeclared, reference_ties, .tolerance = 2e-6,
     .reason = "sums of a few values");
RULE(after_activation, "pool_between", build_after_activation, reference_after_activation, .wrt = 3,
     .tolerance = 4e-6, .gradient_tolerance = 2e-5, .reason = "sums of hundreds of values");
RULE(logarithms, "max_pool", build_logarithms, reference_logarithms, .tolerance = 2e-6, .floor = 0.1,
     .reason = "logarithms");

/* SAME: equal windows, strides, padding and dilation on all axes; EACH: the values of p. */
#define SAME(rule, what, shape, w, s, pad, dil, ceil, include)                            \
  {                                                                                       \
    &rule, shape, { what, w, w, w, s, s, s, pad, pad, pad, dil, dil, dil, ceil, include } \
  }
#define EACH(rule, shape, ...)    \
  {                               \
    &rule, shape, { __VA_ARGS__ } \
  }
#define BOTH(shape, w, s, pad, ceil)                                                                  \
  SAME(max, MAX, shape, w, s, pad, 1, ceil, 0), SAME(average, AVERAGE, shape, w, s, pad, 1, ceil, 0), \
      SAME(average, AVERAGE, shape, w, s, pad, 1, ceil, 1)
#define ADAPT(shape, d, h, w) \
  EACH(max, shape, ADAPTIVE_MAX, d, h, w), EACH(average, shape, ADAPTIVE_AVERAGE, d, h, w)

static const gt_case cases[] = {
    BOTH("1,1,1", 1, 1, 0, 0),
    BOTH("1,1,1,1", 1, 3, 0, 1),
    BOTH("2,6,4", 2, 2, 0, 0),
    BOTH("3,7,5", 3, 2, 1, 0),
    BOTH("3,8,5", 3, 2, 1, 1),
    BOTH("2,4,4,4", 2, 2, 0, 0),
    BOTH("2,5,7,8", 2, 2, 0, 1),
    BOTH("2,7,5,3", 3, 2, 1, 0),
    BOTH("2,7,6,12", 3, 2, 1, 1),
    BOTH("3,5,5,1", 3, 1, 1, 0),
    BOTH("1,11,13,4", 2, 5, 1, 1),
    BOTH("2,2,2,4", 3, 2, 0, 1),
    BOTH("1,9,9,260", 3, 3, 0, 0),
    BOTH("2,4,6,5,3", 2, 2, 0, 0),
    BOTH("1,5,4,7,8", 3, 2, 1, 1),
    BOTH("1,3,3,3,5", 3, 1, 1, 0),
    BOTH("5,37,41,8", 5, 3, 2, 1),
    BOTH("2,33,35,4", 17, 4, 8, 0), /* more positions than a byte can index */
    BOTH("1,19,4", 19, 19, 0, 0),
    BOTH("2,5,3", 31, 3, 15, 0), /* more padding than image */
    SAME(max, MAX, "1,29,40,4", 21, 5, 10, 2, 1, 0),
    SAME(plain, MAX, "1,3,4", 4001, 1, 2000, 1, 0, 0),
    BOTH("40,10,10,32", 2, 2, 0, 0), /* more than a tile */
    SAME(max, MAX, "2,9,4", 3, 1, 1, 2, 0, 0),
    SAME(max, MAX, "2,9,10,4", 3, 2, 1, 3, 1, 0),
    SAME(max, MAX, "2,11,9,5", 2, 3, 1, 4, 0, 0),
    SAME(max, MAX, "1,7,8,9,4", 3, 2, 1, 2, 1, 0),
    EACH(max, "2,9,10,4", MAX, 2, 3, 0, 1, 2, 0, 0, 1, 0, 2, 1, 0, 1),
    EACH(max, "2,5,9,7,3", MAX, 1, 4, 2, 2, 3, 1, 0, 2, 1, 1, 2, 3, 1),
    EACH(average, "2,9,10,4", AVERAGE, 2, 3, 0, 1, 2, 0, 0, 1, 0, 1, 1, 0, 1, 1),
    EACH(average, "2,5,9,7,3", AVERAGE, 1, 4, 2, 2, 3, 1, 0, 2, 1, 1, 1, 1, 0),
    {&average, "2,5,7,4", {AVERAGE, 3, 2, 0, 2, 2, 0, 1, 1, 0, 1, 1, 0, 1, 1}, 2.5},
    ADAPT("2,7,3", 1, 0, 0),
    ADAPT("2,7,4", 7, 0, 0),
    ADAPT("3,11,5", 4, 0, 0),
    ADAPT("2,5,8", 9, 0, 0),
    ADAPT("2,8,6,4", 4, 2, 0),
    ADAPT("2,7,10,4", 3, 4, 0),
    ADAPT("2,13,5,3", 5, 7, 0),
    ADAPT("2,5,7,3,8", 2, 3, 2),
    ADAPT("1,70,3,4", 3, 1, 0),
    SAME(plain, MAX, "2,9,7,4", 3, 2, 1, 1, 1, 0),
    SAME(plain, MAX, "g2,9,7,5", 2, 2, 0, 1, 1, 0),
    SAME(ties, MAX, "g2,9,4 2,8,4", 2, 1, 0, 1, 0, 0),
    SAME(ties, MAX, "g3,9,7,8 3,5,4,8", 3, 2, 1, 1, 0, 0),
    SAME(ties, MAX, "g3,9,7,5 3,5,4,5", 3, 2, 1, 1, 0, 0),
    SAME(ties, MAX, "g2,8,8,4 2,4,4,4", 2, 2, 0, 1, 0, 0),
    SAME(ties, MAX, "g1,20,20,4 1,2,2,4", 17, 2, 0, 1, 0, 0),
    EACH(ties, "g2,7,5,4 2,3,2,4", ADAPTIVE_MAX, 3, 2),
    SAME(undeclared, MAX, "g3,9,7,4 3,5,4,4", 3, 2, 1, 1, 0, 0),
    SAME(logarithms, MAX, "g3,9,7,4", 3, 2, 1, 1, 0, 0),
    SAME(logarithms, MAX, "g3,9,7,3", 2, 2, 0, 1, 0, 0),
    SAME(logarithms, MAX, "g3,9,7,4 3,5,4,4", 3, 2, 1, 1, 0, 0),
    SAME(after_activation, MAX, "2,7,5,1 1", 3, 2, 1, 1, 0, 0),
    SAME(after_activation, MAX, "2,7,5,3 3", 2, 2, 0, 1, 1, 0),
    SAME(after_activation, MAX, "2,8,6,8 8", 2, 2, 0, 1, 0, 0),
    SAME(after_activation, AVERAGE, "3,9,7,6 6", 3, 2, 1, 1, 1, 1),
    SAME(after_activation, MAX, "2,9,11,132 132", 3, 2, 1, 1, 0, 0),
    SAME(after_activation, AVERAGE, "2,9,7,130 130", 2, 2, 0, 1, 0, 0),
    SAME(after_activation, MAX, "3,5,4100 4100", 2, 2, 0, 1, 1, 0),
    SAME(after_activation, MAX, "1,3,65540 65540", 2, 1, 0, 1, 0, 0),
    SAME(after_activation, AVERAGE, "20,20,20,4 4", 2, 2, 0, 1, 0, 0),
    SAME(after_activation, MAX, "5,4,4,64 64", 4, 4, 0, 1, 0, 0),                  /* one window */
    {&logarithms, "g1,3,4 1,1,4", {MAX, 3, 0, 0, 3, 0, 0, 0, 0, 0, 1}, 0, 0, 0.4}, /* all -infinity */
};
GT_CASES(pool, cases);

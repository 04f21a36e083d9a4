/* Cases (op/case.h) of random graphs: chains of elementwise ops with broadcasting around products, reductions
 * and softmax, to test fusion and the planner. p[0]: seed; p[1]: 1: also pooling of rows, and its reverse. A
 * recipe is drawn as a list of lines, each one op; the graph is built from it, and the reference
 * interprets it independently. */
#include "base/philox.h"
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/pool.h"
#include "op/reduce.h"
#include "op/softmax.h"
#include "op/spread.h"
#include "selftest/reference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

GT_REGISTER(opcase, fuzz)

enum { LINES = 28, VALUES = 40 };
enum {
  ADD,
  SUB,
  MUL,
  MAX,
  MIN,
  TANH,
  SIN,
  SIGMOID,
  NEG,
  RELU,
  SOFT_SQRT,
  HALF,
  MATMUL,
  MEAN,
  SOFTMAX,
  RESHAPE,
  POOL_MEAN,
  POOL_MAX,
  SPREAD
};

typedef struct line {
  int op, a, b;   /* a, b: operands, as numbers of values: inputs first, then results of lines */
  int axis;       /* of a reduction */
  int window;     /* number of rows of a pooling window, or copies of a row */
  gt_shape shape; /* of the result */
} line;

typedef struct recipe {
  int inputs, lines;
  line line[LINES];
} recipe;

typedef struct dice {
  uint64_t seed;
  uint32_t rolls;
} dice;

static int roll(dice *d, int sides) {
  return (int)(gt_random_bits(d->seed, 1, 0, d->rolls++) % (uint32_t)sides);
}

static gt_shape shape_at(const recipe *r, const gt_case_view *v, int value) {
  return value < r->inputs ? v->shape[value] : r->line[value - r->inputs].shape;
}

/* A random operand. Recent values are more likely, which makes chains; old values are also used, which makes
 * values with several consumers. */
static int pick(dice *d, const recipe *r) {
  const int values = r->inputs + r->lines;
  const int back = roll(d, 3) ? roll(d, values < 4 ? values : 4) : roll(d, values);
  return values - 1 - back;
}

/* False if the drawn op and operands do not match. */
static bool draw_line(dice *d, const recipe *r, const gt_case_view *v, line *l) {
  memset(l, 0, sizeof *l);
  const int kind = roll(d, 20);
  l->a = pick(d, r), l->b = pick(d, r);
  const gt_shape a = shape_at(r, v, l->a), b = shape_at(r, v, l->b);
  l->op = kind < 8    ? roll(d, 5)
          : kind < 14 ? TANH + roll(d, 7)
          : kind < 17 ? MATMUL
          : kind < 18 ? MEAN
          : kind < 19 ? SOFTMAX
                      : RESHAPE;
  l->shape = a;
  if (l->op <= MIN) {
    if (!gt_shape_broadcast(a, b, &l->shape)) return false;
    return gt_shape_count(l->shape) <= 20000;
  }
  if (l->op == MATMUL) {
    if (a.rank != 2 || b.rank != 2 || a.dim[1] != b.dim[0]) return false;
    l->shape.dim[1] = b.dim[1];
  }
  if (l->op == MEAN) {
    if (a.rank == 0) return false;
    l->axis = roll(d, a.rank);
    l->shape.dim[l->axis] = 1;
  }
  if (l->op == SOFTMAX) {
    if (a.rank == 0) return false;
    l->axis = a.rank - 1;
  }
  if (l->op == RESHAPE) {
    if (a.rank != 2) return false;
    l->shape = gt_shape_2(a.dim[1], a.dim[0]);
  }
  return true;
}

/* The same for pooling ops. A matrix is an image with one spatial axis, its rows; columns are channels. */
static bool draw_window(dice *d, const recipe *r, const gt_case_view *v, line *l) {
  memset(l, 0, sizeof *l);
  l->op = POOL_MEAN + roll(d, 3);
  l->a = pick(d, r);
  l->shape = shape_at(r, v, l->a);
  l->window = 2 + roll(d, 2);
  if (l->shape.rank != 2) return false;
  if (l->op == SPREAD) {
    const bool several = l->shape.dim[0] > 1;
    l->shape.dim[0] *= l->window;
    return several && l->shape.dim[0] <= v->shape[0].dim[0];
  }
  if (l->shape.dim[0] % l->window) return false;
  l->shape.dim[0] /= l->window;
  return true;
}

static void draw_recipe(const gt_case_view *v, recipe *r) {
  dice d = {(uint64_t)v->c->p[0] * 7919 + 1, 0};
  memset(r, 0, sizeof *r);
  r->inputs = v->inputs;
  for (int tries = 0; r->lines < 6 + (int)(v->c->p[0] % (LINES - 6)) && tries < 1000; tries++)
    if (v->c->p[1] && !roll(&d, 3) ? draw_window(&d, r, v, &r->line[r->lines])
                                   : draw_line(&d, r, v, &r->line[r->lines]))
      r->lines++;
}

/* True if no line reads the value. The graph's result adds the means of all these values and of the inputs,
 * so that each of them matters. */
static bool is_unused(const recipe *r, int value) {
  for (int i = 0; i < r->lines; i++)
    if (r->line[i].a == value || (r->line[i].b == value && (r->line[i].op <= MIN || r->line[i].op == MATMUL)))
      return false;
  return true;
}

static gt_id build_window(gt_graph *g, const line *l, gt_id a) {
  const gt_shape from = gt_node_at(g, a)->shape, to = l->shape;
  const gt_pool_attribute pool = {.axes = 1, .window = {l->window}, .stride = {l->window}, .dilation = {1}};
  const gt_shape image = {.rank = 3, .dim = {1, from.dim[0], from.dim[1]}},
                 spread = {.rank = 3, .dim = {1, to.dim[0], to.dim[1]}};
  const gt_id x = gt_reshape(g, a, image);
  const gt_id y = l->op == POOL_MEAN  ? gt_avg_pool(g, x, &pool)
                  : l->op == POOL_MAX ? gt_max_pool(g, x, &pool, true)
                                      : gt_spread(g, x, spread);
  return gt_reshape(g, y, to);
}

static gt_id build_line(gt_graph *g, const line *l, gt_id a, gt_id b) {
  switch (l->op) {
  case ADD: return gt_add(g, a, b);
  case SUB: return gt_sub(g, a, b);
  case MUL: return gt_tanh(g, gt_mul(g, a, b));
  case MAX: return gt_max(g, a, b);
  case MIN: return gt_min(g, a, b);
  case TANH: return gt_tanh(g, a);
  case SIN: return gt_sin(g, a);
  case SIGMOID: return gt_sigmoid(g, a);
  case NEG: return gt_neg(g, a);
  case RELU: return gt_relu(g, a);
  case SOFT_SQRT: return gt_sqrt(g, gt_add(g, gt_mul(g, a, a), gt_constant(g, 1.0)));
  case HALF: return gt_mul(g, a, gt_constant(g, 0.5));
  case MATMUL: return gt_tanh(g, gt_mul(g, gt_matmul(g, a, b, false, false), gt_constant(g, 0.125)));
  case MEAN: return gt_mean(g, a, 1u << l->axis, true);
  case SOFTMAX: return gt_softmax(g, a, -1);
  case RESHAPE: return gt_reshape(g, a, l->shape);
  default: return build_window(g, l, a);
  }
}

static gt_id build_fuzz(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  recipe r;
  gt_id value[VALUES], result = GT_NONE;
  draw_recipe(v, &r);
  for (int k = 0; k < r.inputs; k++) value[k] = x[k];
  for (int i = 0; i < r.lines; i++)
    value[r.inputs + i] = build_line(g, &r.line[i], value[r.line[i].a], value[r.line[i].b]);
  for (int i = 0; i < r.inputs + r.lines; i++) {
    if (i >= r.inputs && !is_unused(&r, i)) continue;
    const gt_id mean = gt_mean(g, value[i], 0, false);
    result = result == GT_NONE ? mean : gt_add(g, result, mean);
  }
  return gt_add(g, value[r.inputs + r.lines - 1], result);
}

static double scalar_line(int op, double a, double b) {
  switch (op) {
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return tanh(a * b);
  case MAX: return a > b ? a : b;
  case MIN: return a < b ? a : b;
  case TANH: return tanh(a);
  case SIN: return sin(a);
  case SIGMOID: return 1 / (1 + exp(-a));
  case NEG: return -a;
  case RELU: return a > 0 ? a : 0;
  case SOFT_SQRT: return sqrt(a * a + 1);
  case HALF: return a / 2;
  default: return a;
  }
}

static void softmax_rows(const double *a, double *y, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; row++) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += y[row * n + i] = exp(a[row * n + i]);
    for (int64_t i = 0; i < n; i++) y[row * n + i] /= sum;
  }
}

static void interpret_window(const line *l, const double *a, double *y) {
  const int64_t n = l->shape.dim[1];
  for (int64_t i = 0; i < gt_shape_count(l->shape); i++) {
    const int64_t row = i / n, column = i % n;
    if (l->op == SPREAD) {
      y[i] = a[row / l->window * n + column];
      continue;
    }
    double sum = 0, largest = -INFINITY;
    for (int64_t w = row * l->window; w < (row + 1) * l->window; w++) {
      sum += a[w * n + column];
      largest = fmax(largest, a[w * n + column]);
    }
    y[i] = l->op == POOL_MEAN ? sum / l->window : largest;
  }
}

static void interpret(const line *l, const double *a, gt_shape shape_a, const double *b, gt_shape shape_b,
                      double *y) {
  const int64_t count = gt_shape_count(l->shape);
  if (l->op == MATMUL) {
    const int64_t k = shape_a.dim[1], n = shape_b.dim[1];
    for (int64_t i = 0; i < count; i++) {
      double sum = 0;
      for (int64_t q = 0; q < k; q++) sum += a[i / n * k + q] * b[q * n + i % n];
      y[i] = tanh(sum / 8);
    }
  } else if (l->op == MEAN) {
    for (int64_t i = 0; i < count; i++) y[i] = 0;
    for (int64_t i = 0; i < gt_shape_count(shape_a); i++)
      y[gt_reference_broadcast(shape_a, l->shape, i)] += a[i] / (double)shape_a.dim[l->axis];
  } else if (l->op == SOFTMAX) {
    softmax_rows(a, y, count / l->shape.dim[l->axis], l->shape.dim[l->axis]);
  } else if (l->op >= POOL_MEAN) {
    interpret_window(l, a, y);
  } else if (l->op <= MIN) {
    for (int64_t i = 0; i < count; i++)
      y[i] = scalar_line(l->op, a[gt_reference_broadcast(l->shape, shape_a, i)],
                         b[gt_reference_broadcast(l->shape, shape_b, i)]);
  } else {
    for (int64_t i = 0; i < count; i++) y[i] = scalar_line(l->op, a[i], 0);
  }
}

static gt_shape reference_fuzz(const gt_case_view *v, const double *const *x, double *y) {
  recipe r;
  draw_recipe(v, &r);
  const gt_shape out = shape_at(&r, v, r.inputs + r.lines - 1);
  if (!y) return out;
  double *value[VALUES], result = 0;
  for (int i = 0; i < r.inputs + r.lines; i++) {
    const int64_t count = gt_shape_count(shape_at(&r, v, i));
    value[i] = malloc((size_t)count * sizeof(double));
    if (!value[i]) abort();
    if (i < r.inputs) {
      memcpy(value[i], x[i], (size_t)count * sizeof(double));
    } else {
      const line *l = &r.line[i - r.inputs];
      interpret(l, value[l->a], shape_at(&r, v, l->a), value[l->b], shape_at(&r, v, l->b), value[i]);
    }
    if (i >= r.inputs && !is_unused(&r, i)) continue;
    for (int64_t e = 0; e < count; e++) result += value[i][e] / (double)count;
  }
  for (int64_t e = 0; e < gt_shape_count(out); e++) y[e] = value[r.inputs + r.lines - 1][e] + result;
  for (int i = 0; i < r.inputs + r.lines; i++) free(value[i]);
  return out;
}

#define FUZZ(label, called)                                       \
  static const gt_case_rule label = {.name = called,              \
                                     .build = build_fuzz,         \
                                     .reference = reference_fuzz, \
                                     .wrt = 15,                   \
                                     .low = -1,                   \
                                     .high = 1,                   \
                                     .tolerance = 4e-5,           \
                                     .floor = 1,                  \
                                     .gradient_tolerance = 4e-4,  \
                                     .reason = "errors of many ops add up"}

FUZZ(fuzz, "fuzz");
FUZZ(windows, "fuzz_windows");

/* FIVE: cases of the seeds n to n + 4; WINDOWS: of n to n + 2, with pooling. All but the first are `more`;
 * with MORE_, all are. */
#define MORE(rule, shapes, ...) \
  { &rule, shapes, {__VA_ARGS__}, .more = true }
#define FIVE_OF(is_more, shapes, n)                                                            \
  {&fuzz, shapes, {n}, .more = is_more}, MORE(fuzz, shapes, n + 1), MORE(fuzz, shapes, n + 2), \
      MORE(fuzz, shapes, n + 3), MORE(fuzz, shapes, n + 4)
#define WINDOWS_OF(is_more, shapes, n)                                          \
  {&windows, shapes, {n, 1}, .more = is_more}, MORE(windows, shapes, n + 1, 1), \
      MORE(windows, shapes, n + 2, 1)
#define FIVE(shapes, n)         FIVE_OF(false, shapes, n)
#define MORE_FIVE(shapes, n)    FIVE_OF(true, shapes, n)
#define WINDOWS(shapes, n)      WINDOWS_OF(false, shapes, n)
#define MORE_WINDOWS(shapes, n) WINDOWS_OF(true, shapes, n)

static const gt_case cases[] = {
    WINDOWS("12,8 8,12 8 12,1", 101),
    MORE_WINDOWS("12,8 8,12 8 12,1", 104),
    MORE_WINDOWS("12,8 8,12 8 12,1", 107),
    WINDOWS("72,12 12,72 12 36,12", 110),
    MORE_WINDOWS("72,12 12,72 12 36,12", 113),
    WINDOWS("64,20 20,20 32,20 1,20", 116),
    WINDOWS("18,5 5,18 9,5 6,5", 119),
    WINDOWS("16,132 132,132 8,132 4,132", 125),
    FIVE("5,7 7,5 7 5,1", 1),
    MORE_FIVE("5,7 7,5 7 5,1", 6),
    FIVE("5,7 7,5 7 5,1", 11),
    MORE_FIVE("5,7 7,5 7 5,1", 16),
    FIVE("33,65 65,33 65 1,33", 31),
    MORE_FIVE("33,65 65,33 65 1,33", 36),
    FIVE("67,130 130,10 10 67,1", 41),
    FIVE("67,130 130,10 130 -", 46),
    FIVE("1,9 9,1 9 -", 51),
    FIVE("40,40 40,40 40,40 40", 56),
    MORE_FIVE("40,40 40,40 40,40 40", 61),
    FIVE("2,3,4 3,1 4 2,1,4", 66),
    FIVE("2,3,4 3,1 4 -", 71),
    FIVE("128,64 64,10 10 128,10", 76),
};
GT_CASES(fuzz, cases);

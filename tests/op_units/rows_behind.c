/* Row programs in the epilogue of a product (shaders/op/matmul/rows_behind.glsl): a norm, with the values
 * that its gradient reads, and a softmax. They are compared with their formulas in double precision, applied
 * to the product that the same run has written: rows and columns that fill tiles or not, numbers of columns
 * that are not multiples of 4, split-K, some of the candidates for such a product, rows that are too long for
 * an epilogue. */
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "support/choice.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct problem {
  uint32_t m, n, k;
  bool is_norm;     /* a norm, else a softmax */
  bool in_epilogue; /* the product's kernel must compute it; else a kernel of its own */
} problem;

enum { MOST = 200 * 2100, A = 0, B, BIAS, GAIN, OFFSET, Y, ROW, OTHER_ROW, OUT, VARIABLES };
enum { UNITS = 132, STRIDE = 4, STRIDE_ON_SOFTWARE = 17 /* one candidate in this many is tested */ };
static const double EPSILON = 1e-5;
static float value[VARIABLES][MOST];

static gt_shape shape_of(const problem *p, int v) {
  return v == A               ? gt_shape_2(p->m, p->k)
         : v == B             ? gt_shape_2(p->k, p->n)
         : v <= OFFSET        ? gt_shape_1(p->n)
         : v == Y || v == OUT ? gt_shape_2(p->m, p->n)
                              : gt_shape_2(p->m, 1);
}

static void draw(const problem *p) {
  for (int v = A; v <= OFFSET; v++)
    for (uint32_t i = 0; i < gt_shape_count(shape_of(p, v)); i++)
      value[v][i] = (float)gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 0.5f;
  if (p->m > 9) value[A][9 * p->k] = NAN;
}

/* Layer norm: y minus its mean, times the reciprocal of its deviation, then GAIN and OFFSET. */
static void build_norm(gt_graph *g, gt_id y, const gt_id *input, gt_id row[2], gt_id *out) {
  row[0] = gt_mean(g, y, 2, true);
  const gt_id centered = gt_sub(g, y, row[0]), variance = gt_mean(g, gt_mul(g, centered, centered), 2, true);
  row[1] = gt_reciprocal(g, gt_sqrt(g, gt_add(g, variance, gt_constant(g, EPSILON))));
  *out = gt_add(g, gt_mul(g, gt_mul(g, centered, row[1]), input[GAIN]), input[OFFSET]);
}

static void build_softmax(gt_graph *g, gt_id y, gt_id row[2], gt_id *out) {
  row[0] = gt_reduce_max(g, y, 2, true);
  const gt_id e = gt_exp(g, gt_sub(g, y, row[0]));
  row[1] = gt_sum(g, e, 2, true);
  *out = gt_div(g, e, row[1]);
}

static gt_graph *build_graph(gt_arena *arena, const problem *p) {
  static const char *const name[] = {"a", "b", "bias", "gain", "offset", "y", "row", "other_row", "out"};
  gt_graph *g = gt_graph_create(arena);
  gt_id input[VARIABLES], row[2], out;
  gt_graph_set_precision(g, GT_PRECISION_SCALAR);
  for (int v = 0; v < VARIABLES; v++) {
    const uint32_t variable = gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false);
    if (v <= OFFSET) input[v] = gt_variable_read(g, variable);
  }
  const gt_id y = gt_add(g, gt_matmul(g, input[A], input[B], false, false), input[BIAS]);
  if (p->is_norm)
    build_norm(g, y, input, row, &out);
  else
    build_softmax(g, y, row, &out);
  gt_assign(g, Y, 0, y);
  gt_assign(g, ROW, 0, row[0]);
  gt_assign(g, OTHER_ROW, 0, row[1]);
  gt_assign(g, OUT, 0, out);
  return g;
}

/* A pin (support/pin.h): asserts p->in_epilogue. */
static void pin_plan(const gt_plan *plan, const problem *p) {
  bool in_epilogue = false, has_own_kernel = false;
  for (uint32_t s = 0; s < plan->steps; s++) {
    has_own_kernel |= !strcmp(plan->step[s].kernel->name, "rows");
    in_epilogue |= !strcmp(plan->step[s].kernel->name, "matmul") &&
                   plan->step[s].spec[GT_FACTOR_SPEC_FOLLOWED] == GT_FOLLOWED_BY_ROWS;
  }
  assert_int_equal(in_epilogue, p->in_epilogue);
  assert_int_equal(has_own_kernel, !p->in_epilogue);
}

/* Fails unless `got` is `want` up to rounding, relative to `scale`: the sum of the absolute values of the
 * terms. candidate: the tested one. */
static void check_to(const problem *p, const char *candidate, const char *what, uint32_t i, double got,
                     double want, double scale) {
  if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 2e-6 * scale))
    fail_msg("%s, %ux%ux%u: %s %u is %.9g, should be %.9g", candidate, p->m, p->n, p->k, what, i, got, want);
}

static void check_value(const problem *p, const char *candidate, const char *what, uint32_t i, double got,
                        double want) {
  check_to(p, candidate, what, i, got, want, 2 * (1 + fabs(want)));
}

static void check_product(const problem *p, const char *candidate, uint32_t r) {
  for (uint32_t j = 0; j < p->n; j++) {
    double sum = (double)value[BIAS][j], magnitudes = fabs(sum);
    for (uint32_t k = 0; k < p->k; k++) {
      const double term = (double)value[A][r * p->k + k] * (double)value[B][k * p->n + j];
      sum += term, magnitudes += fabs(term);
    }
    check_to(p, candidate, "y", r * p->n + j, (double)value[Y][r * p->n + j], sum, magnitudes);
  }
}

static void check_norm(const problem *p, const char *candidate, uint32_t r) {
  const float *y = &value[Y][r * p->n];
  double mean = 0, variance = 0;
  for (uint32_t j = 0; j < p->n; j++) mean += (double)y[j] / p->n;
  for (uint32_t j = 0; j < p->n; j++) variance += ((double)y[j] - mean) * ((double)y[j] - mean) / p->n;
  const double reciprocal = 1 / sqrt(variance + EPSILON);
  check_value(p, candidate, "mean", r, (double)value[ROW][r], mean);
  check_value(p, candidate, "reciprocal deviation", r, (double)value[OTHER_ROW][r], reciprocal);
  for (uint32_t j = 0; j < p->n; j++)
    check_value(p, candidate, "out", r * p->n + j, (double)value[OUT][r * p->n + j],
                ((double)y[j] - mean) * reciprocal * (double)value[GAIN][j] + (double)value[OFFSET][j]);
}

static void check_softmax(const problem *p, const char *candidate, uint32_t r) {
  const float *y = &value[Y][r * p->n];
  double largest = -INFINITY, sum = 0;
  for (uint32_t j = 0; j < p->n; j++) largest = isnan(y[j]) ? NAN : fmax(largest, (double)y[j]);
  for (uint32_t j = 0; j < p->n; j++) sum += exp((double)y[j] - largest);
  check_value(p, candidate, "largest", r, (double)value[ROW][r], largest);
  check_value(p, candidate, "sum", r, (double)value[OTHER_ROW][r], sum);
  for (uint32_t j = 0; j < p->n; j++)
    check_value(p, candidate, "out", r * p->n + j, (double)value[OUT][r * p->n + j],
                exp((double)y[j] - largest) / sum);
}

static void run(const problem *p, const char *key, const char *candidate) {
  gt_arena arena;
  float *values[VARIABLES];
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, p);
  gt_tuned_set(&tuned, key, candidate);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.target.units = UNITS, .tuned = &tuned});
  pin_plan(plan, p);
  memset(value[Y], 0xff, (VARIABLES - Y) * sizeof value[Y]); /* elements that are not written stay NaN */
  for (int v = 0; v < VARIABLES; v++) values[v] = value[v];
  device_run(plan, g, 2, values);
  for (uint32_t r = 0; r < p->m; r++) {
    check_product(p, candidate, r);
    (p->is_norm ? check_norm : check_softmax)(p, candidate, r);
  }
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void check(const problem *p) {
  gt_arena arena;
  char candidate[GT_CANDIDATE_TEXT];
  gt_arena_init(&arena);
  const gt_choice *choice =
      choice_of(device_plan(&arena, build_graph(&arena, p), (gt_plan_options){.target.units = UNITS}), 0);
  assert_non_null(choice);
  draw(p);
  for (uint32_t i = 0; i < choice->candidates; i += is_software() ? STRIDE_ON_SOFTWARE : STRIDE) {
    choice->text(&choice->candidate[i], candidate, sizeof candidate);
    run(p, choice->key, candidate);
  }
  gt_arena_finish(&arena);
}

static void test_norms(void **state) {
  (void)state;
  check(&(problem){64, 32, 64, true, true});
  check(&(problem){67, 20, 31, true, true});
  check(&(problem){33, 17, 130, true, true});
  check(&(problem){70, 32, 2050, true, true});
  check(&(problem){35, 19, 999, true, true});
}

static void test_softmaxes(void **state) {
  (void)state;
  check(&(problem){96, 24, 40, false, true});
  check(&(problem){45, 30, 1100, false, true});
  check(&(problem){1, 2, 3, false, true});
}

/* There is no tile of this width for a device whose kernels should compile quickly. */
static void test_wide(void **state) {
  (void)state;
  if (device->target.brief) return;
  check(&(problem){64, 64, 2050, true, true});
  check(&(problem){50, 61, 1000, false, true});
  check(&(problem){18, 40, 640, true, true});
}

/* Rows that are longer than any tile. */
static void test_own_kernel(void **state) {
  (void)state;
  check(&(problem){67, 200, 31, true, false});
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_norms), cmocka_unit_test(test_softmaxes),
                                     cmocka_unit_test(test_wide), cmocka_unit_test(test_own_kernel)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static gt_precision precision;
  static const device_mode modes[] = {{"as the device is", "", GT_PRECISION_SCALAR},
                                      {"GPUs' code", "straight", GT_PRECISION_SCALAR}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}

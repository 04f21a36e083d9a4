/* Column reductions that products compute in addition to their result. They are compared with sums in double
 * precision of the result that the same run has written or, if it writes none, that an earlier run has
 * written. Tested are whole and partial tiles, split-K, and values that are not finite, on scalar units and
 * on matrix units, emulated if the device has none. If one tile covers all rows and nothing else is written,
 * the sums are final (GT_COLUMNS_WHOLE). A plan is for a given number of multiprocessors, which determines
 * the tiling; the device need not have them. */
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/moments.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "support/choice.h"
#include "support/device.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_matrix.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct problem {
  uint32_t m, n, k, units; /* units: multiprocessors */
  bool split_k;
  const char *candidate; /* text of the candidate to force; NULL: the chosen one */
} problem;

/* Which reductions are computed. SUM, MOMENTS: of the product plus a bias. FIRST: the sum of the product.
 * SECOND: the sum of the product times a norm's normalized input. BOTH: FIRST and SECOND. ONLY: the product
 * itself is not written. */
typedef enum reductions {
  OF_SUM,
  OF_MOMENTS,
  OF_BOTH,
  OF_BOTH_ONLY,
  OF_FIRST_ONLY,
  OF_SECOND,
  OF_SECOND_ONLY,
  FORMS
} reductions;
static const struct {
  uint32_t columns;   /* GT_FACTOR_SPEC_COLUMNS */
  bool first, second; /* which sums there are */
} forms[FORMS] = {
    [OF_SUM] = {GT_COLUMNS_SUM, true, false},
    [OF_MOMENTS] = {GT_COLUMNS_MOMENTS, false, false},
    [OF_BOTH] = {GT_COLUMNS_SUMS, true, true},
    [OF_BOTH_ONLY] = {GT_COLUMNS_SUMS | GT_COLUMNS_PASSING, true, true},
    [OF_FIRST_ONLY] = {GT_COLUMNS_SUM | GT_COLUMNS_PASSING, true, false},
    [OF_SECOND] = {GT_COLUMNS_SUM, false, true},
    [OF_SECOND_ONLY] = {GT_COLUMNS_SUM | GT_COLUMNS_PASSING, false, true},
};

enum { MOST = 4200 * 80, A = 0, B, BIAS, X, OFF, SCALE, C, SUM, SECOND, MEAN, VARIANCE, VARIABLES };
static float value[VARIABLES][MOST], written[MOST]; /* written: the product, of the last run that wrote it */
static gt_precision precision;
static bool on_units;       /* products must be computed on matrix units */
static bool with_nonfinite; /* operands contain an infinity and a NaN */

static gt_shape shape_of(const problem *p, int v) {
  return v == A                   ? gt_shape_2(p->m, p->k)
         : v == B                 ? gt_shape_2(p->k, p->n)
         : v == C || v == X       ? gt_shape_2(p->m, p->n)
         : v == OFF || v == SCALE ? gt_shape_2(p->m, 1)
                                  : gt_shape_1(p->n);
}

static void draw(const problem *p) {
  for (int v = A; v < C; v++)
    for (uint32_t i = 0; i < gt_shape_count(shape_of(p, v)); i++)
      value[v][i] = (float)(3 * gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1) * (v == BIAS ? 200 : 0.3f);
  if (!with_nonfinite) return;
  value[A][3 * p->k + 2] = INFINITY;
  value[B][(p->k - 1) * p->n + 4] = NAN;
}

static gt_graph *build_graph(gt_arena *arena, const problem *p, reductions reduction) {
  static const char *const name[] = {"a", "b",   "bias",   "x",    "off",     "scale",
                                     "c", "sum", "second", "mean", "variance"};
  gt_graph *g = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_set_precision(g, precision);
  for (int v = 0; v < VARIABLES; v++) {
    const uint32_t variable = gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false);
    if (v < C) input[v] = gt_variable_read(g, variable);
  }
  gt_id y = gt_matmul(g, input[A], input[B], false, false);
  if (reduction <= OF_MOMENTS) y = gt_add(g, y, input[BIAS]);
  if (!(forms[reduction].columns & GT_COLUMNS_PASSING)) gt_assign(g, C, 0, y);
  if (reduction == OF_MOMENTS) {
    const gt_id mean = gt_column_moments(g, y, GT_NONE, 1);
    gt_assign(g, MEAN, 0, mean);
    gt_assign(g, VARIANCE, 0, gt_result(g, mean, 1));
  }
  if (forms[reduction].first) gt_assign(g, SUM, 0, gt_sum(g, y, 1, false));
  if (forms[reduction].second) {
    const gt_id normal = gt_mul(g, gt_sub(g, input[X], input[OFF]), input[SCALE]);
    gt_assign(g, SECOND, 0, gt_sum(g, gt_mul(g, y, normal), 1, false));
  }
  return g;
}

/* The column reduction (GT_FACTOR_SPEC_COLUMNS) that the product's kernel must compute. Up to FEW rows are
 * one tile: its sums are final, and not computed if the product itself is needed. */
static uint32_t expected_columns(const problem *p, reductions reduction) {
  enum { FEW = 64 };
  const uint32_t columns = forms[reduction].columns;
  if (p->m > FEW) return columns;
  return columns & GT_COLUMNS_PASSING ? columns | GT_COLUMNS_WHOLE : 0;
}

/* A pin (support/pin.h): asserts that the product's kernel is the expected one, computes this reduction, and
 * writes the product only if it is needed. */
static void pin_plan(const gt_plan *plan, const problem *p, reductions reduction) {
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    const bool packed = device->target.matrix.packed;
    const bool matrix = !strncmp(step->kernel->name, packed ? "product_packed" : "product_matrix", 14);
    if (!matrix && strcmp(step->kernel->name, "matmul") != 0) continue;
    assert_int_equal(matrix, on_units);
    assert_int_equal(step->spec[GT_FACTOR_SPEC_COLUMNS], expected_columns(p, reduction));
    const bool is_elided =
        (expected_columns(p, reduction) & (GT_COLUMNS_PASSING | GT_COLUMNS_WHOLE)) == GT_COLUMNS_PASSING;
    for (int i = 0; i < step->accesses && is_elided; i++)
      assert_int_not_equal(step->access[i].argument, offsetof(struct gt_matmul_args, y));
    const bool has_last_block =
        matrix ? step->spec[GT_MATRIX_SPEC_FORM] & GT_MATRIX_ARRIVE : step->spec[GT_MATMUL_SPEC_ARRIVE] != 0;
    assert_int_equal(has_last_block, p->split_k);
    return;
  }
  fail_msg("no product");
}

static void run(const problem *p, reductions reduction) {
  gt_arena arena;
  float *values[VARIABLES];
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, p, reduction);
  gt_tuned tuned = {0};
  gt_plan_options options = {.target.units = p->units};
  const gt_plan *plan = device_plan(&arena, g, options);
  if (p->candidate) {
    gt_tuned_set(&tuned, choice_of(plan, 0)->key, p->candidate);
    options.tuned = &tuned;
    plan = device_plan(&arena, g, options);
    assert_true(choice_of(plan, 0)->tuned);
  }
  pin_plan(plan, p, reduction);
  memset(value[C], 0xff, (VARIABLES - C) * sizeof value[C]); /* elements that are not written stay NaN */
  for (int v = 0; v < VARIABLES; v++) values[v] = value[v];
  device_run(plan, g, 2, values); /* twice: counters must start from zero again */
  if (!(forms[reduction].columns & GT_COLUMNS_PASSING)) memcpy(written, value[C], sizeof written);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void expect_near(const problem *p, const char *what, uint32_t column, double got, double want,
                        double scale) {
  if (isnan(want) ? !isnan(got) : isinf(want) ? isfinite(got) : !(fabs(got - want) <= 2e-6 * scale))
    fail_msg("%ux%ux%u for %u: %s of column %u is %.9g, should be %.9g", p->m, p->n, p->k, p->units, what,
             column, got, want);
}

static void check_moments(const problem *p) {
  for (uint32_t j = 0; j < p->n; j++) {
    double sum = 0, absolute = 0, squares = 0;
    for (uint32_t i = 0; i < p->m; i++) sum += written[i * p->n + j], absolute += fabs(written[i * p->n + j]);
    const double mean = sum / p->m;
    for (uint32_t i = 0; i < p->m; i++) squares += pow(written[i * p->n + j] - mean, 2);
    expect_near(p, "mean", j, value[MEAN][j], mean, absolute / p->m);
    /* Values are up to 400 away from 0: a difference of sums of squares would have ten times the allowed
     * error. */
    const double variance = isfinite(mean) ? squares / p->m : NAN, off = 0.2 * fabs(mean) * sqrt(variance);
    expect_near(p, "variance", j, value[VARIANCE][j], variance, 1 + variance + off);
  }
}

static void check_sums(const problem *p, reductions reduction) {
  for (uint32_t j = 0; j < p->n; j++) {
    double first = 0, second = 0, most_first = 0, most_second = 0;
    for (uint32_t i = 0; i < p->m; i++) {
      const double v = written[i * p->n + j],
                   w = v * ((double)value[X][i * p->n + j] - value[OFF][i]) * value[SCALE][i];
      first += v, most_first += fabs(v);
      second += w, most_second += fabs(w);
    }
    if (forms[reduction].first) expect_near(p, "sum", j, value[SUM][j], first, most_first);
    if (forms[reduction].second) expect_near(p, "second sum", j, value[SECOND][j], second, most_second);
  }
}

/* Column reductions are the same in either precision, and do not depend on what is written. On a software
 * device one problem is tested in all forms, and the others alternate between moments and both sums, which
 * are the only form with final sums. */
static bool is_tested(const problem *p, uint32_t number, reductions reduction) {
  const bool of_both = reduction == OF_BOTH || reduction == OF_BOTH_ONLY;
  if (is_software() && (number || p->split_k || device->target.matrix.packed))
    return number % 2 && !p->candidate ? reduction == OF_MOMENTS : of_both;
  return number < 2 || reduction < OF_FIRST_ONLY;
}

static void check(const problem *p, uint32_t problems) {
  for (uint32_t i = 0; i < problems && (i < 1 || precision != GT_PRECISION_HALF); i++)
    for (reductions reduction = 0; reduction < FORMS; reduction++) {
      if (!is_tested(&p[i], i, reduction)) continue;
      draw(&p[i]);
      run(&p[i], reduction);
      if (reduction == OF_MOMENTS)
        check_moments(&p[i]);
      else
        check_sums(&p[i], reduction);
    }
}
#define CHECK(...)                          \
  const problem problems[] = {__VA_ARGS__}; \
  check(problems, sizeof problems / sizeof *problems)

static void test_scalar(void **state) {
  (void)state;
  CHECK({65, 17, 3, 2, false}, {67, 37, 31, 2, false}, {128, 64, 64, 2, false}, {257, 131, 70, 2, false},
        {1009, 20, 16, 2, false}, {300, 260, 300, 2, false}, {131, 29, 1, 2, false});
}

static void test_scalar_split_k(void **state) {
  (void)state;
  CHECK({67, 37, 2050, 132, true}, {70, 20, 4099, 132, true}, {96, 64, 1024, 132, true},
        {65, 17, 999, 132, true});
}

static void test_final_sums(void **state) {
  (void)state;
  CHECK({64, 40, 31, 2, false}, {60, 260, 640, 16, true, "64x32x32 by 4x2, split 3"},
        {64, 260, 1030, 16, true, "64x32x16 by 4x2, split 5"});
}

static void test_matrix(void **state) {
  (void)state;
  CHECK({70, 40, 120, 2, false}, {128, 64, 64, 2, false}, {67, 37, 31, 2, false}, {99, 36, 40, 2, false},
        {120, 100, 40, 4, false});
}

static void test_matrix_split_k(void **state) {
  (void)state;
  CHECK({70, 40, 1300, 2, true}, {128, 64, 1024, 2, true}, {67, 33, 2050, 2, true});
}

static void test_not_finite(void **state) {
  (void)state;
  with_nonfinite = true;
  CHECK({70, 40, 100, 2, false}, {70, 40, 2050, on_units ? 2 : 132, true});
  with_nonfinite = false;
}

int main(void) {
  const struct CMUnitTest scalar[] = {cmocka_unit_test(test_scalar), cmocka_unit_test(test_scalar_split_k),
                                      cmocka_unit_test(test_final_sums), cmocka_unit_test(test_not_finite)};
  const struct CMUnitTest matrix[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_matrix_split_k),
                                      cmocka_unit_test(test_not_finite)};
  const struct CMUnitTest packed[] = {cmocka_unit_test(test_matrix)};
  if (!has_device()) return 77;
  precision = GT_PRECISION_SCALAR;
  int failed = cmocka_run_group_tests_name("scalar", scalar, open_device, close_device);
  if (are_emulated_units_left_out()) return failed;
  on_units = true;
  setenv("GTRAIN_DEBUG", "matrix", 1);
  precision = GT_PRECISION_AUTO;
  failed += cmocka_run_group_tests_name("two float16", matrix, open_device, close_device);
  precision = GT_PRECISION_HALF;
  failed += cmocka_run_group_tests_name("bfloat16", matrix, open_device, close_device);
  setenv("GTRAIN_DEBUG", "matrix,packed,float16", 1);
  precision = GT_PRECISION_AUTO;
  return failed + cmocka_run_group_tests_name("two float16, packed", packed, open_device, close_device);
}

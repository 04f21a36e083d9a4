/* The gradient of a KAN layer's inputs on matrix units, emulated if the device has none, against scalar
 * units. Each variable has its own buffer, so addresses are aligned, as in training: only then, and if the
 * result consists of whole matrices, lanes read inputs in the layout of the accumulators
 * (shaders/op/matmul/product_matrix_drain.glsl, DERIVES). The cases of tests/op/kan/kan.c use unaligned
 * addresses. If operands are packed and there are many lines, the packing kernel multiplies coefficients by
 * their scales. */
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/kan/kan.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/product_matrix.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { OUTPUTS = 32, MOST = 1 << 17, X = 0, G, COEFFICIENTS, SCALES, RESULT, VARIABLES, SUMS = 2 };

typedef struct problem {
  uint32_t lines, inputs;
  gt_kan_attribute a;
  bool whole;  /* the result consists of whole matrices */
  bool scaled; /* coefficients have scales */
} problem;

static float value[RESULT][MOST], result[2][MOST]; /* on matrix units, and on scalar units */
static gt_precision precision;

/* The attribute of the gradient of a layer with these functions, block and base. */
static gt_kan_attribute gradient(gt_kan_attribute a, uint32_t block, uint32_t base) {
  a.block = block;
  a.base = base;
  a.order = 1;
  return a;
}

static gt_shape shape_of(const problem *p, int v) {
  return v == G              ? gt_shape_2(p->lines, OUTPUTS)
         : v == COEFFICIENTS ? gt_shape_2(p->inputs * (p->a.terms + p->a.base), OUTPUTS)
         : v == SCALES       ? gt_shape_2(p->inputs, OUTPUTS)
                             : gt_shape_2(p->lines, p->inputs);
}

static uint32_t count_of(const problem *p, int v) { return (uint32_t)gt_shape_count(shape_of(p, v)); }

static void draw(const problem *p) {
  for (int v = X; v < RESULT; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++)
      value[v][i] = 2.5f * gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1.2f; /* also outside the grid */
}

static gt_graph *build_graph(gt_arena *arena, const problem *p, gt_precision by) {
  static const char *const name[] = {"x", "g", "coefficients", "scales", "result"};
  gt_graph *g = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_set_precision(g, by);
  for (int v = X; v < VARIABLES; v++)
    input[v] = gt_variable_read(g, gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false));
  const gt_id scales = p->scaled ? input[SCALES] : GT_NONE;
  gt_assign(g, RESULT, 0, gt_kan_input(g, input[X], input[G], input[COEFFICIENTS], scales, &p->a));
  return g;
}

/* A pin (support/pin.h): asserts that the products on matrix units are of whole matrices if the problem says
 * so, and compute this column reduction (GT_COLUMNS_…). Returns the number of products. */
static int pin_products(const gt_plan *plan, const problem *p, uint32_t columns) {
  int products = 0;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    const char *kernel = device->target.matrix.packed ? "product_packed" : "product_matrix";
    if (strncmp(step->kernel->name, kernel, strlen(kernel)) != 0) continue;
    const uint32_t form = step->spec[GT_MATRIX_SPEC_FORM];
    assert_int_not_equal(step->spec[GT_FACTOR_SPEC_SEGMENT], 0);
    assert_int_equal(step->spec[GT_FACTOR_SPEC_COLUMNS], columns);
    assert_true(form & GT_MATRIX_STEADY);
    assert_int_equal((form & GT_MATRIX_MATRICES) != 0, p->whole);
    products++;
  }
  return products;
}

static void run(const problem *p, bool scalar) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, p, scalar ? GT_PRECISION_SCALAR : precision);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  assert_int_equal(pin_products(plan, p, 0), !scalar);
  memset(result[scalar], 0xff, sizeof result[scalar]); /* elements that are not written stay NaN */
  device_run(plan, g, 1, (float *[]){value[X], value[G], value[COEFFICIENTS], value[SCALES], result[scalar]});
  gt_arena_finish(&arena);
}

/* The sum of the absolute values of all terms of a result. Errors are relative to it, because each operand is
 * rounded before the products cancel. Other results of the same line are no measure, as derivatives at their
 * inputs may be much larger. */
static double magnitude(const problem *p, uint32_t line, uint32_t input) {
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  double sum = 0;
  gt_basis_geometry(&p->a, p->lines, p->inputs, OUTPUTS, geometry, spec + GT_FACTOR_SPEC_OWN);
  for (uint32_t t = 0; t < p->a.terms + p->a.base; t++) {
    float slope;
    gt_basis_fill(geometry, spec, t, &value[X][line * p->inputs + input], NULL, 1, 1, &slope);
    const float *of_row = &value[COEFFICIENTS][gt_kan_row(&p->a, input, t) * OUTPUTS];
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const bool has = p->scaled && t < p->a.terms;
      const double scale = has ? (double)value[SCALES][input * OUTPUTS + o] : 1;
      sum += fabs((double)slope * value[G][line * OUTPUTS + o] * of_row[o] * scale);
    }
  }
  return sum;
}

/* Compares the gradients on matrix units and on scalar units. An 8-bit significand, as in bfloat16, has a
 * relative error of 2^-9, a product of two twice that. */
static void compare(const problem *p) {
  const double tolerance = precision == GT_PRECISION_HALF ? 5e-3 : 2e-5;
  run(p, false);
  run(p, true);
  for (uint32_t i = 0; i < count_of(p, RESULT); i++) {
    const double got = result[0][i], want = result[1][i];
    const double scale = magnitude(p, i / p->inputs, i % p->inputs);
    if (isnan(want) ? !isnan(got) : isinf(want) ? got != want : !(fabs(got - want) <= tolerance * scale))
      fail_msg("%u x %u, basis %u: (%u, %u) is %.9g, should be %.9g, of %.9g", p->lines, p->inputs,
               p->a.basis, i / p->inputs, i % p->inputs, got, want, scale);
  }
}

static void check(const problem *p) {
  draw(p);
  compare(p);
}

static void test_whole(void **state) {
  (void)state;
  check(&(problem){64, 16, gradient(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 5, 0), 16, 1), true, false});
  check(&(problem){96, 48, gradient(gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0), 48, 0), true, false});
  check(&(problem){64, 80, gradient(gt_kan_bspline(-1, 1, 4, 3), 80, 0), true, false});
}

static void test_not_whole(void **state) {
  (void)state;
  check(&(problem){70, 36, gradient(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 5, 0), 12, 0), false, false});
}

static void test_scaled(void **state) {
  (void)state;
  check(&(problem){2080, 16, gradient(gt_kan_bspline(-1, 1, 2, 2), 16, 1), true, true});
}

/* An infinity affects all results of its own line, and no others. With few functions, some of these results
 * are infinite, not NaN. */
static void test_not_finite(void **state) {
  (void)state;
  const problem p = {64, 16, gradient(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 2, 0), 16, 0), true, false};
  draw(&p);
  value[G][37 * OUTPUTS + 5] = INFINITY;
  compare(&p);
  for (uint32_t i = 0; i < count_of(&p, RESULT); i++)
    assert_int_equal(isfinite(result[0][i]) != 0, i / p.inputs != 37);
}

/* Only column sums are used, as by a norm before the layer: of the gradient, and of the gradient times x. */
static gt_graph *build_summed_graph(gt_arena *arena, const problem *p) {
  static const char *const name[] = {"x", "g", "coefficients", "scales", "sum", "times_x"};
  gt_graph *g = gt_graph_create(arena);
  gt_id input[RESULT];
  gt_graph_set_precision(g, precision);
  for (int v = X; v < RESULT + SUMS; v++) {
    const gt_shape shape = v < RESULT ? shape_of(p, v) : gt_shape_1(p->inputs);
    const uint32_t variable = gt_graph_variable(g, name[v], shape, GT_F32, false);
    if (v < RESULT) input[v] = gt_variable_read(g, variable);
  }
  const gt_id dx = gt_kan_input(g, input[X], input[G], input[COEFFICIENTS], GT_NONE, &p->a);
  gt_assign(g, RESULT, 0, gt_sum(g, dx, 1, false));
  gt_assign(g, RESULT + 1, 0, gt_sum(g, gt_mul(g, dx, input[X]), 1, false));
  return g;
}

static void run_summed(const problem *p) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_graph *g = build_summed_graph(&arena, p);
  /* A plan for one unit has no split-K. */
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.target.units = 1});
  assert_int_equal(pin_products(plan, p, GT_COLUMNS_SUMS | GT_COLUMNS_PASSING), 1);
  memset(result[1], 0xff, sizeof result[1]);
  device_run(
      plan, g, 1,
      (float *[]){value[X], value[G], value[COEFFICIENTS], value[SCALES], result[1], result[1] + p->inputs});
  gt_arena_finish(&arena);
}

/* Compares the column sums with sums of the gradient that the same kernel writes. */
static void check_summed(const problem *p) {
  draw(p);
  run(p, false);
  run_summed(p);
  for (uint32_t j = 0; j < p->inputs; j++) {
    double sum[SUMS] = {0}, most[SUMS] = {0};
    for (uint32_t i = 0; i < p->lines; i++)
      for (int k = 0; k < SUMS; k++) {
        const uint32_t at = i * p->inputs + j;
        const double v = k ? (double)result[0][at] * value[X][at] : result[0][at];
        sum[k] += v, most[k] += fabs(v);
      }
    for (int k = 0; k < SUMS; k++) {
      const double got = result[1][(uint32_t)k * p->inputs + j];
      if (isnan(sum[k]) ? !isnan(got) : !(fabs(got - sum[k]) <= 2e-6 * most[k]))
        fail_msg("%u x %u: sum %d of column %u is %.9g, should be %.9g", p->lines, p->inputs, k, j, got,
                 sum[k]);
    }
  }
}

static void test_summed(void **state) {
  (void)state;
  check_summed(&(problem){192, 144, gradient(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 5, 0), 16, 1), true, false});
  check_summed(&(problem){195, 148, gradient(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 3, 0), 37, 0), false, false});
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_not_whole),
                                     cmocka_unit_test(test_scaled), cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_summed)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"bfloat16", "matrix", GT_PRECISION_HALF},
                                      {"float16", "matrix,float16", GT_PRECISION_HALF},
                                      {"two float16, packed", "matrix,packed,float16", GT_PRECISION_AUTO}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}

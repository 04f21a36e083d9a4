/* The gradient of a KAN layer's inputs on matrix units, emulated where the device has none, against scalar
 * units. Variables have buffers of their own, so that addresses are aligned as in a training's: only there,
 * and where the result consists of whole matrices, lanes take inputs as they have sums
 * (shaders/op/matmul/product_matrix_drain.glsl, DERIVES). The cases of tests/op/kan/kan.c lie at odd
 * addresses. */
#include "base/philox.h"
#include "op/core.h"
#include "op/kan/basis.h"
#include "op/kan/kan.h"
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

enum { OUTPUTS = 32, MOST = 1 << 15, X = 0, G, COEFFICIENTS, RESULT, VARIABLES };

typedef struct problem {
  uint32_t lines, inputs;
  gt_kan_attribute a;
  bool whole; /* of whole matrices */
} problem;

static float value[RESULT][MOST], result[2][MOST]; /* of matrix units, of scalar ones */
static gt_precision precision;

static gt_kan_attribute with(gt_kan_attribute a, uint32_t block, uint32_t base) {
  a.block = block;
  a.base = base;
  a.order = 1;
  return a;
}

static gt_shape shape_of(const problem *p, int v) {
  return v == G              ? gt_shape_2(p->lines, OUTPUTS)
         : v == COEFFICIENTS ? gt_shape_2(p->inputs * (p->a.terms + p->a.base), OUTPUTS)
                             : gt_shape_2(p->lines, p->inputs);
}

static uint32_t count_of(const problem *p, int v) { return (uint32_t)gt_shape_count(shape_of(p, v)); }

static void draw(const problem *p) {
  for (int v = X; v < RESULT; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++)
      value[v][i] = 2.5f * gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1.2f; /* beyond a grid, too */
}

static gt_graph *drawn(gt_arena *arena, const problem *p, gt_precision by) {
  static const char *const name[] = {"x", "g", "coefficients", "result"};
  gt_graph *g = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_precision(g, by);
  for (int v = X; v < VARIABLES; v++)
    input[v] = gt_variable_read(g, gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false));
  gt_assign(g, RESULT, 0, gt_kan_input(g, input[X], input[G], input[COEFFICIENTS], GT_NONE, &p->a));
  return g;
}

/* How many products there are on matrix units; those are to be as the problem says. */
static int check_plan(const gt_plan *plan, const problem *p) {
  int products = 0;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    const char *kernel = device->target.matrix.packed ? "product_packed" : "product_matrix";
    if (strncmp(step->kernel->name, kernel, strlen(kernel)) != 0) continue;
    const uint32_t form = step->spec[GT_MATRIX_SPEC_FORM];
    assert_int_not_equal(step->spec[GT_FACTOR_SPEC_SEGMENT], 0);
    assert_true(form & GT_MATRIX_STEADY);
    assert_int_equal((form & GT_MATRIX_MATRICES) != 0, p->whole);
    products++;
  }
  return products;
}

static void run(const problem *p, bool scalar) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_graph *g = drawn(&arena, p, scalar ? GT_PRECISION_SCALAR : precision);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  assert_int_equal(check_plan(plan, p), !scalar);
  memset(result[scalar], 0xff, sizeof result[scalar]); /* what is not written is NaN */
  device_run(plan, g, 1, (float *[]){value[X], value[G], value[COEFFICIENTS], result[scalar]});
  gt_arena_finish(&arena);
}

/* The sum of the absolute values of all that a result is the sum of. Errors are relative to that: each factor
 * is rounded for itself, whatever of the products cancels then. Other results of a line are no measure, as
 * derivatives at their inputs may be larger by far. */
static double magnitude(const problem *p, uint32_t line, uint32_t input) {
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  double sum = 0;
  gt_basis_geometry(&p->a, p->lines, p->inputs, OUTPUTS, geometry, spec + GT_FACTOR_SPEC_OWN);
  for (uint32_t t = 0; t < p->a.terms + p->a.base; t++) {
    float slope;
    gt_basis_fill(geometry, spec, t, &value[X][line * p->inputs + input], NULL, 1, 1, &slope);
    const float *of_row = &value[COEFFICIENTS][gt_kan_row(&p->a, input, t) * OUTPUTS];
    for (uint32_t o = 0; o < OUTPUTS; o++)
      sum += fabs((double)slope * value[G][line * OUTPUTS + o] * of_row[o]);
  }
  return sum;
}

/* A factor of eight bits, as of bfloat16, is off by 2^-9, a product of two by twice that. */
static void compare(const problem *p) {
  const double most = precision == GT_PRECISION_HALF ? 5e-3 : 2e-5;
  run(p, false);
  run(p, true);
  for (uint32_t i = 0; i < count_of(p, RESULT); i++) {
    const double got = result[0][i], want = result[1][i];
    const double scale = magnitude(p, i / p->inputs, i % p->inputs);
    if (isnan(want) ? !isnan(got) : isinf(want) ? got != want : !(fabs(got - want) <= most * scale))
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
  check(&(problem){64, 16, with(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 5, 0), 16, 1), true});
  check(&(problem){96, 48, with(gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0), 48, 0), true});
  check(&(problem){64, 80, with(gt_kan_bspline(-1, 1, 4, 3), 80, 0), true});
}

static void test_not_whole(void **state) {
  (void)state;
  check(&(problem){70, 36, with(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 5, 0), 12, 0), false});
}

/* Only its own line is lost to an infinity; of few functions, so that not all of that line is NaN. */
static void test_not_finite(void **state) {
  (void)state;
  const problem p = {64, 16, with(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 2, 0), 16, 0), true};
  draw(&p);
  value[G][37 * OUTPUTS + 5] = INFINITY;
  compare(&p);
  for (uint32_t i = 0; i < count_of(&p, RESULT); i++)
    assert_int_equal(isfinite(result[0][i]) != 0, i / p.inputs != 37);
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_not_whole),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_form form[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                     {"bfloat16", "matrix", GT_PRECISION_HALF},
                                     {"float16", "matrix,float16", GT_PRECISION_HALF},
                                     {"two float16, packed", "matrix,packed,float16", GT_PRECISION_AUTO}};
  return device_in_forms(form, sizeof form / sizeof *form, &precision, group);
}

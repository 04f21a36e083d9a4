/* A KAN layer on matrix units, emulated if the device has none, whose basis functions are computed on load in
 * registers (shaders/op/matmul/product_made.glsl), against scalar units: bounded and unbounded functions,
 * with a base among them or on rows of its own (gt_kan_attribute.apart), partial tiles, with and without
 * split-K, scale blocks along K that end within a block of inputs. With many lines, the packing kernel
 * multiplies coefficients by the factors of their edges (shaders/op/matmul/packed.h), unless the epilogue
 * uses the address that this needs. */
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/basis.h"
#include "op/kan/kan.h"
#include "plan/plan.h"
#include "shaders/op/matmul/product_matrix.h"
#include "support/choice.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
  MOST = 1 << 17,
  X = 0,
  COEFFICIENTS,
  FACTORS,
  MORE,
  RESULT = MORE + 4,
  VARIABLES,
  STRIDE_ON_SOFTWARE = 5 /* a software device tests one candidate in this many */
};

typedef struct problem {
  uint32_t lines, inputs, outputs;
  gt_kan_attribute a;
  bool more;        /* the epilogue adds four values, so no input is left for addresses of scales (range.h) */
  uint32_t factors; /* number of factors per edge; 0: none */
} problem;

static float value[RESULT][MOST], result[2][MOST]; /* on matrix units, and on scalar units */
static double magnitude[MOST];                     /* the sum of the absolute values of a result's terms */
static gt_precision precision;

static gt_kan_attribute attribute(gt_kan_attribute a, uint32_t block, uint32_t base) {
  a.block = block;
  a.base = base;
  return a;
}

static gt_kan_attribute apart(gt_kan_attribute a, uint32_t block) {
  a = attribute(a, block, 1);
  a.apart = 1;
  return a;
}

static uint32_t rows_of(const problem *p) { return p->inputs * (p->a.terms + p->a.base); }

static uint32_t row_of(const problem *p, uint32_t input, uint32_t term) {
  gt_kan_attribute functions = p->a;
  if (!p->a.apart) return gt_kan_row(&p->a, input, term);
  functions.base = 0;
  return term == p->a.terms ? p->inputs * p->a.terms + input : gt_kan_row(&functions, input, term);
}

static gt_shape shape_of(const problem *p, int v) {
  if (v == X && p->a.apart) return (gt_shape){.rank = 3, .dim = {2, p->lines, p->inputs}};
  if (v == FACTORS) return gt_shape_2(p->inputs * (p->factors ? p->factors : 1), p->outputs);
  return v == X              ? gt_shape_2(p->lines, p->inputs)
         : v == COEFFICIENTS ? gt_shape_2(rows_of(p), p->outputs)
                             : gt_shape_2(p->lines, p->outputs);
}

static uint32_t count_of(const problem *p, int v) { return (uint32_t)gt_shape_count(shape_of(p, v)); }

/* The factor on the coefficient of a function and an output. */
static double scale_of(const problem *p, uint32_t input, uint32_t term, uint32_t output) {
  const uint32_t block = input / p->a.block, part = term == p->a.terms ? p->factors - 1 : 0;
  if (!p->factors || (term == p->a.terms && p->factors == 1)) return 1;
  const uint32_t at = (block * p->factors + part) * p->a.block + input % p->a.block;
  return (double)value[FACTORS][at * p->outputs + output];
}

static void draw(const problem *p) {
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  for (int v = X; v < RESULT; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++)
      value[v][i] =
          3.0f * (float)gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1.4f; /* partly off the grid */
  memset(magnitude, 0, sizeof magnitude);
  gt_basis_geometry(&p->a, p->lines, p->inputs, p->outputs, geometry, spec + GT_FACTOR_SPEC_OWN);
  for (uint32_t l = 0; l < p->lines; l++)
    for (uint32_t i = 0; i < p->inputs; i++)
      for (uint32_t t = 0; t < p->a.terms + p->a.base; t++) {
        float f;
        const uint32_t plane = p->a.apart && t == p->a.terms ? p->lines : 0;
        gt_basis_fill(geometry, spec, t, &value[X][(plane + l) * p->inputs + i], NULL, 1, 1, &f);
        const float *of_row = &value[COEFFICIENTS][row_of(p, i, t) * p->outputs];
        for (uint32_t o = 0; o < p->outputs; o++)
          magnitude[l * p->outputs + o] += fabs((double)f * of_row[o] * scale_of(p, i, t, o));
      }
  for (int v = MORE; v < RESULT && p->more; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++) magnitude[i] += fabs((double)value[v][i]);
}

static const gt_plan *plan_of(gt_arena *arena, gt_graph **graph, const problem *p, gt_precision by,
                              const gt_tuned *tuned) {
  static const char *const name[] = {"x", "coefficients", "scales", "a", "b", "c", "d", "result"};
  gt_graph *g = *graph = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_set_precision(g, by);
  for (int v = X; v < VARIABLES; v++)
    input[v] = gt_variable_read(g, gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false));
  gt_id y = gt_kan(g, input[X], input[COEFFICIENTS], p->factors ? input[FACTORS] : GT_NONE, &p->a);
  for (int v = MORE; v < RESULT && p->more; v++) y = gt_add(g, y, input[v]);
  gt_assign(g, RESULT, 0, y);
  return device_plan(arena, g, (gt_plan_options){.tuned = tuned});
}

/* True if the layer is computed on matrix units with packed operands. A pin (support/pin.h): asserts that
 * exactly if the epilogue leaves an input address free, the scales of B (range.h) are in a buffer of their
 * own and the packing kernel multiplies the coefficients by the factors of the edges. */
static bool pin_packed(const gt_plan *plan, const problem *p) {
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (strncmp(step->kernel->name, "product_packed", strlen("product_packed")) != 0 ||
        step->spec[GT_FACTOR_SPEC_A] != GT_FACTOR_BASIS)
      continue;
    assert_int_equal((step->spec[GT_MATRIX_SPEC_FORM] & GT_MATRIX_KNOWN_B) == 0, p->more);
    assert_int_equal(step->spec[GT_FACTOR_SPEC_B] == GT_FACTOR_SCALED, p->factors && !p->more);
    return true;
  }
  return false;
}

/* candidate: one on matrix units; NULL: scalar units. */
static void run(const problem *p, const char *key, const char *candidate) {
  float *to = result[!candidate];
  gt_arena arena;
  gt_graph *g;
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  if (candidate) gt_tuned_set(&tuned, key, candidate);
  const gt_plan *plan = plan_of(&arena, &g, p, candidate ? precision : GT_PRECISION_SCALAR, &tuned);
  assert_int_equal(pin_packed(plan, p), candidate != NULL);
  memset(to, 0xff, sizeof result[0]); /* elements that are not written stay NaN */
  device_run(plan, g, 1,
             (float *[]){value[X], value[COEFFICIENTS], value[FACTORS], value[MORE], value[MORE + 1],
                         value[MORE + 2], value[MORE + 3], to});
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

/* Compares the results. Both have computed the functions with the device's precision. */
static void compare(const problem *p, const char *candidate) {
  for (uint32_t i = 0; i < count_of(p, RESULT); i++) {
    const double got = (double)result[0][i], want = (double)result[1][i];
    if (isnan(want) ? !isnan(got) : isinf(want) ? got != want : !(fabs(got - want) <= 2e-6 * magnitude[i]))
      fail_msg(
          "%s, %u x %u, basis %u: (%u, %u) is %.9g, should be %.9g; the magnitudes of its terms sum to %.9g",
          candidate, p->lines, p->inputs, p->a.basis, i / p->outputs, i % p->outputs, got, want,
          magnitude[i]);
  }
}

/* Compares every candidate; a software device, which takes seconds to compile each, compares some. */
static void check(const problem *p) {
  gt_arena arena;
  gt_graph *g;
  char candidate[GT_CANDIDATE_TEXT];
  uint32_t tried = 0;
  gt_arena_init(&arena);
  const gt_choice *choice = choice_of(plan_of(&arena, &g, p, precision, NULL), 0);
  assert_non_null(choice);
  run(p, choice->key, NULL);
  for (uint32_t i = 0; i < choice->candidates; i++) {
    choice->text(&choice->candidate[i], candidate, sizeof candidate);
    if (!strstr(candidate, ", packed") || is_left_out(tried++, STRIDE_ON_SOFTWARE)) continue;
    run(p, choice->key, candidate);
    compare(p, candidate);
  }
  assert_true(tried);
  gt_arena_finish(&arena);
}

static void check_drawn(const problem *p) {
  draw(p);
  check(p);
}

static void test_made(void **state) {
  (void)state;
  check_drawn(&(problem){64, 64, 48, attribute(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0), 16, 0), false, 0});
  check_drawn(&(problem){96, 96, 33, attribute(gt_kan_bspline(-1, 1, 5, 3), 32, 1), false, 0});
  check_drawn(
      &(problem){160, 64, 40, attribute(gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0), 64, 0), false, 0});
  check_drawn(&(problem){32, 80, 64, attribute(gt_kan_bspline(-1, 1, 5, 3), 16, 1), false, 0});
  check_drawn(&(problem){64, 64, 48, attribute(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0), 16, 0), true, 0});
  check_drawn(&(problem){64, 32, 36, attribute(gt_kan_bspline(-1, 1, 5, 3), 16, 1), true, 0});
  check_drawn(&(problem){64, 64, 48, apart(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0), 16), false, 0});
  check_drawn(&(problem){96, 96, 33, apart(gt_kan_bspline(-1, 1, 5, 3), 32), true, 0});
}

static void test_scaled(void **state) {
  (void)state;
  check_drawn(&(problem){2080, 16, 40, attribute(gt_kan_bspline(-1, 1, 2, 2), 16, 1), false, 1});
  check_drawn(&(problem){2080, 32, 33, attribute(gt_kan_bspline(-1, 1, 2, 2), 16, 1), false, 2});
  check_drawn(&(problem){2080, 16, 40, attribute(gt_kan_bspline(-1, 1, 2, 2), 16, 1), true, 1});
}

/* Results that depend on coefficients or inputs that are not finite are infinite or NaN, as on scalar units,
 * and no others are. K is short: a tile with such a value is summed element by element, in a loop over K, and
 * lavapipe silently ends all loops of an invocation after 65,535 iterations. */
static void test_not_finite(void **state) {
  const problem p = {96, 16, 40, attribute(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 2, 0), 16, 0), false, 0};
  (void)state;
  draw(&p);
  value[COEFFICIENTS][5 * p.outputs + 3] = INFINITY;
  check(&p);
  draw(&p);
  value[X][37 * p.inputs + 5] = NAN;
  check(&p);
  for (uint32_t i = 0; i < count_of(&p, RESULT); i++)
    assert_int_equal(isfinite(result[0][i]) != 0, i / p.outputs != 37);
}

static void test_not_finite_scaled(void **state) {
  const problem p = {2080, 16, 40, attribute(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 2, 0), 16, 0), false, 1};
  (void)state;
  draw(&p);
  value[FACTORS][5 * p.outputs + 3] = INFINITY;
  check(&p);
}

/* The same with a base that is apart, whose columns follow all others. */
static void test_not_finite_apart(void **state) {
  const problem p = {64, 32, 36, apart(gt_kan_bumps(GT_BASIS_RBF, -1, 1, 3, 0), 16), false, 0};
  (void)state;
  draw(&p);
  value[COEFFICIENTS][5 * p.outputs + 3] = INFINITY;
  check(&p);
  draw(&p);
  value[X][(p.lines + 37) * p.inputs + 5] = NAN; /* of the base */
  check(&p);
  for (uint32_t i = 0; i < count_of(&p, RESULT); i++)
    assert_int_equal(isfinite(result[0][i]) != 0, i / p.outputs != 37);
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_made), cmocka_unit_test(test_scaled), cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_not_finite_scaled), cmocka_unit_test(test_not_finite_apart)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,packed,float16", GT_PRECISION_AUTO}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}

/* Products of a KAN layer with few outputs, by their special kernels: the layer by product_few, the gradient
 * of its inputs by product_edges. They are compared with the tiled kernels, which the cases of
 * tests/op/kan/kan.c compare with double precision. The candidates are forced, as a small device seldom
 * chooses them. */
#include "base/philox.h"
#include "op/core.h"
#include "op/kan/kan.h"
#include "plan/plan.h"
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
  MOST = 1 << 14,
  X = 0,
  G,
  COEFFICIENTS,
  SCALES,
  RESULT,
  VARIABLES,
  STRIDE_ON_SOFTWARE = 7 /* a software device tests one candidate in this many */
};

typedef enum form { LAYER, INPUTS_GRADIENT } form;

typedef struct problem {
  uint32_t lines, inputs, outputs, parts; /* parts: number of scales per edge; 0: none */
  gt_kan_attribute a;
  form form;
  uint32_t units; /* plan for a device with this number of multiprocessors; 0: for this device */
} problem;

static float value[RESULT][MOST], result[2][MOST];

static gt_kan_attribute attribute(gt_kan_attribute a, uint32_t block, uint32_t base, uint32_t order) {
  a.block = block;
  a.base = base;
  a.order = order;
  return a;
}

static gt_kan_attribute apart(gt_kan_attribute a, uint32_t block) {
  a = attribute(a, block, 1, 0);
  a.apart = 1;
  return a;
}

static gt_shape shape_of(const problem *p, int v) {
  if (v == X && p->a.apart) return (gt_shape){.rank = 3, .dim = {2, p->lines, p->inputs}};
  return v == G              ? gt_shape_2(p->lines, p->outputs)
         : v == COEFFICIENTS ? gt_shape_2(p->inputs * (p->a.terms + p->a.base), p->outputs)
         : v == SCALES       ? gt_shape_2(p->inputs * (p->parts > 1 ? p->parts : 1), p->outputs)
         : v == RESULT       ? gt_shape_2(p->lines, p->form == INPUTS_GRADIENT ? p->inputs : p->outputs)
                             : gt_shape_2(p->lines + gt_kan_parameter_rows(&p->a), p->inputs);
}

static uint32_t count_of(const problem *p, int v) { return (uint32_t)gt_shape_count(shape_of(p, v)); }

static void draw(const problem *p) {
  for (int v = X; v < RESULT; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++)
      value[v][i] =
          2.5f * (float)gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1.2f; /* partly off the grid */
  if (p->a.basis != GT_BASIS_KNOTS) return;
  for (uint32_t j = 1; j < gt_kan_parameter_rows(&p->a); j++) /* knots increase */
    for (uint32_t i = 0; i < p->inputs; i++) {
      float *knot = &value[X][(p->lines + j) * p->inputs + i];
      *knot = knot[-(int)p->inputs] + 0.1f * fabsf(*knot) + 0.1f;
    }
}

static const gt_plan *plan_of(gt_arena *arena, gt_graph **graph, const problem *p, const gt_tuned *tuned) {
  static const char *const name[] = {"x", "g", "coefficients", "scales", "result"};
  gt_graph *g = *graph = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_set_precision(g, GT_PRECISION_SCALAR);
  for (int v = X; v < VARIABLES; v++)
    input[v] = gt_variable_read(g, gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false));
  const gt_id scales = p->parts ? input[SCALES] : GT_NONE;
  gt_assign(g, RESULT, 0,
            p->form == LAYER ? gt_kan(g, input[X], input[COEFFICIENTS], scales, &p->a)
                             : gt_kan_input(g, input[X], input[G], input[COEFFICIENTS], scales, &p->a));
  return device_plan(arena, g, (gt_plan_options){.target.units = p->units, .tuned = tuned});
}

static void run_candidate(const problem *p, const char *key, const char *candidate, float *out) {
  float *values[] = {value[X], value[G], value[COEFFICIENTS], value[SCALES], out};
  gt_arena arena;
  gt_graph *g;
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  gt_tuned_set(&tuned, key, candidate);
  const gt_plan *plan = plan_of(&arena, &g, p, &tuned);
  const gt_choice *choice = choice_of(plan, 0);
  assert_true(choice && choice->tuned);
  memset(out, 0xff, count_of(p, RESULT) * sizeof *out); /* elements that are not written stay NaN */
  device_run(plan, g, 1, values);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void compare(const problem *p, const char *candidate) {
  for (uint32_t i = 0; i < count_of(p, RESULT); i++) {
    const double want = (double)result[0][i];
    if (!(fabs((double)result[1][i] - want) <= 2e-5 * (1 + fabs(want))))
      fail_msg("%s: element %u is %.9g, by tiles %.9g", candidate, i, (double)result[1][i], want);
  }
}

/* True if the candidate is under test: one of the special kernels or, for the gradient of the inputs, also a
 * tiled kernel with split-K. */
static bool is_tested(const problem *p, const char *candidate) {
  if (p->form == LAYER) return strstr(candidate, ", few");
  return strstr(candidate, ", edges") || split_of_candidate(candidate) > 1;
}

/* Compares the candidates under test with the first of the others. */
static void check(const problem *p) {
  gt_arena arena;
  gt_graph *g;
  char candidate[GT_CANDIDATE_TEXT];
  uint32_t tested = 0, tiles = 0;
  gt_arena_init(&arena);
  draw(p);
  const gt_choice *choice = choice_of(plan_of(&arena, &g, p, NULL), 0);
  assert_non_null(choice);
  for (uint32_t i = 0; i < choice->candidates && !tiles; i++) {
    choice->text(&choice->candidate[i], candidate, sizeof candidate);
    if (is_tested(p, candidate)) continue;
    run_candidate(p, choice->key, candidate, result[0]);
    tiles++;
  }
  for (uint32_t i = 0; i < choice->candidates; i++) {
    choice->text(&choice->candidate[i], candidate, sizeof candidate);
    if (!is_tested(p, candidate)) continue;
    tested++;
    if ((tested - 1) % STRIDE_ON_SOFTWARE && device->target.brief) continue;
    run_candidate(p, choice->key, candidate, result[1]);
    compare(p, candidate);
  }
  assert_true(tiles && tested);
  gt_arena_finish(&arena);
}

/* The layer and the gradient of its inputs: blocks and outputs that are a multiple of 4 or not, with 0, 1 or
 * 2 scales per edge. */
static void test_layer_and_inputs_gradient(void **state) {
  const gt_kan_attribute splines = gt_kan_bspline(-1, 1, 5, 3),
                         bumps = gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0),
                         chebyshev = gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0);
  (void)state;
  for (form f = LAYER; f <= INPUTS_GRADIENT; f++) {
    const uint32_t order = f == INPUTS_GRADIENT;
    const problem problems[] = {
        {67, 20, 10, 1, attribute(splines, 4, 1, order), f},
        {35, 8, 16, 2, attribute(splines, 4, 1, order), f},
        {33, 12, 3, 0, attribute(splines, 12, 1, order), f},
        {70, 16, 8, 0, attribute(bumps, 16, 0, order), f},
        {31, 7, 10, 1, attribute(bumps, 7, 1, order), f},
        {1, 5, 1, 0, attribute(chebyshev, 1, 0, order), f},
        {40, 24, order ? 33 : 13, 1, attribute(splines, 4, 1, order), f},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check(&problems[i]);
  }
  check(&(problem){67, 20, 10, 0, apart(bumps, 4), LAYER});
  check(&(problem){33, 12, 3, 0, apart(chebyshev, 12), LAYER});
}

static gt_kan_attribute placed(gt_kan_attribute a) {
  a.placed = 1;
  return a;
}

/* The gradient of the inputs, with numbers of lines that are not multiples of a tile, numbers of inputs that
 * are not multiples of 4, and all kinds of functions: on a grid, over knots, with their own centres, waves
 * and polynomials. */
static void test_inputs_gradient_of_many_lines(void **state) {
  const gt_kan_attribute splines = gt_kan_bspline(-1, 1, 5, 3), knots = gt_kan_knots(4, 2),
                         bumps = gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0), waves = gt_kan_waves(3),
                         chebyshev = gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0);
  (void)state;
  const problem problems[] = {
      {601, 20, 10, 1, attribute(splines, 4, 1, 1), INPUTS_GRADIENT},
      {1, 13, 1, 0, attribute(chebyshev, 1, 0, 1), INPUTS_GRADIENT},
      {97, 12, 16, 2, attribute(placed(bumps), 4, 1, 1), INPUTS_GRADIENT},
      {131, 7, 3, 0, attribute(knots, 7, 0, 1), INPUTS_GRADIENT},
      {257, 9, 13, 1, attribute(waves, 3, 1, 1), INPUTS_GRADIENT},
      {199, 40, 10, 0, attribute(bumps, 40, 0, 1), INPUTS_GRADIENT},
      {1999, 8, 3, 0, attribute(bumps, 8, 0, 1), INPUTS_GRADIENT, 132},
  };
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check(&problems[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_and_inputs_gradient),
                                     cmocka_unit_test(test_inputs_gradient_of_many_lines)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests_name("kan_ways", tests, open_device, close_device);
}

/* Products of a KAN layer with few outputs in the ways that are made for them, the layer by product_few
 * and product_thin and the gradient of its inputs by product_edges, beside the tiles that the cases of
 * tests/op/kan/kan.c hold to double precision. A small device would seldom choose them by itself. */
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

enum { MOST = 1 << 14, X = 0, G, COEFFICIENTS, SCALES, RESULT, VARIABLES, WAYS_OF_SOFTWARE = 7 };

typedef struct problem {
  uint32_t lines, inputs, outputs, parts; /* parts of scales; 0: there are none */
  gt_kan_attribute a;
  bool of_inputs; /* the gradient of inputs, else the layer */
} problem;

static float value[RESULT][MOST], result[2][MOST];

static gt_kan_attribute with(gt_kan_attribute a, uint32_t block, uint32_t base, uint32_t order) {
  a.block = block;
  a.base = base;
  a.order = order;
  return a;
}

static gt_shape shape_of(const problem *p, int v) {
  return v == G              ? gt_shape_2(p->lines, p->outputs)
         : v == COEFFICIENTS ? gt_shape_2(p->inputs * (p->a.terms + p->a.base), p->outputs)
         : v == SCALES       ? gt_shape_2(p->inputs * (p->parts > 1 ? p->parts : 1), p->outputs)
         : v == RESULT       ? gt_shape_2(p->lines, p->of_inputs ? p->inputs : p->outputs)
                             : gt_shape_2(p->lines, p->inputs);
}

static uint32_t count_of(const problem *p, int v) { return (uint32_t)gt_shape_count(shape_of(p, v)); }

static void draw(const problem *p) {
  for (int v = X; v < RESULT; v++)
    for (uint32_t i = 0; i < count_of(p, v); i++)
      value[v][i] = 2.5f * (float)gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - 1.2f; /* beyond a grid, too */
}

static const gt_plan *plan_of(gt_arena *arena, gt_graph **graph, const problem *p, const gt_tuned *tuned) {
  static const char *const name[] = {"x", "g", "coefficients", "scales", "result"};
  gt_graph *g = *graph = gt_graph_create(arena);
  gt_id input[VARIABLES];
  gt_graph_precision(g, GT_PRECISION_SCALAR);
  for (int v = X; v < VARIABLES; v++)
    input[v] = gt_variable_read(g, gt_graph_variable(g, name[v], shape_of(p, v), GT_F32, false));
  const gt_id scales = p->parts ? input[SCALES] : GT_NONE;
  gt_assign(g, RESULT, 0,
            p->of_inputs ? gt_kan_input(g, input[X], input[G], input[COEFFICIENTS], scales, &p->a)
                         : gt_kan(g, input[X], input[COEFFICIENTS], scales, &p->a));
  return device_plan(arena, g, (gt_plan_options){.tuned = tuned});
}

static void run_way(const problem *p, const char *key, const char *way, float *out) {
  float *values[] = {value[X], value[G], value[COEFFICIENTS], value[SCALES], out};
  gt_arena arena;
  gt_graph *g;
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  gt_tuned_set(&tuned, key, way);
  const gt_plan *plan = plan_of(&arena, &g, p, &tuned);
  const gt_choice *choice = choice_of(plan, 0);
  assert_true(choice && choice->tuned);
  memset(out, 0xff, count_of(p, RESULT) * sizeof *out); /* what is not written is NaN */
  device_run(plan, g, 1, values);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void compare(const problem *p, const char *way) {
  for (uint32_t i = 0; i < count_of(p, RESULT); i++) {
    const double want = (double)result[0][i];
    if (!(fabs((double)result[1][i] - want) <= 2e-5 * (1 + fabs(want))))
      fail_msg("%s: element %u is %.9g, by tiles %.9g", way, i, (double)result[1][i], want);
  }
}

static bool is_of_interest(const problem *p, const char *way) {
  const unsigned parts = parts_of_way(way);
  return p->of_inputs ? strstr(way, ", edges") || parts > 1 : strstr(way, ", few") || strstr(way, ", thin");
}

static void check(const problem *p) {
  gt_arena arena;
  gt_graph *g;
  char way[GT_WAY_TEXT];
  uint32_t ways = 0, tiles = 0;
  gt_arena_init(&arena);
  draw(p);
  const gt_choice *choice = choice_of(plan_of(&arena, &g, p, NULL), 0);
  assert_non_null(choice);
  for (uint32_t i = 0; i < choice->candidates && !tiles; i++) {
    choice->text(&choice->candidate[i], way, sizeof way);
    if (is_of_interest(p, way)) continue;
    run_way(p, choice->key, way, result[0]);
    tiles++;
  }
  for (uint32_t i = 0; i < choice->candidates; i++) {
    choice->text(&choice->candidate[i], way, sizeof way);
    if (!is_of_interest(p, way) || (ways++ % WAYS_OF_SOFTWARE && device->target.brief)) continue;
    run_way(p, choice->key, way, result[1]);
    compare(p, way);
  }
  assert_true(tiles && ways);
  gt_arena_finish(&arena);
}

/* Blocks of whole quads and not, outputs likewise, all kinds of factors on edges. */
static void test_kan_ways(void **state) {
  const gt_kan_attribute splines = gt_kan_bspline(-1, 1, 5, 3),
                         bumps = gt_kan_bumps(GT_BASIS_RBF, -1, 1, 8, 0),
                         chebyshev = gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 4, 0, 0);
  (void)state;
  for (uint32_t order = 0; order < 2; order++) {
    const problem problems[] = {
        {67, 20, 10, 1, with(splines, 4, 1, order), order},
        {35, 8, 16, 2, with(splines, 4, 1, order), order},
        {33, 12, 3, 0, with(splines, 12, 1, order), order},
        {70, 16, 8, 0, with(bumps, 16, 0, order), order},
        {31, 7, 10, 1, with(bumps, 7, 1, order), order},
        {1, 5, 1, 0, with(chebyshev, 1, 0, order), order},
        {40, 24, order ? 33 : 13, 1, with(splines, 4, 1, order), order},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check(&problems[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kan_ways)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests_name("kan_ways", tests, open_device, close_device);
}

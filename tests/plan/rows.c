/* Row programs: the ops that are fused with a row reduction, and the inputs that a row program may overwrite.
 * Values on the CPU backend are compared with those of unfused plans. */
#include "plan/plan.h"
#include "support/fixture.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6, WIDTH = 10, MAX_VALUES = WIDTH * WIDTH };

static uint32_t keep(fixture *f, const char *name, gt_id value) {
  const gt_shape shape = gt_node_at(f->graph, value)->shape;
  const uint32_t v = gt_graph_variable(f->graph, name, shape, GT_F32, false);
  gt_assign(f->graph, v, 0, value);
  return v;
}

static gt_plan *planned(fixture *f, bool no_fusion) {
  const gt_target cpu = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};
  return fixture_plan(f, &(gt_plan_options){.target = cpu, .no_fusion = no_fusion});
}

static float ramp(uint32_t v, int64_t i) { return (float)((int)((i * 7 + v * 3) % 11) - 5) / 4; }

/* After two runs the variable has the same value as in an unfused plan. */
static void same_as_unfused(fixture *f, uint32_t variable) {
  const int64_t count = gt_shape_count(f->graph->variable[variable].shape);
  float fused[MAX_VALUES], plain[MAX_VALUES];
  fixture_run(f, planned(f, false), ramp, 2, variable, fused);
  fixture_run(f, planned(f, true), ramp, 2, variable, plain);
  for (int64_t i = 0; i < count; i++)
    if (!(fabsf(fused[i] - plain[i]) <= 1e-5f * fmaxf(1, fabsf(plain[i]))))
      fail_msg("[%d]: %g, not %g", (int)i, fused[i], plain[i]);
}

static gt_id normalised(gt_graph *g, gt_id x) {
  const gt_id centered = gt_sub(g, x, gt_mean(g, x, 2, true));
  const gt_id variance = gt_mean(g, gt_mul(g, centered, centered), 2, true);
  return gt_div(g, centered, gt_sqrt(g, gt_add(g, variance, gt_constant(g, 0.1))));
}

static void a_norm_is_one_step(void **state) {
  fixture *f = *state;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(ROWS, WIDTH)),
              weight = fixture_variable(f, "weight", gt_shape_1(WIDTH));
  const uint32_t y = keep(f, "y", gt_relu(f->graph, gt_mul(f->graph, normalised(f->graph, x), weight)));
  const gt_plan *plan = planned(f, false);
  assert_int_equal(plan->steps, 1);
  assert_string_equal(plan->step[0].kernel->name, "rows");
  assert_int_equal(plan->arena_bytes, 0);
  same_as_unfused(f, y);
}

static int row_programs(const gt_plan *plan) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++) count += !strcmp(plan->step[s].kernel->name, "rows");
  return count;
}

static void the_gradient_of_a_norm_is_one_more_step(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(ROWS, WIDTH)),
              w = fixture_variable(f, "w", gt_shape_2(WIDTH, WIDTH));
  const gt_id normal = normalised(g, gt_matmul(g, x, w, false, false));
  const gt_id product = gt_matmul(g, normal, w, false, true);
  const gt_id loss = gt_sum(g, gt_mul(g, product, product), 0, false);
  gt_id gradient;
  gt_error error = {0};
  assert_true(gt_autodiff(g, loss, &w, 1, &gradient, &error));
  const uint32_t of_w = keep(f, "gradient", gradient);
  assert_int_equal(row_programs(planned(f, false)), 2);
  same_as_unfused(f, of_w);
}

/* An op that reads a GEMM's result is not fused into a row program that the GEMM depends on. */
static void nothing_waits_for_a_product(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(ROWS, WIDTH)),
              w = fixture_variable(f, "w", gt_shape_2(WIDTH, WIDTH));
  const gt_id share = gt_div(g, x, gt_sum(g, gt_abs(g, x), 2, true));
  const uint32_t y = keep(f, "y", gt_add(g, gt_matmul(g, share, w, false, false), share));
  assert_int_equal(planned(f, false)->steps, 2);
  same_as_unfused(f, y);
}

/* A vector of row sums is broadcast as one value per column, so the product is not fused into the row program
 * that computes the sums. */
static void rows_are_not_columns(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(WIDTH / 2, WIDTH / 2));
  const uint32_t y = keep(f, "y", gt_mul(g, x, gt_sum(g, x, 2, false)));
  assert_int_equal(planned(f, false)->steps, 2);
  same_as_unfused(f, y);
}

/* x' = x - mean(x) is computed in place, because a row is overwritten only after it has been reduced. */
static void a_row_is_overwritten_in_place(void **state) {
  fixture *f = *state;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(ROWS, WIDTH));
  gt_assign(f->graph, 0, 0, gt_sub(f->graph, x, gt_mean(f->graph, x, 2, true)));
  assert_int_equal(planned(f, false)->steps, 1);
  same_as_unfused(f, 0);
}

/* v[r] += the sum of row r of x * x: in place. w[r] = the sum of row r of x * w: not in place, because every
 * row reads all of w. */
static void values_per_row_are_overwritten(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(ROWS, ROWS)),
              v = fixture_variable(f, "v", gt_shape_1(ROWS));
  gt_assign(g, 1, 0, gt_add(g, v, gt_sum(g, gt_mul(g, x, x), 2, false)));
  assert_int_equal(planned(f, false)->steps, 1);
  same_as_unfused(f, 1);
  const gt_id w = fixture_variable(f, "w", gt_shape_1(ROWS));
  gt_assign(g, 2, 0, gt_neg(g, gt_sum(g, gt_mul(g, x, w), 2, false)));
  assert_true(planned(f, false)->steps > 2);
  same_as_unfused(f, 2);
}

/* There is no input: the random row is generated again in each pass, with the same values. */
static void random_rows_are_the_same_in_every_pass(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const uint32_t steps = gt_graph_variable(g, "steps", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false);
  const gt_id drawn = gt_random(g, gt_shape_2(ROWS, WIDTH), gt_clock(g, steps, table));
  const uint32_t y = keep(f, "y", normalised(g, drawn));
  assert_int_equal(planned(f, false)->steps, 2);
  same_as_unfused(f, y);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_norm_is_one_step),
      TEST(the_gradient_of_a_norm_is_one_more_step),
      TEST(nothing_waits_for_a_product),
      TEST(rows_are_not_columns),
      TEST(a_row_is_overwritten_in_place),
      TEST(values_per_row_are_overwritten),
      TEST(random_rows_are_the_same_in_every_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

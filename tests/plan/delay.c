/* The level of a kernel that can run in several levels (plan/delay.c), and the order of kernels within a
 * level. An expensive kernel does not run in the level of a GEMM that depends on the cache, but in one with
 * less work. A cheap kernel runs in the level with more work. */
#include "op/core.h"
#include "op/kan/kan.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 8192, INPUTS = 784 };

typedef struct levels {
  uint32_t input, coefficients; /* the levels of the GEMMs that compute these gradients */
} levels;

/* Plans both gradients of an RBF layer; of the inputs' gradient, only column sums are used. Asserts that this
 * kernel computes the inputs' gradient. */
static levels plan_gradients(fixture *f, int64_t outputs, const char *kernel) {
  gt_graph *g = f->graph;
  gt_kan_attribute a = gt_kan_bumps(GT_BASIS_RBF, -2, 2, 8, 0);
  a.block = 16;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(BATCH, INPUTS)),
              gradient = fixture_variable(f, "g", gt_shape_2(BATCH, outputs)),
              coefficients = fixture_variable(f, "c", gt_shape_2(INPUTS * a.terms, outputs));
  fixture_keep(f, "of_coefficients", gt_kan_coefficients(g, x, gradient, &a));
  a.order = 1;
  fixture_keep(f, "of_inputs", gt_sum(g, gt_kan_input(g, x, gradient, coefficients, GT_NONE, &a), 0, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  levels levels_of = {0};
  bool found = false;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (!step->flops || strncmp(step->kernel->name, "product_", 8) != 0) continue;
    const bool of_inputs = step->spec[GT_FACTOR_SPEC_SEGMENT] != 0;
    *(of_inputs ? &levels_of.input : &levels_of.coefficients) = step->level;
    found |= of_inputs && !strcmp(step->kernel->name, kernel);
  }
  assert_true(found);
  return levels_of;
}

static void expensive_kernel_avoids_a_packed_gemm(void **state) {
  const levels levels_of = plan_gradients(*state, 64, "product_packed");
  assert_true(levels_of.coefficients > levels_of.input);
}

static void expensive_kernel_joins_a_staged_gemm(void **state) {
  /* Segments with padding are not packed. */
  const levels levels_of = plan_gradients(*state, 33, "product_matrix");
  assert_int_equal(levels_of.coefficients, levels_of.input);
}

/* The level of the product with this many rows. */
static uint32_t level_of_rows(const gt_plan *plan, uint32_t rows) {
  for (uint32_t s = 0; s < plan->steps; s++) {
    struct gt_matmul_args args;
    if (plan->step[s].args_size != sizeof args || !plan->step[s].flops) continue;
    memcpy(&args, plan->step[s].args, sizeof args);
    if (args.m == rows) return plan->step[s].level;
  }
  fail_msg("there is no product of %u rows", rows);
  return 0;
}

/* xᵀ g is cheap and has no consumer. It runs in the level of the large GEMM, not in that of g w, which the
 * large GEMM reads. */
static void cheap_kernel_joins_an_expensive_one(void **state) {
  enum { ROWS = 48, UNITS = 64, OUTPUTS = 10 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(BATCH, ROWS)),
              upstream = fixture_variable(f, "g", gt_shape_2(BATCH, OUTPUTS)),
              w = fixture_variable(f, "w", gt_shape_2(OUTPUTS, UNITS)),
              y = fixture_variable(f, "y", gt_shape_2(BATCH, INPUTS));
  fixture_keep(f, "little", gt_matmul(g, x, upstream, true, false));
  fixture_keep(f, "much", gt_matmul(g, gt_matmul(g, upstream, w, false, false), y, true, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  assert_true(level_of_rows(plan, UNITS) > level_of_rows(plan, BATCH));
  assert_int_equal(level_of_rows(plan, ROWS), level_of_rows(plan, UNITS));
}

/* Of two expensive GEMMs in one level, the one with fewer workgroups is first, even if it has less work. */
static void gemm_with_fewer_workgroups_is_first(void **state) {
  enum { ROWS = 8192, DEEP = 4096, WIDE = 256, SHALLOW = 128 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id many = fixture_variable(f, "many", gt_shape_2(ROWS, SHALLOW)),
              of_many = fixture_variable(f, "of_many", gt_shape_2(SHALLOW, ROWS)),
              few = fixture_variable(f, "few", gt_shape_2(WIDE, DEEP)),
              of_few = fixture_variable(f, "of_few", gt_shape_2(DEEP, WIDE));
  fixture_keep(f, "y", gt_matmul(g, many, of_many, false, false));
  fixture_keep(f, "z", gt_matmul(g, few, of_few, false, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  const gt_step *product[2];
  uint32_t products = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    if (plan->step[s].flops > 1e8 && products < 2) product[products++] = &plan->step[s];
  assert_int_equal(products, 2);
  assert_int_equal(product[0]->level, product[1]->level);
  assert_true(gt_step_workgroups(product[0]) < gt_step_workgroups(product[1]));
  assert_true(product[0]->flops < product[1]->flops);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      pin_test_setup_teardown(expensive_kernel_avoids_a_packed_gemm, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(expensive_kernel_joins_a_staged_gemm, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(cheap_kernel_joins_an_expensive_one, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(gemm_with_fewer_workgroups_is_first, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

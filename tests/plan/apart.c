/* The level of a kernel that can run in several levels (plan/delay.c): an expensive one must not run beside a
 * product that depends on the cache, but in a level with less work; a cheap one runs in a level with more
 * work. And the order of kernels within a level. */
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

enum { LINES = 8192, INPUTS = 784 };

typedef struct levels {         /* of a plan: */
  uint32_t input, coefficients; /* the levels of the products that compute these gradients */
  uint32_t all;                 /* the number of levels */
} levels;

/* Plans both gradients of an RBF layer; only column sums of the inputs' gradient are used. Asserts that the
 * inputs' gradient is computed by this kernel. */
static levels plan_gradients(fixture *f, int64_t outputs, const char *kernel) {
  gt_graph *g = f->graph;
  gt_kan_attribute a = gt_kan_bumps(GT_BASIS_RBF, -2, 2, 8, 0);
  a.block = 16;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(LINES, INPUTS)),
              gradient = fixture_variable(f, "g", gt_shape_2(LINES, outputs)),
              coefficients = fixture_variable(f, "c", gt_shape_2(INPUTS * a.terms, outputs));
  fixture_keep(f, "of_coefficients", gt_kan_coefficients(g, x, gradient, &a));
  a.order = 1;
  fixture_keep(f, "of_inputs", gt_sum(g, gt_kan_input(g, x, gradient, coefficients, GT_NONE, &a), 0, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  levels at = {.all = plan->levels};
  bool found = false;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (!step->flops || strncmp(step->kernel->name, "product_", 8) != 0) continue;
    const bool of_inputs = step->spec[GT_FACTOR_SPEC_SEGMENT] != 0;
    *(of_inputs ? &at.input : &at.coefficients) = step->level;
    found |= of_inputs && !strcmp(step->kernel->name, kernel);
  }
  assert_true(found);
  return at;
}

static void beside_a_packed_product(void **state) {
  const levels at = plan_gradients(*state, 64, "product_packed");
  assert_true(at.coefficients > at.input);
  assert_true(at.coefficients < at.all);
}

static void beside_a_staged_one(void **state) {
  const levels at = plan_gradients(*state, 33, "product_matrix"); /* segments with padding are not packed */
  assert_int_equal(at.coefficients, at.input);
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

/* xᵀ g is cheap and has no consumer. It runs in the level of the large product, not in that of g w, which the
 * large product reads. */
static void little_beside_much(void **state) {
  enum { ROWS = 48, UNITS = 64, OUTPUTS = 10 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(LINES, ROWS)),
              up = fixture_variable(f, "g", gt_shape_2(LINES, OUTPUTS)),
              w = fixture_variable(f, "w", gt_shape_2(OUTPUTS, UNITS)),
              y = fixture_variable(f, "y", gt_shape_2(LINES, INPUTS));
  fixture_keep(f, "little", gt_matmul(g, x, up, true, false));
  fixture_keep(f, "much", gt_matmul(g, gt_matmul(g, up, w, false, false), y, true, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  assert_true(level_of_rows(plan, UNITS) > level_of_rows(plan, LINES));
  assert_int_equal(level_of_rows(plan, ROWS), level_of_rows(plan, UNITS));
}

/* Of two expensive products on one level, the one with fewer workgroups is first, whichever computes more. */
static void few_before_many(void **state) {
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
  assert_true(gt_step_groups(product[0]) < gt_step_groups(product[1]));
  assert_true(product[0]->flops < product[1]->flops);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      pin_test_setup_teardown(beside_a_packed_product, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(beside_a_staged_one, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(little_beside_much, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(few_before_many, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Kernels that compute a lot, run at the same level as a product that depends on the cache, and can wait, are
 * moved to a level with less work; kernels that compute little and can wait are moved to a level with more.
 * And the order within a level. */
#include "op/core.h"
#include "op/kan/kan.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "support/drawing.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LINES = 8192, INPUTS = 784 };

typedef struct levels {
  uint32_t input, coefficients, all;
} levels;

/* Both gradients of an RBF layer; of the inputs' gradient only column sums are used, of the coefficients'
 * all. */
static levels plan_gradients(fixture *f, int64_t outputs, const char *kernel) {
  gt_graph *g = f->graph;
  gt_kan_attribute a = gt_kan_bumps(GT_BASIS_RBF, -2, 2, 8, 0);
  a.block = 16;
  const gt_id x = drawing_variable(f, "x", gt_shape_2(LINES, INPUTS)),
              gradient = drawing_variable(f, "g", gt_shape_2(LINES, outputs)),
              coefficients = drawing_variable(f, "c", gt_shape_2(INPUTS * a.terms, outputs));
  drawing_keep(f, "of_coefficients", gt_kan_coefficients(g, x, gradient, &a));
  a.order = 1;
  drawing_keep(f, "of_inputs", gt_sum(g, gt_kan_input(g, x, gradient, coefficients, GT_NONE, &a), 0, false));
  const gt_plan *plan = drawing_plan(f, &(gt_plan_options){.target = drawing_fast_gpu, .no_overlap = true});
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

/* xᵀ g, which has no consumer in the plan, and g w, which a large product reads. */
static void little_beside_much(void **state) {
  enum { ROWS = 48, UNITS = 64, OUTPUTS = 10 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = drawing_variable(f, "x", gt_shape_2(LINES, ROWS)),
              up = drawing_variable(f, "g", gt_shape_2(LINES, OUTPUTS)),
              w = drawing_variable(f, "w", gt_shape_2(OUTPUTS, UNITS)),
              y = drawing_variable(f, "y", gt_shape_2(LINES, INPUTS));
  drawing_keep(f, "little", gt_matmul(g, x, up, true, false));
  drawing_keep(f, "much", gt_matmul(g, gt_matmul(g, up, w, false, false), y, true, false));
  const gt_plan *plan = drawing_plan(f, &(gt_plan_options){.target = drawing_fast_gpu, .no_overlap = true});
  assert_true(level_of_rows(plan, UNITS) > level_of_rows(plan, LINES));
  assert_int_equal(level_of_rows(plan, ROWS), level_of_rows(plan, UNITS));
}

/* Of two expensive products on one level, the one with fewer workgroups is first, whichever computes more. */
static void few_before_many(void **state) {
  enum { ROWS = 8192, DEEP = 4096, WIDE = 256, SHALLOW = 128 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id many = drawing_variable(f, "many", gt_shape_2(ROWS, SHALLOW)),
              of_many = drawing_variable(f, "of_many", gt_shape_2(SHALLOW, ROWS)),
              few = drawing_variable(f, "few", gt_shape_2(WIDE, DEEP)),
              of_few = drawing_variable(f, "of_few", gt_shape_2(DEEP, WIDE));
  drawing_keep(f, "y", gt_matmul(g, many, of_many, false, false));
  drawing_keep(f, "z", gt_matmul(g, few, of_few, false, false));
  const gt_plan *plan = drawing_plan(f, &(gt_plan_options){.target = drawing_fast_gpu, .no_overlap = true});
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
      pin_test_setup_teardown(beside_a_packed_product, drawing_setup, drawing_teardown),
      pin_test_setup_teardown(beside_a_staged_one, drawing_setup, drawing_teardown),
      pin_test_setup_teardown(little_beside_much, drawing_setup, drawing_teardown),
      pin_test_setup_teardown(few_before_many, drawing_setup, drawing_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

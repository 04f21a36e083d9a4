/* Two gradients that depend on the same value run at the same time. On matrix units each gets a configuration
 * with workgroups for half of the device, if both have one. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "plan/plan.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct groups { /* numbers of workgroups of the products that compute a layer's gradients */
  uint32_t of_inputs, of_weights;
} groups;

/* apart: the gradient of the weights depends on a later value, so that the two run one after another. */
static groups plan_gradients(fixture *f, int64_t lines, int64_t inputs, int64_t outputs, bool apart) {
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(lines, inputs)),
              given = fixture_variable(f, "g", gt_shape_2(lines, outputs)),
              weights = fixture_variable(f, "w", gt_shape_2(inputs, outputs));
  const gt_id now = gt_mul(g, given, given), later = gt_mul(g, now, given);
  fixture_keep(f, "of_inputs", gt_matmul(g, now, weights, false, true));
  fixture_keep(f, "of_weights", gt_matmul(g, x, apart ? later : now, true, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  groups of = {0};
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (!step->flops || strncmp(step->kernel->name, "product_", 8) != 0) continue;
    *(of.of_inputs ? &of.of_weights : &of.of_inputs) = step->grid[0] * step->grid[1];
  }
  assert_true(of.of_inputs && of.of_weights);
  return of;
}

static void both_fit(void **state) {
  const groups of = plan_gradients(*state, 4096, 256, 256, false);
  assert_in_range(of.of_inputs, 1, fixture_fast_gpu.units / 2);
  assert_in_range(of.of_weights, 1, fixture_fast_gpu.units / 2);
}

static void one_does_not_fit(void **state) {
  const groups of = plan_gradients(*state, 32768, 512, 256, false);
  assert_true(of.of_inputs > fixture_fast_gpu.units / 2);
  assert_true(of.of_weights > fixture_fast_gpu.units / 2);
}

static void one_after_another(void **state) {
  const groups of = plan_gradients(*state, 4096, 256, 256, true);
  assert_true(of.of_inputs > fixture_fast_gpu.units / 2);
  assert_true(of.of_weights > fixture_fast_gpu.units / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      pin_test_setup_teardown(both_fit, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(one_does_not_fit, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(one_after_another, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

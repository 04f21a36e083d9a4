/* Two gradients that depend on the same value run in the same level. On matrix units, each gets a launch
 * configuration that fills half of the device, if both have such a configuration. */
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

typedef struct groups { /* the numbers of workgroups of the GEMMs that compute a layer's gradients */
  uint32_t of_inputs, of_weights;
} groups;

/* sequential: the gradient of the weights depends on a later value, so that the two run one after the
 * other. */
static groups plan_gradients(fixture *f, int64_t rows, int64_t inputs, int64_t outputs, bool sequential) {
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(rows, inputs)),
              upstream = fixture_variable(f, "g", gt_shape_2(rows, outputs)),
              weights = fixture_variable(f, "w", gt_shape_2(inputs, outputs));
  const gt_id now = gt_mul(g, upstream, upstream), later = gt_mul(g, now, upstream);
  fixture_keep(f, "of_inputs", gt_matmul(g, now, weights, false, true));
  fixture_keep(f, "of_weights", gt_matmul(g, x, sequential ? later : now, true, false));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  groups groups_of = {0};
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (!step->flops || strncmp(step->kernel->name, "product_", 8) != 0) continue;
    *(groups_of.of_inputs ? &groups_of.of_weights : &groups_of.of_inputs) = step->grid[0] * step->grid[1];
  }
  assert_true(groups_of.of_inputs && groups_of.of_weights);
  return groups_of;
}

static void each_gets_half_if_both_fit(void **state) {
  const groups groups_of = plan_gradients(*state, 4096, 256, 256, false);
  assert_in_range(groups_of.of_inputs, 1, fixture_fast_gpu.units / 2);
  assert_in_range(groups_of.of_weights, 1, fixture_fast_gpu.units / 2);
}

static void none_is_limited_to_half_if_one_does_not_fit(void **state) {
  const groups groups_of = plan_gradients(*state, 32768, 512, 256, false);
  assert_true(groups_of.of_inputs > fixture_fast_gpu.units / 2);
  assert_true(groups_of.of_weights > fixture_fast_gpu.units / 2);
}

static void sequential_gradients_are_not_limited_to_half(void **state) {
  const groups groups_of = plan_gradients(*state, 4096, 256, 256, true);
  assert_true(groups_of.of_inputs > fixture_fast_gpu.units / 2);
  assert_true(groups_of.of_weights > fixture_fast_gpu.units / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      pin_test_setup_teardown(each_gets_half_if_both_fit, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(none_is_limited_to_half_if_one_does_not_fit, fixture_setup, fixture_teardown),
      pin_test_setup_teardown(sequential_gradients_are_not_limited_to_half, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Memory of a KAN layer's training step on a large GPU with matrix units. It is at most 10 % more than the
 * layer's inputs, outputs, parameters and their gradients, even with a fine grid: basis functions are not
 * stored, coefficients have one packed copy for the matrix units, and the amax of basis functions follows
 * from that of the inputs. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/kan.h"
#include "plan/plan.h"
#include "support/fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BATCH = 8192, INPUTS = 784, OUTPUTS = 64, GRID = 100, DEGREE = 3, BLOCK = 16 };

/* Keeps the parameter after a gradient step. */
static void keep_updated(fixture *f, const char *name, gt_id parameter, gt_id gradient) {
  const gt_shape shape = gt_node_at(f->graph, parameter)->shape;
  fixture_keep(f, name, gt_sub(f->graph, parameter, gt_reshape(f->graph, gradient, shape)));
}

/* Plans a training step of the layer, with or without a scale per edge. */
static void check_memory(fixture *f, bool scaled) {
  gt_graph *g = f->graph;
  gt_kan_attribute a = gt_kan_bspline(-1, 1, GRID, DEGREE);
  a.base = 1, a.block = BLOCK;
  const gt_shape coefficients = gt_shape_2(INPUTS * (a.terms + 1), OUTPUTS),
                 edges = gt_shape_2(INPUTS, OUTPUTS);
  const gt_id data = fixture_variable(f, "data", gt_shape_2(BATCH, INPUTS)),
              c = fixture_variable(f, "coefficients", coefficients),
              scales = scaled ? fixture_variable(f, "scales", edges) : GT_NONE;
  const gt_id x = gt_mul(g, data, data), y = gt_kan(g, x, c, scales, &a), slope = gt_mul(g, y, y);
  gt_id of_c = gt_kan_coefficients(g, x, slope, &a);
  if (scaled) {
    of_c = gt_kan_scale(g, of_c, c, scales, &a);
    keep_updated(f, "new scales", scales, gt_result(g, of_c, 1));
  }
  keep_updated(f, "new coefficients", c, of_c);
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  const int64_t parameters = gt_shape_count(coefficients) + (scaled ? gt_shape_count(edges) : 0),
                values = (int64_t)BATCH * (INPUTS + 2 * OUTPUTS);
  const double bytes = (double)plan->arena_bytes + 4.0 * (double)parameters,
               minimum = 4.0 * (double)(values + 2 * parameters);
  if (!(bytes <= 1.1 * minimum)) fail_msg("%.0f bytes for %.0f", bytes, minimum);
}

static void without_edge_scales(void **state) { check_memory(*state, false); }

static void with_edge_scales(void **state) { check_memory(*state, true); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(without_edge_scales, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(with_edge_scales, fixture_setup, fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

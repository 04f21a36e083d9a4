/* Row programs on aligned addresses, as in training, so that rows whose length is a multiple of 4 are read
 * and written as vec4; the cases of tests/op/rows.c use unaligned addresses. The result overwrites the input.
 * An invocation for which a row has no vec4 left reads the last one again, which may have been overwritten:
 * these values must not change the result. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/rows.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 1 << 16 };
enum { X, WEIGHT, FACTOR, VARIABLES };
/* Widths up to which every device keeps a row in registers, and above which none does. */
enum { KEPT_EVERYWHERE = 2048, KEPT_NOWHERE = 8192 };

static float value[VARIABLES][MOST], before[MOST];

/* x becomes its layer norm, and factor the reciprocal deviation of each row. */
static gt_graph *build_graph(gt_arena *arena, uint32_t rows, uint32_t width) {
  gt_graph *g = gt_graph_create(arena);
  const gt_shape shape = gt_shape_2(rows, width);
  const uint32_t input = gt_graph_variable(g, "x", shape, GT_F32, false);
  const uint32_t weight = gt_graph_variable(g, "weight", gt_shape_1(width), GT_F32, false);
  gt_graph_variable(g, "factor", gt_shape_2(rows, 1), GT_F32, false);
  const gt_id x = gt_variable_read(g, input), centered = gt_sub(g, x, gt_mean(g, x, 2, true));
  const gt_id variance = gt_mean(g, gt_mul(g, centered, centered), 2, true);
  const gt_id factor = gt_reciprocal(g, gt_sqrt(g, gt_add(g, variance, gt_constant(g, 0.1))));
  gt_assign(g, X, 0, gt_mul(g, gt_mul(g, centered, factor), gt_variable_read(g, weight)));
  gt_assign(g, FACTOR, 0, factor);
  return g;
}

/* A pin (support/pin.h): one step, which keeps its rows in registers if they are short enough. */
static void pin_plan(const gt_plan *plan, uint32_t width) {
  assert_int_equal(plan->steps, 1);
  assert_string_equal(plan->step[0].kernel->name, "rows");
  if (width <= KEPT_EVERYWHERE || width > KEPT_NOWHERE)
    assert_int_equal(plan->step[0].spec[GT_ROWS_SPEC_KEPT], width <= KEPT_EVERYWHERE);
}

static void run(uint32_t rows, uint32_t width) {
  gt_arena arena;
  float *values[VARIABLES] = {value[X], value[WEIGHT], value[FACTOR]};
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, rows, width);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.target.units = 4});
  pin_plan(plan, width);
  for (uint32_t i = 0; i < rows * width; i++) value[X][i] = before[i] = (float)(i * 37 % 251) / 64 - 1;
  for (uint32_t j = 0; j < width; j++) value[WEIGHT][j] = 1 + (float)(j % 7) / 8;
  memset(value[FACTOR], 0xff, sizeof value[FACTOR]); /* elements that are not written stay NaN */
  device_run(plan, g, 1, values);
  gt_arena_finish(&arena);
}

static void check(uint32_t rows, uint32_t width) {
  run(rows, width);
  for (uint32_t r = 0; r < rows; r++) {
    const float *x = before + (size_t)r * width, *y = value[X] + (size_t)r * width;
    double mean = 0, variance = 0;
    for (uint32_t j = 0; j < width; j++) mean += x[j] / (double)width;
    for (uint32_t j = 0; j < width; j++) variance += (x[j] - mean) * (x[j] - mean) / width;
    const double factor = 1 / sqrt(variance + 0.1);
    if (!(fabs(value[FACTOR][r] - factor) <= 1e-5 * factor))
      fail_msg("%ux%u: factor %u is %.9g, should be %.9g", rows, width, r, value[FACTOR][r], factor);
    for (uint32_t j = 0; j < width; j++) {
      const double want = (x[j] - mean) * factor * value[WEIGHT][j];
      if (!(fabs(y[j] - want) <= 1e-5 * (1 + fabs(want))))
        fail_msg("%ux%u: [%u, %u] is %.9g, should be %.9g", rows, width, r, j, y[j], want);
    }
  }
}

static void multiples_of_four(void **state) {
  (void)state;
  check(3, 4);
  check(67, 8);
  check(70, 64);
  check(33, 132);
  check(5, 784);
  check(2, 2052);
  check(3, 8192);
}

static void not_multiples_of_four(void **state) {
  (void)state;
  check(5, 3);
  check(131, 10);
  check(9, 127);
  check(4, 785);
}

static void too_long_to_keep(void **state) {
  (void)state;
  check(2, 8196);
  check(2, 12289);
  check(3, 16384);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(multiples_of_four),
                                     cmocka_unit_test(not_multiples_of_four),
                                     cmocka_unit_test(too_long_to_keep)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests(tests, open_device, close_device);
}

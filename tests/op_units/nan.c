/* A NaN stays a NaN on the device, as on the CPU: in selections between two values, in maxima and minima
 * along either axis, in row programs. A driver's own max may return the other operand, and a driver may
 * compile a comparison with a selection to max. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/pool.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "support/device.h"
#include "support/fixture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 4096, ROWS = 37, WINDOW = 2 };
enum { X, RELU, LARGEST, SMALLEST, OF_ROW, OF_COLUMN, OF_ALL, SHIFTED, POOLED, PRODUCT, VARIABLES };
static float value[VARIABLES][MOST];

static gt_graph *build_graph(gt_arena *arena, int64_t width) {
  gt_graph *g = gt_graph_create(arena);
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, "x", gt_shape_2(ROWS, width), GT_F32, false));
  const gt_id zero = gt_constant(g, 0), of_row = gt_reduce_max(g, x, 2, true);
  const gt_shape picture = {.rank = 3, .dim = {1, ROWS * width, 1}};
  const gt_pool_attribute pool = {.axes = 1, .window = {WINDOW}, .stride = {WINDOW}, .dilation = {1}};
  fixture_assign(g, "relu", gt_relu(g, x));
  fixture_assign(g, "largest", gt_max(g, x, zero));
  fixture_assign(g, "smallest", gt_min(g, zero, x));
  fixture_assign(g, "of_row", of_row);
  fixture_assign(g, "of_column", gt_reduce_min(g, x, 1, false));
  fixture_assign(g, "of_all", gt_reduce_max(g, x, 0, false));
  fixture_assign(g, "shifted", gt_sub(g, x, of_row));
  fixture_assign(g, "pooled", gt_max_pool(g, gt_reshape(g, x, picture), &pool, false));
  fixture_assign(g, "product", gt_relu(g, gt_matmul(g, x, x, false, true)));
  return g;
}

static void check(int v, int64_t i, bool is_nan, const char *what) {
  if (isnan(value[v][i]) != is_nan)
    fail_msg("%s: element %lld is %g", what, (long long)i, (double)value[v][i]);
}

static void check_width(int64_t width) {
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, width);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  bool row[ROWS] = {false}, column[MOST] = {false}; /* true if they contain a NaN */
  assert_true(ROWS * width <= MOST);
  for (int64_t i = 0; i < ROWS * width; i++) value[X][i] = (float)(i * 37 % 251) / 64 - 1;
  static const uint32_t nan[] = {0x7fc00000, 0xffc00000, 0x7fffffff, 0x7f800001};
  for (int64_t n = 0; n < 4; n++) {
    const int64_t r = 3 + 9 * n, c = n * 5 % width;
    memcpy(&value[X][r * width + c], &nan[n], 4);
    row[r] = column[c] = true;
  }
  device_run(plan, g, 1,
             (float *[]){value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7],
                         value[8], value[9]});
  for (int64_t i = 0; i < ROWS * width; i++) {
    const bool is_nan = isnan(value[X][i]);
    check(RELU, i, is_nan, "relu");
    check(LARGEST, i, is_nan, "max");
    check(SMALLEST, i, is_nan, "min");
    check(SHIFTED, i, row[i / width], "x minus the largest of its row");
    if (i % WINDOW == 0 && i + 1 < ROWS * width)
      check(POOLED, i / WINDOW, is_nan || isnan(value[X][i + 1]), "max_pool");
  }
  for (int64_t r = 0; r < ROWS; r++) check(OF_ROW, r, row[r], "largest of a row");
  for (int64_t c = 0; c < width; c++) check(OF_COLUMN, c, column[c], "smallest of a column");
  for (int64_t i = 0; i < ROWS * ROWS; i++)
    check(PRODUCT, i, row[i / ROWS] || row[i % ROWS], "relu of a product");
  check(OF_ALL, 0, true, "largest of all");
  gt_arena_finish(&arena);
}

static void multiples_of_four(void **state) {
  (void)state;
  check_width(36);
}

static void not_multiples_of_four(void **state) {
  (void)state;
  check_width(3);
  check_width(41);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(multiples_of_four),
                                     cmocka_unit_test(not_multiples_of_four)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests(tests, open_device, close_device);
}

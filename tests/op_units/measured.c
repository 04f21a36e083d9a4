/* Products on matrix units scale their operands by the amax of rows or columns. If the kernel that writes an
 * operand also finds its amax, no step has to measure it, and the result has the same bits as if it were
 * measured; also with infinities and NaN. */
#include "op/batch.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/kan/kan.h"
#include "op/matmul/matmul.h"
#include "base/philox.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "support/device.h"
#include "support/fixture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 16 };

typedef struct chain {           /* h = relu(x w), y = h v, hT h, hT y, xT y and y vT (build_graph) */
  uint32_t rows, in, units, out; /* x: [rows, in], h: [rows, units], y: [rows, out] */
  bool bytes;                    /* x is a batch of bytes */
  bool scalar; /* h is computed on scalar units; the only other products are h v and hT h (build_scalar) */
  int fewer;   /* number of steps that only compute an amax and that fusion saves */
  uint32_t units_of_device; /* not 0: plan for a device with this many, which determines the tiling */
  bool basis;               /* with `scalar`: also products of basis functions of x with h */
} chain;

static float *values[2][MOST]; /* [no_fusion][variable] */
static int variables;
static gt_precision precision;

static gt_id variable(gt_graph *g, const char *name, int64_t rows, int64_t columns) {
  return gt_variable_read(g, gt_graph_variable(g, name, gt_shape_2(rows, columns), GT_F32, false));
}

/* A batch of bytes, in order. even: its largest magnitude is known (gt_op.even). */
static gt_id batch_of_bytes(gt_graph *g, const chain *c, bool even) {
  const gt_id clock = gt_clock(g, gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false),
                               gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false));
  const gt_id data =
      gt_variable_read(g, gt_graph_variable(g, "data", gt_shape_2(c->rows, c->in), GT_U8, false));
  const gt_batch_attribute attribute = {
      .batch = c->rows, .samples = c->rows, .sequential = true, .even = even ? 255 : 0};
  return gt_batch(g, data, clock, GT_NONE, attribute);
}

static void build_scalar(gt_graph *g, const chain *c) {
  gt_kan_attribute even = gt_kan_bumps(GT_BASIS_RBF, -1, 1, 4, 0), uneven = gt_kan_bspline(-1, 1, 3, 2);
  const gt_id x = variable(g, "x", c->rows, c->in), w = variable(g, "w", c->in, c->units),
              v = variable(g, "v", c->units, c->out);
  even.block = uneven.block = 4;
  uneven.base = 1;
  gt_graph_set_precision(g, GT_PRECISION_SCALAR);
  const gt_id h = gt_relu(g, gt_matmul(g, x, w, false, false));
  gt_graph_set_precision(g, precision);
  fixture_assign(g, "hh", gt_matmul(g, h, h, true, false));
  fixture_assign(g, "hv", gt_matmul(g, h, v, false, false));
  if (!c->basis) return;
  fixture_assign(g, "even", gt_kan_coefficients(g, x, h, &even));
  fixture_assign(g, "uneven", gt_kan_coefficients(g, x, h, &uneven));
}

static void build_graph(gt_graph *g, const chain *c, bool even) {
  if (c->scalar) {
    build_scalar(g, c);
    return;
  }
  const gt_id x = c->bytes ? batch_of_bytes(g, c, even) : variable(g, "x", c->rows, c->in),
              w = variable(g, "w", c->in, c->units), v = variable(g, "v", c->units, c->out);
  const gt_id h = gt_relu(g, gt_matmul(g, x, w, false, false)), y = gt_matmul(g, h, v, false, false);
  fixture_assign(g, "y", y);
  fixture_assign(g, "hh", gt_matmul(g, h, h, true, false));
  fixture_assign(g, "hy", gt_matmul(g, h, y, true, false));
  fixture_assign(g, "xy", gt_matmul(g, x, y, true, false));
  fixture_assign(g, "back", gt_matmul(g, y, v, false, true));
}

/* odd: replaces one element of x. */
static void fill(float *to, const gt_variable *variable_, uint64_t count, uint32_t v, float odd) {
  if (!strcmp(variable_->name, "state") || !strcmp(variable_->name, "table")) {
    memset(to, 0, count * 4);
    return;
  }
  for (uint32_t i = 0; i < 4 * count && variable_->dtype == GT_U8; i++)
    ((uint8_t *)to)[i] = (uint8_t)(256 * gt_random_uniform(7, v, 0, i));
  for (uint32_t i = 0; i < count && variable_->dtype != GT_U8; i++)
    to[i] = (float)ldexp(2 * gt_random_uniform(7, v, 0, i) - 1, (int)(i * 7 % 23) - 11);
  if (!strcmp(variable_->name, "x")) to[count / 3] = odd;
}

static int count_steps(const gt_plan *plan, const char *kernel) {
  int found = 0;
  for (uint32_t s = 0; s < plan->steps; s++) found += !strcmp(plan->step[s].kernel->name, kernel);
  return found;
}

/* True if the kernel that computes h on scalar units also finds the amax of its rows and columns. A pin
 * (support/pin.h): run asserts it. */
static bool pin_scalar(const gt_plan *plan) {
  bool measures = false;
  for (uint32_t s = 0; s < plan->steps; s++)
    measures |= !strcmp(plan->step[s].kernel->name, "matmul") &&
                plan->step[s].spec[GT_MATMUL_SPEC_EXTENTS] & GT_MATMUL_MEASURES_ROWS &&
                plan->step[s].spec[GT_MATMUL_SPEC_EXTENTS] & GT_MATMUL_MEASURES_COLUMNS;
  return measures;
}

/* Runs the chain; returns the number of steps that only compute the amax of operands. */
static int run(const chain *c, bool no_fusion, float odd) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  gt_graph_set_precision(g, precision);
  build_graph(g, c, !no_fusion);
  const gt_plan_options options = {.target.units = c->units_of_device, .no_fusion = no_fusion};
  const gt_plan *plan = device_plan(&arena, g, options);
  variables = (int)g->variables;
  for (int v = 0; v < variables; v++) {
    const uint64_t bytes = plan->variable_bytes[v];
    float *to = values[no_fusion][v] = malloc(bytes);
    assert_non_null(to);
    fill(to, &g->variable[v], bytes / 4, (uint32_t)v, odd);
  }
  device_run(plan, g, 1, values[no_fusion]);
  const int steps = count_steps(plan, "product_range");
  assert_int_equal(pin_scalar(plan), c->scalar && !no_fusion);
  gt_arena_finish(&arena);
  return steps;
}

/* Without fusion no kernel finds the amax of its result, so that steps of their own measure it. */
static void compare(const chain *c, float odd) {
  const int fused_steps = run(c, false, odd), unfused_steps = run(c, true, odd);
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  build_graph(g, c, false);
  for (int v = 0; v < variables; v++) {
    const uint64_t elements =
        (uint64_t)gt_shape_count(g->variable[v].shape) * gt_dtype_size(g->variable[v].dtype) / 4;
    for (uint64_t i = 0; i < elements; i++) {
      const float a = values[0][v][i], b = values[1][v][i];
      if (memcmp(&a, &b, 4) && !(isnan(a) && isnan(b)))
        fail_msg("%s of %u x %u: element %llu is %.9g, measured %.9g", g->variable[v].name, c->rows, c->units,
                 (unsigned long long)i, a, b);
    }
    free(values[0][v]);
    free(values[1][v]);
  }
  gt_arena_finish(&arena);
  assert_int_equal(unfused_steps - fused_steps, c->fewer);
}

static void test_chains(void **state) {
  (void)state;
  static const chain chains[] = {{256, 64, 128, 128, false, false, 2, 0},
                                 {256, 64, 128, 128, true, false, 3, 0},
                                 {100, 36, 256, 120, false, false, 1, 0},
                                 {1024, 32, 512, 40, false, false, 1, 0}};
  /* Other sizes test the same in each precision. */
  const uint32_t tried = precision == GT_PRECISION_HALF ? 1 : sizeof chains / sizeof *chains;
  for (uint32_t i = 0; i < tried; i++)
    if (!is_left_out(i + 1, 2)) compare(&chains[i], 0.5f);
}

/* Tiles of 32, 64 and 128 that extend beyond the result, and scale blocks that are only padding. The amax
 * that scalar units find does not depend on the precision. */
static void test_scalar(void **state) {
  (void)state;
  if (precision == GT_PRECISION_HALF) return;
  compare(&(chain){100, 36, 40, 24, false, true, 2, 132, true}, 0.5f);
  compare(&(chain){100, 36, 40, 24, false, true, 2, 132, true}, INFINITY);
  if (!is_software()) compare(&(chain){300, 40, 100, 40, false, true, 1, 16, false}, 0.5f);
  compare(&(chain){520, 16, 136, 40, false, true, 1, 2, false}, 0.5f);
}

static void test_not_finite(void **state) {
  (void)state;
  compare(&(chain){128, 40, 128, 64, false, false, 2, 0}, INFINITY);
  compare(&(chain){128, 40, 128, 64, false, false, 2, 0}, NAN);
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_scalar),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"float16", "matrix,float16", GT_PRECISION_HALF}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}

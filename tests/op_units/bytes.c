/* Products of a batch of bytes on matrix units: the batch stays in bytes if all consumers read bytes, and the
 * result is as exact as with floats, whatever numbers the bytes represent. */
#include "op/batch.h"
#include "base/philox.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "plan/plan.h"
#include "shaders/op/batch.h"
#include "shaders/op/matmul/factor.h"
#include "support/device.h"
#include "support/fixture.h"
#include "support/operand.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct net { /* the products of support/operand.h */
  uint32_t rows, in, units;
  bool transposed;
  float center, scale, shift; /* x = (byte - center) * scale + shift */
  float odd;                  /* replaces one element of w and of g, unless it is 0 */
  /* What reads x in addition to the products: nothing, an assignment, or an elementwise program. */
  enum { NOTHING, A_VALUE, A_PROGRAM } other_reader;
} net;

enum { STATE, TABLE, DATA, SCALING, W, G, Y, D, MORE, VARIABLES };
static float *value[VARIABLES];
static gt_precision precision;

static gt_id variable(gt_graph *g, const char *name, int64_t rows, int64_t columns, gt_dtype dtype) {
  return gt_variable_read(g, gt_graph_variable(g, name, gt_shape_2(rows, columns), dtype, false));
}

static void build_graph(gt_graph *graph, const net *t) {
  const gt_id clock =
      gt_clock(graph, gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false),
               gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false));
  const gt_batch_attribute attribute = {.batch = t->rows,
                                        .samples = t->rows,
                                        .sequential = true,
                                        .bytes = gt_batch_byte_form(t->center, t->scale, t->shift)};
  const gt_id data = variable(graph, "data", t->rows, t->in, GT_U8),
              scaling = variable(graph, "scaling", 3, 1, GT_F32),
              w = t->transposed ? variable(graph, "w", t->units, t->in, GT_F32)
                                : variable(graph, "w", t->in, t->units, GT_F32),
              g = variable(graph, "g", t->rows, t->units, GT_F32);
  const gt_id x = gt_batch(graph, data, clock, scaling, attribute);
  operand_assign(graph, x, w, g, t->transposed);
  if (t->other_reader == A_VALUE) fixture_assign(graph, "more", x);
  if (t->other_reader == A_PROGRAM) fixture_assign(graph, "more", gt_mul(graph, x, gt_mul(graph, x, x)));
}

static double uniform(uint32_t v, uint64_t i) { return 2 * gt_random_uniform(5, v, 0, (uint32_t)i) - 1; }

static void fill(const net *t, int v, uint64_t count) {
  if (v == DATA)
    for (uint64_t i = 0; i < 4 * count; i++) ((uint8_t *)value[v])[i] = (uint8_t)(128 + 128 * uniform(1, i));
  if (v == SCALING) memcpy(value[v], (float[]){t->center, t->scale, t->shift}, 3 * sizeof(float));
  if (v != W && v != G) return;
  for (uint64_t i = 0; i < count; i++)
    value[v][i] = (float)ldexp(uniform((uint32_t)v, i), (int)(i * 7 % 23) - 11);
  if (t->odd != 0) value[v][count / 3] = t->odd;
}

static double x_at(const void *net_, uint64_t i) {
  const net *t = net_;
  return (((uint8_t *)value[DATA])[i] - (double)t->center) * (double)t->scale + (double)t->shift;
}

/* operand_case.check */
static void check(double got, double expected, double magnitudes, double terms, const char *what,
                  uint64_t i) {
  if (!isfinite(expected) ? isnan(expected) ? isnan(got) : got == expected
                          : fabs(got - expected) <= 0x1p-23 * (2 + sqrt(terms)) * magnitudes)
    return;
  fail_msg("%s: element %llu is %.9g, not %.9g", what, (unsigned long long)i, got, expected);
}

/* A pin (support/pin.h): asserts that a product reads bytes if and only if the batch is stored in bytes,
 * which the batch kernel then copies as 32-bit words. True if it is stored in bytes. */
static bool pin_bytes(const gt_plan *plan) {
  bool bytes = false, read = false;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    bytes |= !strcmp(step->kernel->name, "batch") && step->spec[GT_BATCH_SPEC_MODE] == GT_BATCH_I32;
    read |=
        !strncmp(step->kernel->name, "product_matrix", 14) &&
        (step->spec[GT_FACTOR_SPEC_A] == GT_FACTOR_BYTES || step->spec[GT_FACTOR_SPEC_B] == GT_FACTOR_BYTES);
  }
  assert_int_equal(bytes, read);
  return bytes;
}

static bool run(const net *t) {
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  gt_graph_set_precision(g, precision);
  build_graph(g, t);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){0});
  for (uint32_t v = 0; v < g->variables; v++) {
    value[v] = calloc(1, plan->variable_bytes[v]);
    assert_non_null(value[v]);
    fill(t, (int)v, plan->variable_bytes[v] / 4);
  }
  device_run(plan, g, 1, value);
  const bool bytes = pin_bytes(plan);
  if (precision == GT_PRECISION_AUTO)
    operand_check(&(operand_case){t->rows, t->in, t->units, t->transposed, t, x_at, value[W], value[G],
                                  value[Y], value[D], check});
  for (uint32_t v = 0; v < g->variables; v++) free(value[v]);
  gt_arena_finish(&arena);
  return bytes;
}

static void test_products(void **state) {
  (void)state;
  static const net nets[] = {
      {1, 4, 1, false, 0, 1, 0, 0, NOTHING},
      {64, 128, 64, true, 0, 1.0f / 255, 0, 0, NOTHING},     /* whole tiles */
      {70, 140, 37, true, 33.3184f, 0.0127f, 0, 0, NOTHING}, /* a center that is not an integer */
      {70, 140, 37, false, 33.3184f, 0.0127f, 0, 0, NOTHING},
      {129, 40, 37, true, 0, 2.0f / 255, -1, 0, NOTHING},
      {129, 40, 37, false, 300, 0.25f, 1e3f, 0, NOTHING}, /* no byte represents a number near 0 */
      {100, 132, 40, true, 127, 1e-20f, 0, 0, NOTHING},
      {70, 140, 37, true, 33.3184f, 0.0127f, 0, INFINITY, NOTHING}, /* summed without scales */
      {70, 140, 37, false, 0, 1.0f / 255, 0, NAN, NOTHING}};
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
    const bool bytes = run(&nets[i]);
    /* Whether bytes or floats are faster depends on the device. */
    if (device->target.matrix.emulated) assert_int_equal(bytes, precision == GT_PRECISION_AUTO);
  }
}

/* Batches that must be stored as floats. */
static void test_floats(void **state) {
  (void)state;
  static const net nets[] = {{40, 35, 36, true, 0, 1, 0, 0, NOTHING}, /* row length not a multiple of 4 */
                             {40, 36, 36, true, 0, 1, 0, 0, A_VALUE},
                             {40, 36, 36, true, 0, 1, 0, 0, A_PROGRAM},
                             {40, 36, 36, true, 0, -1, 0, 0, NOTHING}}; /* the scale has no square root */
  for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) assert_false(run(&nets[i]));
  /* Scalings whose bytes do not represent finite numbers. */
  assert_true(gt_batch_byte_form(0, 2e36f, 0).scale == 0);
  assert_true(gt_batch_byte_form(0, 1, INFINITY).scale == 0);
}

static int group(const char *name) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_floats)};
  return cmocka_run_group_tests_name(name, tests, open_device, close_device);
}

int main(void) {
  static const device_mode modes[] = {{"two float16", "matrix,float16", GT_PRECISION_AUTO},
                                      {"float16", "matrix,float16", GT_PRECISION_HALF},
                                      {"scalar", "matrix", GT_PRECISION_SCALAR}};
  return device_in_modes(modes, sizeof modes / sizeof *modes, &precision, group);
}

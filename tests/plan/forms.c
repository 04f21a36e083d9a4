/* Rows of a table are not gathered into memory if all their consumers are GEMMs, which then load them by
 * index; also in training, where the table is overwritten at the end of a step. On a CPU, the results are
 * bitwise equal to those with gathered rows. */
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/gather.h"
#include "op/matmul/matmul.h"
#include "op/matmul/matmul_tile.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/factor.h"
#include "step/math.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 64, INDICES = 6, TABLE_ROWS = 30, WIDTH = 36, UNITS = 36, STEPS = 25 };
enum { TABLE, INDEX, WEIGHT, LOSS }; /* variables, in the order of their declaration */

static gt_id index_of(gt_graph *g, int64_t batch) {
  return gt_variable_read(g, gt_graph_variable(g, "index", gt_shape_2(batch, INDICES), GT_I32, false));
}

/* Gathers INDICES rows of the table for each sample. */
static gt_id rows(fixture *f, int64_t batch, int64_t width) {
  const gt_id table = fixture_variable(f, "table", gt_shape_2(TABLE_ROWS, width));
  return gt_gather(f->graph, table, index_of(f->graph, batch), -1);
}

/* The GEMM of a linear layer that reads the rows, and that of the gradient of its weights. */
static void keep_products(fixture *f, gt_id gathered, int64_t batch, int64_t in) {
  gt_graph *g = f->graph;
  const gt_id x = gt_reshape(g, gathered, gt_shape_2(batch, in));
  fixture_keep(f, "y", gt_matmul(g, x, fixture_variable(f, "w", gt_shape_2(UNITS, in)), false, true));
  fixture_keep(f, "d", gt_matmul(g, fixture_variable(f, "g", gt_shape_2(batch, UNITS)), x, true, false));
}

static int count_gathers(const gt_plan *plan) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++) count += !strcmp(plan->step[s].kernel->name, "gather");
  return count;
}

/* Number of GEMMs that load rows by index. */
static int products_of_rows(const gt_plan *plan) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    count += plan->step[s].flops > 0 && (plan->step[s].spec[GT_FACTOR_SPEC_A] == GT_FACTOR_ROWS ||
                                         plan->step[s].spec[GT_FACTOR_SPEC_B] == GT_FACTOR_ROWS);
  return count;
}

static const gt_target cpu = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX};

/* Plans for a large GPU or for a CPU; kept: a node that must be computed, or NULL. */
static gt_plan *planned(fixture *f, bool device, const gt_id *kept) {
  return fixture_plan(f, &(gt_plan_options){.target = device ? fixture_fast_gpu : cpu,
                                            .keep = kept,
                                            .keep_count = kept != NULL});
}

/* Asserts for a device and for a CPU that GEMMs load the rows by index, or that a step gathers them. */
static void assert_read_by_index(fixture *f, bool by_device, bool by_cpu) {
  const bool by_index[] = {by_cpu && gt_matmul_own_tile(BATCH), by_device};
  for (int device = 0; device < 2; device++) {
    const gt_plan *plan = planned(f, device, NULL);
    assert_int_equal(count_gathers(plan), !by_index[device]);
    assert_int_equal(products_of_rows(plan) > 0, by_index[device]);
  }
}

static void products_read_rows_by_index(void **state) {
  fixture *f = *state;
  const gt_id gathered = rows(f, BATCH, WIDTH);
  keep_products(f, gathered, BATCH, INDICES * WIDTH);
  assert_read_by_index(f, true, true);
  assert_int_equal(products_of_rows(planned(f, true, NULL)), 2);
  assert_true(planned(f, true, NULL)->unaliased_bytes < planned(f, true, &gathered)->unaliased_bytes);
  assert_int_equal(count_gathers(fixture_plan_for(f, true, true)), 1);
}

static void products_read_single_rows_by_index(void **state) {
  fixture *f = *state;
  keep_products(f, rows(f, BATCH, WIDTH), BATCH * INDICES, WIDTH);
  assert_read_by_index(f, true, true);
}

static float integer_value(uint32_t v, int64_t i) {
  const uint32_t number = (uint32_t)(i + 1) * 2654435761u >> 8;
  return v == INDEX ? gt_from_bits(number % TABLE_ROWS) : (float)(number % 9) - 4;
}

/* Asserts that the variable has the same value after the CPU's plan and after an unfused plan. Values are
 * integers, so all sums are exact. */
static void same_as_unfused(fixture *f, const char *name, const gt_id *kept) {
  enum { MAX_VALUES = 2 * BATCH * INDICES * UNITS };
  static float got[MAX_VALUES], want[MAX_VALUES];
  uint32_t v = 0;
  while (strcmp(f->graph->variable[v].name, name) != 0) v++;
  const size_t bytes = (size_t)gt_shape_count(f->graph->variable[v].shape) * sizeof *got;
  assert_true(bytes <= sizeof got);
  fixture_run(f, planned(f, false, kept), integer_value, 1, v, got);
  fixture_run(f, fixture_plan_for(f, false, true), integer_value, 1, v, want);
  assert_memory_equal(got, want, bytes);
}

static void same_products(fixture *f, const gt_id *kept) {
  same_as_unfused(f, "y", kept);
  same_as_unfused(f, "d", kept);
}

static void kept_gather_is_computed(void **state) {
  fixture *f = *state;
  const gt_id gathered = rows(f, BATCH, WIDTH);
  keep_products(f, gathered, BATCH, INDICES * WIDTH);
  for (int device = 0; device < 2; device++) {
    const gt_plan *plan = planned(f, device, &gathered);
    assert_int_equal(count_gathers(plan), 1);
    assert_int_equal(products_of_rows(plan), 0);
  }
  same_products(f, &gathered);
}

static void rows_with_other_readers_are_gathered(void **state) {
  fixture *f = *state;
  const gt_id gathered = rows(f, BATCH, WIDTH);
  keep_products(f, gathered, BATCH, INDICES * WIDTH);
  fixture_keep(f, "more", gt_exp(f->graph, gathered));
  assert_read_by_index(f, false, false);
  same_products(f, NULL);
  same_as_unfused(f, "more", NULL);
}

static void parts_of_rows_are_gathered(void **state) {
  fixture *f = *state;
  keep_products(f, rows(f, BATCH, WIDTH), 2 * BATCH * INDICES, WIDTH / 2);
  assert_read_by_index(f, false, false);
  same_products(f, NULL);
}

static void transposed_rows_are_gathered(void **state) {
  fixture *f = *state;
  const gt_id x = gt_reshape(f->graph, rows(f, BATCH, WIDTH), gt_shape_2(BATCH, INDICES * WIDTH));
  fixture_keep(
      f, "y",
      gt_matmul(f->graph, fixture_variable(f, "w", gt_shape_2(UNITS, INDICES * WIDTH)), x, false, true));
  assert_read_by_index(f, false, false);
  same_as_unfused(f, "y", NULL);
}

static void short_rows_are_gathered_on_a_cpu(void **state) {
  fixture *f = *state;
  keep_products(f, rows(f, BATCH, 16), BATCH, INDICES * 16);
  assert_read_by_index(f, true, false);
}

static void rows_that_are_not_whole_vec4s_are_gathered_on_a_device(void **state) {
  fixture *f = *state;
  keep_products(f, rows(f, BATCH, WIDTH - 1), BATCH, INDICES * (WIDTH - 1));
  assert_read_by_index(f, false, true);
}

/* GEMMs with few rows are computed by OpenBLAS, which reads its operands from memory. */
static void products_with_few_rows_are_gathered_on_a_cpu(void **state) {
  fixture *f = *state;
  keep_products(f, rows(f, 7, WIDTH), 7, INDICES * WIDTH);
  assert_read_by_index(f, true, false);
}

static float fill(uint32_t v, int64_t i) {
  const uint32_t bits = (uint32_t)(i + 1) * 2654435761u >> 8;
  return v == INDEX ? gt_from_bits(bits % TABLE_ROWS) : (float)bits * 0x1p-24f - 0.5f;
}

static gt_id updated(gt_graph *g, gt_id x, gt_id gradient) {
  return gt_sub(g, x, gt_mul(g, gradient, gt_constant(g, 16)));
}

/* Sets table, weight and loss to the values of these variables after training. kept: the gathered rows, if
 * they must be computed; otherwise NULL. */
static void train(fixture *f, const gt_id *kept, float *table, float *weight, float *loss) {
  const gt_plan *plan = planned(f, false, kept);
  assert_int_equal(count_gathers(plan), kept || !gt_matmul_own_tile(BATCH));
  fixture_run(f, plan, fill, STEPS, TABLE, table);
  fixture_run(f, plan, fill, STEPS, WEIGHT, weight);
  fixture_run(f, plan, fill, STEPS, LOSS, loss);
}

static void training_gives_the_same_bits(void **state) {
  static float table[2][TABLE_ROWS * WIDTH], weight[2][UNITS * INDICES * WIDTH], loss[2];
  fixture *f = *state;
  gt_graph *g = f->graph;
  gt_error error = {0};
  gt_id gradient[2], gathered = rows(f, BATCH, WIDTH);
  const gt_id from[] = {fixture_variable(f, "table", gt_shape_2(TABLE_ROWS, WIDTH)),
                        fixture_variable(f, "weight", gt_shape_2(UNITS, INDICES * WIDTH))};
  const gt_id x = gt_reshape(g, gathered, gt_shape_2(BATCH, INDICES * WIDTH));
  const gt_id y = gt_tanh(g, gt_matmul(g, x, from[1], false, true)), off = gt_sub(g, y, gt_constant(g, 0.25));
  const gt_id mean = gt_mean(g, gt_mul(g, off, off), 0, false);
  assert_true(gt_autodiff(g, mean, from, 2, gradient, &error));
  fixture_keep(f, "loss", mean);
  gt_assign(g, TABLE, 0, updated(g, from[0], gradient[0]));
  gt_assign(g, WEIGHT, 0, updated(g, from[1], gradient[1]));
  train(f, NULL, table[0], weight[0], &loss[0]);
  train(f, &gathered, table[1], weight[1], &loss[1]);
  assert_memory_equal(table[0], table[1], sizeof table[0]);
  assert_memory_equal(weight[0], weight[1], sizeof weight[0]);
  assert_memory_equal(&loss[0], &loss[1], sizeof loss[0]);
  assert_true(loss[0] < 0.3f); /* initially 0.89 */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define PIN(name)  pin_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {PIN(products_read_rows_by_index),
                                     PIN(products_read_single_rows_by_index),
                                     TEST(kept_gather_is_computed),
                                     TEST(rows_with_other_readers_are_gathered),
                                     TEST(parts_of_rows_are_gathered),
                                     TEST(transposed_rows_are_gathered),
                                     PIN(short_rows_are_gathered_on_a_cpu),
                                     PIN(rows_that_are_not_whole_vec4s_are_gathered_on_a_device),
                                     PIN(products_with_few_rows_are_gathered_on_a_cpu),
                                     TEST(training_gives_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

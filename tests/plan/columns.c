/* Column reductions in the epilogue of a GEMM, on a device: for which values the kernel that computes them
 * also reduces their columns, and for which it does not. */
#include "op/autodiff.h"
#include "op/conv/conv.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/moments.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/moments.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 1024, IN = 96, UNITS = 64, OUT = 32 };

/* Number of GEMMs whose kernel computes this reduction (GT_COLUMNS_…; 0: none). */
static int products_reducing(const gt_plan *plan, uint32_t kind) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    count +=
        !strcmp(plan->step[s].kernel->name, "matmul") && plan->step[s].spec[GT_FACTOR_SPEC_COLUMNS] == kind;
  return count;
}

static int count_steps(const gt_plan *plan, const char *kernel) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++) count += !strcmp(plan->step[s].kernel->name, kernel);
  return count;
}

/* Three layers: each bias gradient is the column sum of a GEMM's result; for the last layer, the epilogue
 * computes the derivative of the loss first. */
static void bias_gradients_of_layers(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  static const char *const names[] = {"w1", "w2", "w3", "b1", "b2", "b3"};
  static const int64_t sizes[] = {IN, UNITS, UNITS, OUT};
  gt_id x = fixture_variable(f, "x", gt_shape_2(BATCH, IN)), parameter[6], gradient[6];
  for (int l = 0; l < 3; l++) {
    parameter[l] = fixture_variable(f, names[l], gt_shape_2(sizes[l + 1], sizes[l]));
    parameter[3 + l] = fixture_variable(f, names[3 + l], gt_shape_1(sizes[l + 1]));
    x = gt_add(g, gt_matmul(g, x, parameter[l], false, true), parameter[3 + l]);
    if (l < 2) x = gt_relu(g, x);
  }
  gt_error error = {0};
  assert_true(gt_autodiff(g, gt_mean(g, gt_mul(g, x, x), 0, false), parameter, 6, gradient, &error));
  static const char *const kept[] = {"dw1", "dw2", "dw3", "db1", "db2", "db3"};
  for (int i = 0; i < 6; i++) fixture_keep(f, kept[i], gradient[i]);
  assert_int_equal(products_reducing(fixture_plan_for(f, true, false), GT_COLUMNS_SUM), 3);
  assert_int_equal(products_reducing(fixture_plan_for(f, true, true), GT_COLUMNS_SUM), 0);
  assert_int_equal(products_reducing(fixture_plan_for(f, false, false), GT_COLUMNS_SUM), 0);
}

static gt_id convolved(fixture *f) {
  const gt_conv_attribute a = {.rank = 2,
                               .groups = 1,
                               .kernel = {3, 3},
                               .stride = {1, 1},
                               .dilation = {1, 1},
                               .before = {1, 1},
                               .in = {8, 8},
                               .out = {8, 8}};
  const gt_id x = fixture_variable(f, "x", (gt_shape){4, {BATCH, 8, 8, UNITS}});
  return gt_conv(f->graph, x, fixture_variable(f, "w", (gt_shape){4, {UNITS, 3, 3, UNITS}}), &a);
}

/* The moments of a convolution's result, as batch norm needs them: no kernel reads the result again. */
static void moments_of_a_convolution(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = convolved(f), mean = gt_column_moments(g, y, GT_NONE, 1);
  fixture_keep(f, "normal", gt_div(g, gt_sub(g, y, mean), gt_sqrt(g, gt_result(g, mean, 1))));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_MOMENTS), 1);
  assert_int_equal(count_steps(plan, "moments"), 1);
  const gt_step *moments = fixture_step(plan, "moments");
  assert_int_equal(moments->spec[GT_MOMENTS_SPEC_FROM], GT_MOMENTS_TILES);
  assert_true(moments->bytes < gt_node_bytes(g, y) / 16);
  assert_int_equal(count_steps(fixture_plan_for(f, true, true), "moments"), 2);
  assert_int_equal(count_steps(fixture_plan_for(f, false, false), "moments"), 2);
}

/* Row weights are applied to the moments of tiles. Only tiles within which the weights differ are read
 * again. */
static void row_weights_are_applied_to_the_tiles(void **state) {
  fixture *f = *state;
  const gt_id weight = fixture_variable(f, "weight", gt_shape_1(BATCH));
  fixture_keep(f, "mean", gt_column_moments(f->graph, convolved(f), weight, 1));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_MOMENTS), 1);
  const gt_step *moments = fixture_step(plan, "moments");
  assert_true(moments->spec[GT_MOMENTS_SPEC_WEIGHTED]);
  assert_true(moments->touched < moments->bytes / 16);
}

static void values_that_no_product_computes(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id x = fixture_variable(f, "x", gt_shape_2(BATCH, UNITS));
  const gt_id mean = gt_column_moments(g, gt_exp(g, x), GT_NONE, 1);
  fixture_keep(f, "mean", mean);
  fixture_keep(f, "sum", gt_sum(g, x, 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(fixture_step(plan, "moments")->spec[GT_MOMENTS_SPEC_FROM], GT_MOMENTS_ROWS);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUM) + products_reducing(plan, GT_COLUMNS_MOMENTS), 0);
}

static gt_id product(fixture *f, int64_t rows) {
  const gt_id a = fixture_variable(f, "a", gt_shape_2(rows, IN)),
              b = fixture_variable(f, "b", gt_shape_2(IN, UNITS));
  return gt_matmul(f->graph, a, b, false, false);
}

/* The kernel has two outputs, and a column sum would be a third. */
static void two_stored_values_prevent_fusion(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id before = product(f, BATCH), y = gt_relu(g, before);
  fixture_keep(f, "before", before);
  fixture_keep(f, "sum", gt_sum(g, y, 1, false));
  fixture_keep(f, "y", y);
  assert_int_equal(products_reducing(fixture_plan_for(f, true, false), GT_COLUMNS_SUM), 0);
}

/* With this few rows, a separate reduction is as fast. */
static void few_rows_are_read_again(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, 60);
  fixture_keep(f, "y", y);
  fixture_keep(f, "sum", gt_sum(g, y, 1, false));
  assert_int_equal(products_reducing(fixture_plan_for(f, true, false), GT_COLUMNS_SUM), 0);
}

/* Sums over the other axis, sums of other columns, and maxima. */
static void other_reductions_are_not_fused(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, BATCH), folded = gt_reshape(g, y, gt_shape_2(BATCH / 2, 2 * UNITS));
  fixture_keep(f, "y", y);
  fixture_keep(f, "rows", gt_sum(g, y, 2, false));
  fixture_keep(f, "folded", gt_sum(g, folded, 1, false));
  fixture_keep(f, "largest", gt_reduce_max(g, y, 1, false));
  assert_int_equal(products_reducing(fixture_plan_for(f, true, false), GT_COLUMNS_SUM), 0);
}

/* A reshape that keeps the columns does not prevent the fusion. Two sums of the same value are computed
 * once. */
static void reshapes_are_looked_through(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, BATCH),
              image = gt_reshape(g, y, (gt_shape){.rank = 4, .dim = {4, BATCH / 4, 1, UNITS}});
  fixture_keep(f, "mean", gt_mean(g, image, 7, false));
  fixture_keep(f, "again", gt_sum(g, y, 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUM), 1);
}

/* --- two sums: the gradients of a norm's bias and weight, computed from the gradient of its output --- */

enum { ROWS = 8192 };

/* The sum of a value, and the sum of its product with the normalized input. */
static void keep_both_sums(fixture *f, gt_id y, gt_id x) {
  gt_graph *g = f->graph;
  const gt_id mean = fixture_variable(f, "mean", gt_shape_2(ROWS, 1)),
              inverse = fixture_variable(f, "inverse", gt_shape_2(ROWS, 1));
  const gt_id normal = gt_mul(g, gt_sub(g, x, mean), inverse);
  fixture_keep(f, "bias", gt_sum(g, y, 1, false));
  fixture_keep(f, "weight", gt_sum(g, gt_mul(g, y, normal), 1, false));
}

static gt_id normalised(fixture *f) { return fixture_variable(f, "x", gt_shape_2(ROWS, UNITS)); }

static bool writes_first_output(const gt_plan *plan) {
  const gt_step *step = fixture_step(plan, "matmul");
  for (int i = 0; i < step->accesses; i++)
    if (step->access[i].argument == offsetof(struct gt_matmul_args, y)) return true;
  return false;
}

static void sums_of_a_value_without_other_readers(void **state) {
  fixture *f = *state;
  keep_both_sums(f, product(f, ROWS), normalised(f));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUMS | GT_COLUMNS_PASSING), 1);
  assert_false(writes_first_output(plan));
  assert_int_equal(plan->levels, 2); /* a separate reduction would need one more */
  assert_int_equal(plan->steps, 3);
  assert_true(plan->unaliased_bytes < ROWS * UNITS * sizeof(float) / 2);
}

static void sums_of_a_value_that_is_also_stored(void **state) {
  fixture *f = *state;
  const gt_id y = product(f, ROWS);
  keep_both_sums(f, y, normalised(f));
  fixture_keep(f, "y", y);
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUMS), 1);
  assert_true(writes_first_output(plan));
  assert_int_equal(plan->levels, 2);
}

static void one_sum_of_a_value_without_other_readers(void **state) {
  fixture *f = *state;
  fixture_keep(f, "sum", gt_sum(f->graph, product(f, ROWS), 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUM | GT_COLUMNS_PASSING), 1);
  assert_false(writes_first_output(plan));
}

/* A norm without a bias. */
static void only_the_sum_of_products_is_needed(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, ROWS);
  fixture_keep(f, "y", y);
  fixture_keep(f, "weight", gt_sum(g, gt_mul(g, y, normalised(f)), 1, false));
  assert_int_equal(products_reducing(fixture_plan_for(f, true, false), GT_COLUMNS_SUM), 1);
}

static uint32_t outputs_of_product(const gt_plan *plan) {
  return fixture_step(plan, "matmul")->spec[GT_SPEC_OUTPUT_COUNT];
}

/* A column sum replaces the first output; either of the two values may be the one that is written. */
static void either_value_may_be_stored(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, ROWS), times = gt_mul(g, y, normalised(f));
  fixture_keep(f, "times", times);
  fixture_keep(f, "bias", gt_sum(g, y, 1, false));
  fixture_keep(f, "weight", gt_sum(g, times, 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUMS), 1);
  const uint32_t *output = &fixture_step(plan, "matmul")->spec[GT_SPEC_OUTPUT];
  assert_int_equal(output[0], GT_OPERAND_RESULT);
  assert_int_equal(output[1], GT_OPERAND_LEADER);
}

static void both_stored_prevent_fusion(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = product(f, ROWS), times = gt_mul(g, y, normalised(f));
  fixture_keep(f, "y", y);
  fixture_keep(f, "times", times);
  fixture_keep(f, "bias", gt_sum(g, y, 1, false));
  fixture_keep(f, "weight", gt_sum(g, times, 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, 0), 1);
  assert_int_equal(outputs_of_product(plan), 2);
}

/* The GEMM does not compute the sum of products, because it would have to wait for the second factor. */
static void late_factor_is_applied_by_the_column_sum(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id c = fixture_variable(f, "c", gt_shape_2(ROWS, IN)), y = product(f, ROWS);
  const gt_id d = fixture_variable(f, "d", gt_shape_2(IN, UNITS)), late = gt_matmul(g, c, d, false, false);
  keep_both_sums(f, y, late);
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUMS) +
                       products_reducing(plan, GT_COLUMNS_SUMS | GT_COLUMNS_PASSING),
                   0);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUM), 1);
}

/* The GEMM does not compute the sum of products, because its kernel would have too many inputs. */
static void many_inputs_are_read_by_the_column_sum(void **state) {
  fixture *f = *state;
  const gt_id y = product(f, ROWS), more = fixture_variable(f, "more", gt_shape_2(ROWS, UNITS));
  keep_both_sums(f, gt_mul(f->graph, y, more), normalised(f));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(products_reducing(plan, GT_COLUMNS_SUM), 1);
  assert_int_equal(outputs_of_product(plan), 1);
}

/* If the GEMM's kernel cannot reduce columns, each sum reads the result. */
static void kernels_that_cannot_reduce_columns(void **state) {
  enum { FEW = 4 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id a = fixture_variable(f, "a", gt_shape_2(ROWS, IN)),
              b = fixture_variable(f, "b", gt_shape_2(IN, FEW));
  const gt_id y = gt_matmul(g, a, b, false, false);
  keep_both_sums(f, y, fixture_variable(f, "x", gt_shape_2(ROWS, FEW)));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  const gt_step *step = fixture_step(plan, "product_few");
  assert_int_equal(step->spec[GT_FACTOR_SPEC_COLUMNS], 0);
  assert_int_equal(step->spec[GT_SPEC_OUTPUT_COUNT], 1);
  assert_int_equal(fixture_step(plan, "reduce_columns")->access[0].bytes, gt_node_bytes(g, y));
}

/* Only a column sum of the GEMM's result is used, but the kernel cannot reduce columns, which is known only
 * after it has been chosen: it writes the result. */
static void output_that_a_kernel_cannot_skip_is_written(void **state) {
  enum { FEW = 4 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  const gt_id y = gt_matmul(g, fixture_variable(f, "a", gt_shape_2(ROWS, IN)),
                            fixture_variable(f, "b", gt_shape_2(IN, FEW)), false, false);
  fixture_keep(f, "sum", gt_sum(g, y, 1, false));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  const gt_step *step = fixture_step(plan, "product_few");
  assert_int_equal(step->access[step->accesses - 1].argument, offsetof(struct gt_matmul_args, y));
  assert_int_equal(fixture_step(plan, "reduce_columns")->access[0].bytes, gt_node_bytes(g, y));
}

/* On a CPU, a sum is computed by its own kernel. */
static void a_cpu_fuses_no_column_reduction(void **state) {
  fixture *f = *state;
  keep_both_sums(f, product(f, ROWS), normalised(f));
  const gt_plan *plan = fixture_plan_for(f, false, false);
  assert_int_equal(products_reducing(plan, 0), 1);
  assert_int_equal(outputs_of_product(plan), 1);
  assert_true(writes_first_output(plan));
}

int main(void) {
#define PIN(name) pin_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      PIN(bias_gradients_of_layers),
      PIN(moments_of_a_convolution),
      PIN(row_weights_are_applied_to_the_tiles),
      PIN(values_that_no_product_computes),
      PIN(two_stored_values_prevent_fusion),
      PIN(few_rows_are_read_again),
      PIN(other_reductions_are_not_fused),
      PIN(reshapes_are_looked_through),
      PIN(sums_of_a_value_without_other_readers),
      PIN(sums_of_a_value_that_is_also_stored),
      PIN(one_sum_of_a_value_without_other_readers),
      PIN(only_the_sum_of_products_is_needed),
      PIN(either_value_may_be_stored),
      PIN(both_stored_prevent_fusion),
      PIN(late_factor_is_applied_by_the_column_sum),
      PIN(many_inputs_are_read_by_the_column_sum),
      PIN(kernels_that_cannot_reduce_columns),
      PIN(output_that_a_kernel_cannot_skip_is_written),
      PIN(a_cpu_fuses_no_column_reduction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

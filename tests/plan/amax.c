/* The amax of operands of GEMMs on matrix units: which kernels compute it when they write the operand, and
 * which operands are measured by a separate step (product_range). */
#include "op/autodiff.h"
#include "op/batch.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
#include "shaders/op/matmul/product_matrix.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 8192, MAX_LAYERS = 5 };

static gt_plan *planned(fixture *f, bool no_fusion) {
  return fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_fusion = no_fusion});
}

static int count_steps(const gt_plan *plan, const char *kernel) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++) count += !strcmp(plan->step[s].kernel->name, kernel);
  return count;
}

/* Number of GEMMs on matrix units with any of these bits in their configuration. */
static int products_with(const gt_plan *plan, uint32_t bits) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    count += !strcmp(plan->step[s].kernel->name, "product_matrix") &&
             plan->step[s].spec[GT_MATRIX_SPEC_FORM] & bits;
  return count;
}

static uint64_t bytes_measured(const gt_plan *plan) {
  uint64_t bytes = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    if (!strcmp(plan->step[s].kernel->name, "product_range")) bytes += plan->step[s].bytes;
  return bytes;
}

static gt_id batch_of_bytes(fixture *f) {
  gt_graph *g = f->graph;
  const gt_id data =
      gt_variable_read(g, gt_graph_variable(g, "data", gt_shape_2(2 * BATCH, 784), GT_U8, false));
  const gt_id clock = gt_clock(g, gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false),
                               gt_graph_variable(g, "table", gt_shape_2(1, 1), GT_F32, false));
  const gt_batch_attribute attribute = {.batch = BATCH, .samples = 2 * BATCH, .even = 1};
  return gt_batch(g, data, clock, fixture_variable(f, "scaling", gt_shape_2(3, 1)), attribute);
}

/* Keeps the weight gradients of a multilayer perceptron; a 0 ends `sizes`. */
static void perceptron(fixture *f, gt_id x, const int64_t *sizes) {
  gt_graph *g = f->graph;
  static const char *const names[] = {"w1", "w2", "w3", "w4", "w5"}, *const kept[] = {"d1", "d2", "d3", "d4",
                                                                                      "d5"};
  gt_id weight[MAX_LAYERS], gradient[MAX_LAYERS];
  int layers = 0;
  for (; sizes[layers + 1]; layers++) {
    if (layers) x = gt_relu(g, x);
    weight[layers] = fixture_variable(f, names[layers], gt_shape_2(sizes[layers + 1], sizes[layers]));
    x = gt_matmul(g, x, weight[layers], false, true);
  }
  gt_error error = {0};
  assert_true(gt_autodiff(g, gt_mean(g, gt_mul(g, x, x), 0, false), weight, layers, gradient, &error));
  for (int i = 0; i < layers; i++) fixture_keep(f, kept[i], gradient[i]);
}

/* Number of GEMMs on scalar units with all of these bits (GT_MATMUL_MEASURES_…). */
static int scalar_products_with(const gt_plan *plan, uint32_t bits) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    count += !strcmp(plan->step[s].kernel->name, "matmul") &&
             (plan->step[s].spec[GT_MATMUL_SPEC_EXTENTS] & bits) == bits;
  return count;
}

/* Activations and their gradients are not measured separately; weights are, in a level with other kernels.
 * The gradient of the last layer is computed on scalar units, which also compute the amax of its rows and
 * columns. */
static void activations_are_not_measured(void **state) {
  fixture *f = *state;
  perceptron(f, fixture_variable(f, "x", gt_shape_2(BATCH, 784)), (const int64_t[]){784, 512, 256, 10, 0});
  const gt_plan *fused = planned(f, false), *unfused = planned(f, true);
  assert_int_equal(products_with(fused, GT_MATRIX_MEASURES_ROWS), 1);
  assert_int_equal(products_with(fused, GT_MATRIX_MEASURES_COLUMNS), 2);
  assert_int_equal(scalar_products_with(fused, GT_MATMUL_MEASURES_ROWS | GT_MATMUL_MEASURES_COLUMNS), 1);
  assert_int_equal(products_with(fused, GT_MATRIX_KNOWN_A), 4);
  assert_int_equal(products_with(fused, GT_MATRIX_KNOWN_B), 1);
  assert_true(bytes_measured(fused) < bytes_measured(unfused) * 3 / 5);
  const uint32_t measures_or_knows = GT_MATRIX_KNOWN_A | GT_MATRIX_KNOWN_B | GT_MATRIX_MEASURES_ROWS;
  assert_int_equal(products_with(unfused, measures_or_knows | GT_MATRIX_MEASURES_COLUMNS), 0);
}

/* Between hidden layers, the amax of both operands of a weight gradient is known, and nothing is measured
 * separately. */
static void hidden_weight_gradients_need_no_measuring(void **state) {
  fixture *f = *state;
  perceptron(f, fixture_variable(f, "x", gt_shape_2(BATCH, 784)),
             (const int64_t[]){784, 512, 512, 256, 10, 0});
  const gt_plan *fused = planned(f, false), *unfused = planned(f, true);
  assert_int_equal(count_steps(fused, "product_range"), count_steps(unfused, "product_range") - 2);
  assert_true(fused->levels < unfused->levels);
}

static gt_id product(fixture *f, int64_t units) {
  const gt_id x = fixture_variable(f, "x", gt_shape_2(BATCH, 512)),
              w = fixture_variable(f, "w", gt_shape_2(512, units));
  return gt_matmul(f->graph, x, w, false, false);
}

static gt_id multiply(fixture *f, gt_id x, const char *name) {
  const gt_shape shape = gt_node_at(f->graph, x)->shape;
  return gt_matmul(f->graph, x, fixture_variable(f, name, gt_shape_2(shape.dim[1], 512)), false, false);
}

/* A GEMM that stores two values computes the amax of neither. */
static void two_stored_values_are_measured(void **state) {
  fixture *f = *state;
  const gt_id before = product(f, 512);
  fixture_keep(f, "before", before);
  fixture_keep(f, "after", multiply(f, gt_relu(f->graph, before), "v"));
  assert_int_equal(products_with(planned(f, false), GT_MATRIX_KNOWN_A), 0);
}

static void folded_rows_are_measured(void **state) {
  fixture *f = *state;
  const gt_id folded = gt_reshape(f->graph, product(f, 512), gt_shape_2(2 * BATCH, 256));
  fixture_keep(f, "y", multiply(f, folded, "v"));
  assert_int_equal(products_with(planned(f, false), GT_MATRIX_KNOWN_A), 0);
}

static void reshapes_are_looked_through(void **state) {
  fixture *f = *state;
  const gt_id image = gt_reshape(f->graph, product(f, 512), (gt_shape){3, {BATCH / 64, 64, 512}});
  fixture_keep(f, "y", multiply(f, gt_reshape(f->graph, image, gt_shape_2(BATCH, 512)), "v"));
  assert_int_equal(products_with(planned(f, false), GT_MATRIX_KNOWN_A), 1);
}

/* The training step that is benchmarked most often: 784-512-256-10 on batches of bytes. The amax of both
 * operands is known for the weight gradients of the first two layers; otherwise only weights are measured. */
static void a_perceptron_on_bytes_saves_two_measurements(void **state) {
  fixture *f = *state;
  perceptron(f, batch_of_bytes(f), (const int64_t[]){784, 512, 256, 10, 0});
  const gt_plan *fused = planned(f, false), *unfused = planned(f, true);
  assert_int_equal(count_steps(fused, "product_range"), count_steps(unfused, "product_range") - 2);
  assert_true(bytes_measured(fused) < BATCH * 256 * sizeof(float)); /* the smallest hidden activation */
}

/* Scaled bytes that are all close to 0 must be measured. */
static void bytes_near_zero_are_measured(void **state) {
  (void)state;
  static const float plain[] = {0, 1 / 255.0f, 0}, close[] = {33, 1 / 255.0f, 1e-6f};
  assert_true(gt_batch_even_bytes(plain, 1) == 1);
  assert_true(gt_batch_even_bytes(close, 1) == 0);
}

static void batches_of_bytes_are_not_measured(void **state) {
  fixture *f = *state;
  const gt_id x = batch_of_bytes(f);
  fixture_keep(f, "y", multiply(f, x, "v"));
  fixture_keep(f, "d", gt_matmul(f->graph, fixture_variable(f, "g", gt_shape_2(BATCH, 512)), x, true, false));
  const gt_plan *plan = planned(f, false);
  assert_int_equal(products_with(plan, GT_MATRIX_EVEN_A), 1);
  assert_int_equal(products_with(plan, GT_MATRIX_EVEN_B), 1);
  assert_true(bytes_measured(plan) < gt_node_bytes(f->graph, x));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define PIN(name)  pin_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      PIN(activations_are_not_measured),   PIN(hidden_weight_gradients_need_no_measuring),
      PIN(two_stored_values_are_measured), PIN(folded_rows_are_measured),
      PIN(reshapes_are_looked_through),    PIN(batches_of_bytes_are_not_measured),
      TEST(bytes_near_zero_are_measured),  PIN(a_perceptron_on_bytes_saves_two_measurements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

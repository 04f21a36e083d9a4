/* Tests the self-test (src/selftest): a correct op passes, and an op or a reference with one error is
 * reported. */
#include "graph/graph.h"
#include "graph/op.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "selftest/selftest.h"
#include "shaders/op/clock.h"
#include "step/lowering.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- an op with an error --- */

enum { GOOD, WRITES_PAST, WRITES_BEFORE, SPOILS_INPUT, DEPENDS_ON_RUN, BAD_GRADIENT, NO_GRADIENT };

static int fault;     /* the error of the op, one of these constants */
static uint32_t runs; /* number of runs with DEPENDS_ON_RUN */

/* An op that doubles its input, with one tile per 8 elements. Its kernel uses the clock's argument struct,
 * which has the needed members: addresses and a count. */
static void double_cpu(const void *args, const uint32_t *spec, uint32_t tile) {
  (void)spec;
  const struct gt_clock_args *a = args;
  float *x = GT_PTR(float, a->state), *y = GT_PTR(float, a->now);
  for (uint32_t i = 8 * tile; i < 8 * tile + 8 && i < a->rows; i++) y[i] = 2 * x[i];
  if (tile) return;
  if (fault == WRITES_PAST) y[a->rows] = 0;
  if (fault == WRITES_BEFORE) y[-1] = 0;
  if (fault == SPOILS_INPUT) x[0] += 1;
  if (fault == DEPENDS_ON_RUN) y[0] *= 1 + 1e-7f * (float)(runs++ & 15);
}

static const gt_kernel double_kernel = {"double", double_cpu};

static bool infer(const gt_graph *graph, const gt_node *node, gt_shape *shape, gt_dtype *dtype,
                  gt_error *error) {
  (void)error;
  *shape = gt_node_at(graph, node->input[0])->shape;
  *dtype = GT_F32;
  return true;
}

static void gradient(gt_graph *graph, gt_id node, const gt_id *given, const bool *wanted,
                     gt_id *input_gradient) {
  (void)node;
  if (!wanted[0] || fault == NO_GRADIENT) return;
  input_gradient[0] = gt_mul(graph, given[0], gt_constant(graph, fault == BAD_GRADIENT ? 2.001 : 2.0));
}

static void lower(gt_lowering *lowering, const gt_group *group) {
  const gt_node *node = gt_node_at(gt_lowering_graph(lowering), group->leader);
  struct gt_clock_args args = {.rows = (uint32_t)gt_shape_count(node->shape)};
  gt_step *step = gt_lower_step(lowering, &double_kernel, &args, sizeof args);
  step->tiles = (args.rows + 7) / 8;
  gt_lower_read(lowering, offsetof(struct gt_clock_args, state), node->input[0]);
  gt_lower_write(lowering, offsetof(struct gt_clock_args, now), group->leader);
}

static const gt_op double_op = {.name = "double",
                                .kind = GT_OP_KERNEL,
                                .min_inputs = 1,
                                .max_inputs = 1,
                                .infer = infer,
                                .gradient = gradient,
                                .lower = lower};

/* --- cases --- */

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_node_add(g, &double_op, x, 1, NULL, 0);
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = 2 * x[0][i];
  return v->shape[0];
}

/* Only the last element is wrong, by more than the tolerance. */
static gt_shape wrong_value(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t n = gt_shape_count(v->shape[0]);
  reference(v, x, y);
  if (y) y[n - 1] *= 1 + 1e-5;
  return v->shape[0];
}

static gt_shape wrong_shape(const gt_case_view *v, const double *const *x, double *y) {
  reference(v, x, y);
  return gt_shape_2(1, gt_shape_count(v->shape[0]));
}

static gt_shape wrong_nan(const gt_case_view *v, const double *const *x, double *y) {
  reference(v, x, y);
  if (y) y[3] = NAN;
  return v->shape[0];
}

/* 2 x plus fast oscillations: too small to make the values wrong, but finite differences with different steps
 * disagree, as at a kink. */
static gt_shape jagged(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    y[i] = 2 * x[0][i] + 2e-7 * sin(1e5 * x[0][i]);
  return v->shape[0];
}

/* 2 c x - c^2 with c = x as a constant for differentiation: the value x^2 and the gradient 2 x are right, but
 * the second derivative is 0 instead of 2. */
static gt_id build_square(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const gt_id fixed = gt_stop_gradient(g, x[0]), twice = gt_mul(g, gt_constant(g, 2), gt_mul(g, x[0], fixed));
  (void)v;
  return gt_sub(g, twice, gt_mul(g, fixed, fixed));
}

static gt_shape square(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++) y[i] = x[0][i] * x[0][i];
  return v->shape[0];
}

#define RULE(reference_, gradient_tolerance_)                                               \
  {                                                                                         \
    .name = "double", .build = build, .reference = reference_, .wrt = 1, .tolerance = 1e-6, \
    .gradient_tolerance = gradient_tolerance_, .reason = "a product"                        \
  }
static const gt_case_rule correct_rule = RULE(reference, 0), value_rule = RULE(wrong_value, 0),
                          shape_rule = RULE(wrong_shape, 0), nan_rule = RULE(wrong_nan, 0),
                          jagged_rule = RULE(jagged, 1e-2),
                          square_rule = {.name = "square",
                                         .build = build_square,
                                         .reference = square,
                                         .wrt = 1,
                                         .tolerance = 1e-5,
                                         .reason = "products and a difference"};

static char output[8192];

/* Runs cases on the CPU; `output` gets the printed text. */
static gt_selftest_report run_cases(const gt_case *cases, int count, gt_selftest_options options,
                                    int fault_to_inject) {
  const gt_case_family family = {"broken", cases, count}, *families = &family;
  FILE *stream = fmemopen(output, sizeof output, "w");
  gt_selftest_report report;
  gt_error error = {0};
  options.device = "cpu";
  options.stream = stream;
  options.families = &families;
  options.family_count = 1;
  fault = fault_to_inject;
  runs = 0;
  assert_true(gt_selftest_run(&options, &report, &error));
  fclose(stream);
  return report;
}

/* Runs one case, with an input of 37 elements. */
static gt_selftest_report run(const gt_case_rule *rule, int fault_to_inject, FILE *json) {
  const gt_case single_case = {rule, "37"};
  const gt_selftest_report report =
      run_cases(&single_case, 1, (gt_selftest_options){.json = json}, fault_to_inject);
  assert_int_equal(report.cases, 1);
  return report;
}

static void expect_failure(const gt_case_rule *rule, int fault_to_inject, const char *message) {
  const gt_selftest_report report = run(rule, fault_to_inject, NULL);
  if (!strstr(output, message)) fail_msg("no \"%s\" in: %s", message, output);
  assert_int_equal(report.failed_cases, 1);
  assert_non_null(strstr(output, "not ok broken 1 case, 1 failed"));
}

static void passes_a_correct_op(void **state) {
  (void)state;
  const gt_selftest_report report = run(&correct_rule, GOOD, NULL);
  assert_int_equal(report.failures, 0);
  assert_ptr_equal(strstr(output, "ok broken 1 case, 1 derivative, worst relative error"), output);
}

static void finds_wrong_values(void **state) {
  (void)state;
  expect_failure(&value_rule, GOOD, "value [36]: expected");
  expect_failure(&nan_rule, GOOD, "value [3]: expected nan");
  expect_failure(&shape_rule, GOOD, "the shape is [37]; expected [1, 37]");
}

static void finds_wrong_gradients(void **state) {
  (void)state;
  expect_failure(&correct_rule, BAD_GRADIENT, "gradient of input 0 [0]: expected");
  expect_failure(&correct_rule, NO_GRADIENT, ""); /* with any message */
  expect_failure(&jagged_rule, GOOD, "are at kinks");
}

static void finds_wrong_second_derivatives(void **state) {
  (void)state;
  expect_failure(&square_rule, GOOD, "order 1 along input 0, gradient of input 0: expected");
  gt_case_rule first_only = square_rule;
  first_only.orders = -1;
  assert_int_equal(run(&first_only, GOOD, NULL).failures, 0);
}

static void finds_stray_writes(void **state) {
  (void)state;
  expect_failure(&correct_rule, WRITES_PAST, "wrote to \"value\" at byte 148 of its values"); /* 4 * 37 */
  expect_failure(&correct_rule, WRITES_BEFORE, "wrote to \"value\" at byte -4 of its values");
  expect_failure(&correct_rule, SPOILS_INPUT, "wrote to \"input0\"");
}

static void finds_changing_bits(void **state) {
  (void)state;
  expect_failure(&correct_rule, DEPENDS_ON_RUN, "bits of \"value\" differ at byte");
}

static void reports_as_json(void **state) {
  (void)state;
  char *text;
  size_t size;
  FILE *json = open_memstream(&text, &size);
  run(&value_rule, GOOD, json);
  fclose(json);
  assert_non_null(strstr(text, "\"families\":[{\"name\":\"broken\",\"cases\":1,\"failed\":1,\"worst\":"));
  assert_non_null(strstr(text, "\"cases\":1,\"failed\":1,\"ok\":false}\n"));
  free(text);
}

/* brief omits the case marked .more, but still finds a wrong gradient. */
static void runs_fewer_cases_if_brief(void **state) {
  (void)state;
  const gt_case two[] = {{&correct_rule, "37"}, {&value_rule, "37", .more = true}};
  for (int brief = 0; brief < 2; brief++)
    for (int bad = 0; bad < 2; bad++) {
      const gt_selftest_options options = {.brief = brief};
      const gt_selftest_report report = run_cases(two, 2, options, bad ? BAD_GRADIENT : GOOD);
      assert_int_equal(report.cases, brief ? 1 : 2);
      assert_int_equal(report.failed_cases, !brief + bad);
    }
}

/* one_each runs the first case of each rule and still finds its error. */
static void runs_one_case_of_each_rule(void **state) {
  (void)state;
  const gt_case four[] = {
      {&correct_rule, "37"}, {&value_rule, "37"}, {&correct_rule, "5"}, {&value_rule, "5"}};
  const gt_selftest_report report = run_cases(four, 4, (gt_selftest_options){.one_each = true}, GOOD);
  assert_int_equal(report.cases, 2);
  assert_int_equal(report.failed_cases, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(passes_a_correct_op),       cmocka_unit_test(finds_wrong_values),
      cmocka_unit_test(runs_fewer_cases_if_brief), cmocka_unit_test(runs_one_case_of_each_rule),
      cmocka_unit_test(finds_wrong_gradients),     cmocka_unit_test(finds_wrong_second_derivatives),
      cmocka_unit_test(finds_stray_writes),        cmocka_unit_test(finds_changing_bits),
      cmocka_unit_test(reports_as_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

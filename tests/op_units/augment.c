/* The quantiles of the beta distribution, from which mixing fractions are drawn, against closed forms; and
 * all devices draw the same augmentation parameters, bit by bit. */
#include "backend/backend.h"
#include "op/augment/augment_table.h"
#include "op/core.h"
#include "shaders/op/augment/drawn.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 1000 };

static void close_to(double got, double want) {
  if (!(fabs(got - want) < 1e-9)) fail_msg("%.12f, not %.12f", got, want);
}

/* The quantiles for alpha = 1, 1/2 and 2. The distribution functions are x, 2/pi asin(sqrt(x)) and 3 x^2 -
 * 2 x^3. */
static void quantiles_match_closed_forms(void **state) {
  double uniform[COUNT], arcsine_law[COUNT], parabola[COUNT];
  (void)state;
  gt_beta_quantiles(1, COUNT, uniform);
  gt_beta_quantiles(0.5, COUNT, arcsine_law);
  gt_beta_quantiles(2, COUNT, parabola);
  for (int k = 0; k < COUNT; k++) {
    const double probability = (k + 0.5) / COUNT, sine = sin(acos(-1) / 2 * probability);
    close_to(uniform[k], probability);
    close_to(arcsine_law[k], sine * sine);
    close_to(3 * parabola[k] * parabola[k] - 2 * parabola[k] * parabola[k] * parabola[k], probability);
  }
}

/* For any alpha: the mean is 1/2 and the variance 1 / (8 alpha + 4); an odd number of quantiles has a middle
 * one. */
static void quantiles_have_the_moments_of_the_distribution(void **state) {
  static const double alphas[] = {0.01, 0.2, 0.4, 7, 100};
  double x[COUNT + 1];
  (void)state;
  for (int i = 0; i < 5; i++) {
    double mean = 0, square = 0;
    gt_beta_quantiles(alphas[i], COUNT + 1, x);
    for (int k = 0; k <= COUNT; k++) {
      mean += x[k] / (COUNT + 1);
      square += (x[k] - 0.5) * (x[k] - 0.5) / (COUNT + 1);
      assert_true(x[k] >= 0 && x[k] <= 1 && (!k || x[k] >= x[k - 1]));
    }
    close_to(mean, 0.5);
    close_to(x[COUNT / 2], 0.5);
    assert_true(fabs(square * (8 * alphas[i] + 4) - 1) < 0.01);
  }
}

enum { ROWS = 500, WORDS = ROWS * GT_AUGMENT_WORDS(2, 0) };

static gt_graph *build(gt_arena *arena) {
  static const gt_augment_stage stages[] = {
      {GT_DRAW_RESIZED_CROP, {0.08f, 1, 0.75f, 1.3333334f}, 24, 30},
      {GT_DRAW_HORIZONTAL_FLIP, {0.5f}},
      {GT_DRAW_AFFINE, {-20, 40, 3.2f, 1.6f, 0.5f, 2, -10, 20, -5, 5}},
      {GT_DRAW_CROP, {4, 3}},
      {GT_DRAW_COLOR, {0.6f, 1.4f, 0, 2, 0.9f, 1.1f, -0.1f, 0.3f}},
      {GT_DRAW_CUTOUT, {0.7f, 8, 5}},
      {GT_DRAW_ERASE, {0.8f, 0.02f, 0.33f, 0.3f, 3.3f}},
      {GT_DRAW_MIX, {0.2f, 1, 0.5f, 0.5f}},
  };
  gt_graph *graph = gt_graph_create(arena);
  gt_augment_rule rule;
  memset(&rule, 0, sizeof rule);
  rule.batch = ROWS;
  rule.height = 31;
  rule.width = 45;
  rule.stages = sizeof stages / sizeof *stages;
  rule.boxes = 2;
  memcpy(rule.stage, stages, sizeof stages);
  const uint32_t state = gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const uint32_t table = gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false);
  const uint32_t out =
      gt_graph_variable(graph, "out", gt_shape_2(ROWS, GT_AUGMENT_WORDS(2, 0)), GT_F32, false);
  gt_assign(graph, out, 0, gt_augment_draw(graph, gt_clock(graph, state, table), &rule));
  return graph;
}

/* Draws the parameters on the backend and closes it. */
static void draw_records(gt_backend *backend, float *out) {
  static const uint32_t state[GT_STATE_WORDS] = {77, 5, 9, 0};
  gt_error error = {0};
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_plan_options options = {.target = backend->target};
  gt_plan *plan = gt_plan_create(&arena, build(&arena), &options, &error);
  assert_non_null(plan);
  gt_buffer *buffer[3];
  for (int v = 0; v < 3; v++)
    buffer[v] = backend->api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
  assert_true(backend->api->upload(backend, buffer[0], 0, state, sizeof state, &error));
  gt_executable *executable = backend->api->compile(backend, plan, buffer, &error);
  uint64_t ticket;
  assert_true(backend->api->run(backend, executable, 1, &ticket, &error));
  assert_true(backend->api->download(backend, buffer[2], 0, out, WORDS * sizeof *out, &error));
  backend->api->executable_destroy(backend, executable);
  for (int v = 0; v < 3; v++) backend->api->buffer_destroy(backend, buffer[v]);
  gt_backend_close(backend);
  gt_arena_finish(&arena);
}

static void devices_draw_the_same_bits(void **state) {
  static float cpu[WORDS], device[WORDS];
  gt_error error = {0};
  (void)state;
  gt_backend *backend = gt_backend_open("vulkan", 1, &error);
  if (!backend) skip();
  draw_records(backend, device);
  draw_records(gt_cpu_open(1, &error), cpu);
  for (int i = 0; i < WORDS; i++)
    if (memcmp(&cpu[i], &device[i], sizeof *cpu) != 0)
      fail_msg("word %d of row %d: %.9g, on the device %.9g", i % (int)GT_AUGMENT_WORDS(2, 0),
               i / (int)GT_AUGMENT_WORDS(2, 0), (double)cpu[i], (double)device[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_match_closed_forms),
                                     cmocka_unit_test(quantiles_have_the_moments_of_the_distribution),
                                     cmocka_unit_test(devices_draw_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Memory that a plan must not use: for values that the gradient does not need, that each consumer can
 * compute, or that are computed long before they are read. */
#include "backend/backend.h"
#include "op/autodiff.h"
#include "op/chain.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/pool.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static gt_plan *planned(fixture *f) {
  return fixture_plan(f, &(gt_plan_options){.target = f->backend->target});
}

static float value_of(uint32_t v, int64_t i) { return (float)((int)((i * 7 + i / 5 + v * 3) % 11) - 5) / 4; }

enum { BATCH = 3, SIZE = 9, CHANNELS = 8, IMAGE = BATCH * SIZE * SIZE * CHANNELS };

/* Assigns the gradient of max pooling after relu, with overlapping windows, to a variable, which is returned.
 * separate: with a reshape between the two, so that relu has its own gradient kernel. */
static uint32_t max_pool_gradient(fixture *f, bool separate) {
  gt_graph *g = f->graph;
  gt_error error = {0};
  const gt_shape image = {.rank = 4, .dim = {BATCH, SIZE, SIZE, CHANNELS}};
  const gt_shape flat = gt_shape_2(BATCH * SIZE * SIZE, CHANNELS);
  const gt_pool_attribute a = {
      .axes = 2, .window = {3, 2}, .stride = {2, 2}, .padding = {1, 0}, .dilation = {1, 1}};
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, "x", image, GT_F32, false));
  const gt_id upstream = gt_variable_read(
      g, gt_graph_variable(g, "given", (gt_shape){.rank = 4, .dim = {BATCH, 5, 4, CHANNELS}}, GT_F32, false));
  const gt_id rectified = separate ? gt_reshape(g, gt_relu(g, gt_reshape(g, x, flat)), image) : gt_relu(g, x);
  const gt_id loss = gt_sum(g, gt_mul(g, gt_max_pool(g, rectified, &a, true), upstream), 15, false);
  gt_id gradient;
  assert_true(gt_autodiff(g, loss, &x, 1, &gradient, &error));
  const uint32_t slope = gt_graph_variable(g, separate ? "slope_apart" : "slope", image, GT_F32, false);
  gt_assign(g, slope, 0, gradient);
  return slope;
}

static bool reads_image(const gt_step *step) {
  for (int i = 0; i < step->accesses; i++)
    if (step->access[i].read && step->access[i].bytes >= IMAGE * sizeof(float)) return true;
  return false;
}

static void max_pool_gradient_reads_no_image(void **state) {
  fixture *f = *state;
  float *slope = calloc(2 * IMAGE, sizeof *slope);
  const uint32_t together = max_pool_gradient(f, false);
  const gt_plan *plan = planned(f);
  assert_false(reads_image(fixture_step(plan, "pool_gradient")));
  fixture_run(f, plan, value_of, 1, together, slope);
  f->graph = gt_graph_create(&f->arena);
  const uint32_t separate = max_pool_gradient(f, true);
  plan = planned(f);
  assert_true(reads_image(fixture_step(plan, "pool_gradient")));
  fixture_run(f, plan, value_of, 1, separate, slope + IMAGE);
  assert_memory_equal(slope, slope + IMAGE, IMAGE * sizeof *slope);
  int nonzero = 0;
  for (int i = 0; i < IMAGE; i++) nonzero += slope[i] != 0;
  assert_in_range(nonzero, 50, IMAGE / 2); /* the gradient is neither zero nor dense */
  free(slope);
}

/* If windows do not overlap, neither the pool's input nor its gradient is written. The input is computed on
 * load from x and a factor per channel. The gradient is computed by each of its three consumers: two sums and
 * the gradient of x. */
static void no_image_is_written_for_adjacent_windows(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  enum { EVEN = 8, ELEMENTS = BATCH * EVEN * EVEN * CHANNELS };
  const gt_shape image = {.rank = 4, .dim = {BATCH, EVEN, EVEN, CHANNELS}};
  const gt_shape windows = {.rank = 4, .dim = {BATCH, EVEN / 2, EVEN / 4, CHANNELS}};
  const gt_pool_attribute a = {.axes = 2, .window = {2, 4}, .stride = {2, 4}, .dilation = {1, 1}};
  const gt_id x = fixture_variable(f, "x", image),
              factor = fixture_variable(f, "factor", gt_shape_1(CHANNELS)),
              weight = fixture_variable(f, "weight", windows);
  const gt_id scaled = gt_mul(g, x, factor), maxima = gt_max_pool(g, gt_relu(g, scaled), &a, true);
  gt_error error = {0};
  gt_id upstream;
  assert_true(gt_autodiff(g, gt_sum(g, gt_mul(g, maxima, weight), 15, false), &scaled, 1, &upstream, &error));
  const gt_id again = gt_recompute_if_smaller(g, upstream), sum = gt_sum(g, again, 7, false),
              slope = gt_sum(g, gt_mul(g, gt_recompute_if_smaller(g, upstream), x), 7, false);
  assert_true(again != upstream);
  gt_assign(g, gt_graph_variable(g, "sum", gt_shape_1(CHANNELS), GT_F32, false), 0, sum);
  gt_assign(g, gt_graph_variable(g, "slope", gt_shape_1(CHANNELS), GT_F32, false), 0, slope);
  gt_assign(g, gt_graph_variable(g, "of_x", image, GT_F32, false), 0, gt_mul(g, upstream, factor));
  const gt_plan *plan = planned(f);
  uint64_t written = 0;
  for (uint32_t s = 0; s < plan->steps; s++)
    for (int i = 0; i < plan->step[s].accesses; i++)
      if (plan->step[s].access[i].write) written += plan->step[s].access[i].bytes;
  assert_in_range(written, ELEMENTS * 4,
                  ELEMENTS * 6); /* of_x, maxima of eight values and their indices (bytes), and sums */
}

/* A chain of GEMMs, each with a weight that is permuted first, as in a gradient: a weight is permuted in the
 * level before the GEMM. */
static void weights_are_permuted_just_in_time(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  enum { ROWS = 4, WIDTH = 64, LENGTH = 6 };
  static const int axes[] = {2, 0, 1};
  gt_id x = gt_variable_read(g, gt_graph_variable(g, "x", gt_shape_2(ROWS, WIDTH), GT_F32, false));
  for (int i = 0; i < LENGTH; i++) {
    char name[8] = {'w', (char)('0' + i)};
    const gt_shape shape = {.rank = 3, .dim = {8, 8, WIDTH}};
    const gt_id w = gt_variable_read(g, gt_graph_variable(g, name, shape, GT_F32, false));
    const gt_id moved = gt_reshape(g, gt_permute(g, w, axes), gt_shape_2(WIDTH, WIDTH));
    x = gt_softplus(g, gt_matmul(g, x, moved, false, true));
  }
  const uint32_t y = gt_graph_variable(g, "y", gt_shape_2(ROWS, WIDTH), GT_F32, false);
  gt_assign(g, y, 0, x);
  const gt_plan *plan = planned(f);
  int moves = 0;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (strcmp(step->kernel->name, "move")) continue;
    uint32_t reader = 0;
    while (reader < plan->steps && !(plan->step[reader].access[1].offset == step->access[1].offset &&
                                     plan->step[reader].level > step->level))
      reader++;
    moves++;
    assert_true(reader < plan->steps && plan->step[reader].level == step->level + 1);
  }
  assert_int_equal(moves, LENGTH);
  assert_int_equal(plan->levels, LENGTH + 1);
  /* At most two permuted weights exist at a time. */
  assert_true(plan->arena_bytes < 3 * WIDTH * WIDTH * sizeof(float));
}

/* [a, b, c, d] → [a, c, d, b] → [1, a, c d, b] → [1, c d, a, b]: a single permute of x. */
static void moves_through_a_reshape_are_one(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  enum { A = 3, B = 4, C = 2, D = 5, ALL = A * B * C * D };
  static const int first[] = {0, 2, 3, 1}, second[] = {0, 2, 1, 3}, back[] = {1, 2, 0};
  const gt_shape shape = {.rank = 4, .dim = {A, B, C, D}}, parted = {.rank = 4, .dim = {1, A, C * D, B}};
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, "x", shape, GT_F32, false));
  const gt_id moved = gt_permute(g, gt_reshape(g, gt_permute(g, x, first), parted), second);
  assert_true(gt_is_reshape(g, moved));
  const gt_node *inner = gt_node_at(g, gt_node_at(g, moved)->input[0]);
  assert_string_equal(inner->op->name, "permute");
  assert_int_equal(inner->input[0], x);
  const uint32_t y = gt_graph_variable(g, "y", gt_node_at(g, moved)->shape, GT_F32, false);
  gt_assign(g, y, 0, moved);
  /* An axis that is split by the reshape cannot be moved by the first permute. */
  const gt_id cut = gt_reshape(g, gt_permute(g, x, first), (gt_shape){.rank = 3, .dim = {A, C, D * B}});
  const gt_id turned = gt_permute(g, gt_reshape(g, cut, (gt_shape){.rank = 3, .dim = {C, A, D * B}}), back);
  assert_string_equal(gt_node_at(g, turned)->op->name, "permute");
  float in[ALL], out[ALL];
  const gt_plan *plan = planned(f);
  assert_int_equal(plan->steps, 1);
  fixture_run(f, plan, value_of, 1, y, out);
  fixture_run(f, plan, value_of, 1, 0, in);
  for (int a = 0; a < A; a++)
    for (int b = 0; b < B; b++)
      for (int k = 0; k < C * D; k++) assert_true(out[(k * A + a) * B + b] == in[(a * B + b) * C * D + k]);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
#define PIN(f)  pin_test_setup_teardown(f, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      PIN(no_image_is_written_for_adjacent_windows),
      TEST(max_pool_gradient_reads_no_image),
      PIN(weights_are_permuted_just_in_time),
      TEST(moves_through_a_reshape_are_one),
  };
  return cmocka_run_group_tests_name("what a plan keeps", tests, NULL, NULL);
}

/* Planning time is nearly proportional to the length of the graph: a graph of eight times the length takes
 * about ten times as long; quadratic time would be more than sixty times. Each of these graphs once took
 * quadratic time in some pass. */
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include <setjmp.h>
#include <stdarg.h>
#include <limits.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { SHORT = 2500, TIMES = 8, TRIES = 6 };
#define MAX_GROWTH 20.0

static gt_shape square(void) { return gt_shape_2(8, 8); }

static uint32_t declare(gt_graph *g, const char *name, int number) {
  char full[32];
  snprintf(full, sizeof full, "%s%d", name, number);
  return gt_graph_variable(g, full, square(), GT_F32, false);
}

static gt_id variable(gt_graph *g, const char *name, int number) {
  return gt_variable_read(g, declare(g, name, number));
}

static gt_id product(gt_graph *g, gt_id a, gt_id b) { return gt_matmul(g, a, b, false, false); }

static void take_gradient(gt_graph *g, gt_id loss, gt_id *weight, gt_id *gradient, int count) {
  gt_error error = {0};
  if (!gt_autodiff(g, loss, weight, count, gradient, &error)) fail_msg("%s", error.message);
}

/* A third of the steps are layers, a third their gradients, and a third the gradients of the weights. */
static void layers(gt_graph *g, int length) {
  const int count = length / 3;
  const gt_shape all = gt_shape_1(64 * (int64_t)count);
  gt_id *weight = GT_NEW_N(g->arena, gt_id, count), *gradient = GT_NEW_N(g->arena, gt_id, count);
  const uint32_t flat = gt_graph_variable(g, "parameters", all, GT_F32, false);
  const gt_id before = gt_variable_read(g, flat);
  gt_id x = variable(g, "x", 0);
  for (int i = 0; i < count; i++) {
    weight[i] = gt_view(g, before, 64 * (int64_t)i, square());
    x = gt_relu(g, product(g, x, weight[i]));
  }
  take_gradient(g, gt_sum(g, gt_mul(g, x, x), 0, false), weight, gradient, count);
  gt_assign(g, flat, 0, gt_sub(g, before, gt_pack(g, gradient, count)));
}

/* A recurrent network, unrolled in time; its state also depends on the state ten steps earlier. */
static void recurrent(gt_graph *g, int length) {
  enum { SKIP = 10 };
  const int count = length / 9;
  gt_id weight = variable(g, "w", 0), gradient, loss = GT_NONE;
  gt_id *h = GT_NEW_N(g->arena, gt_id, count + 1);
  h[0] = variable(g, "h", 0);
  for (int t = 0; t < count; t++) {
    h[t + 1] = gt_tanh(g, product(g, h[t], weight));
    if (t >= SKIP) h[t + 1] = gt_add(g, h[t + 1], gt_mul(g, h[t + 1 - SKIP], gt_constant(g, 0.5)));
    const gt_id step_loss = gt_sum(g, gt_mul(g, product(g, h[t + 1], weight), h[t + 1]), 0, false);
    loss = t ? gt_add(g, loss, step_loss) : step_loss;
  }
  take_gradient(g, loss, &weight, &gradient, 1);
  gt_assign(g, declare(g, "w", 0), 0, gt_sub(g, weight, gradient));
  gt_assign(g, declare(g, "h", 0), 0, h[count]);
}

/* All values of the first half are used again in the second half, in reverse order. */
static void there_and_back(gt_graph *g, int length) {
  const int count = length / 2;
  gt_id *x = GT_NEW_N(g->arena, gt_id, count + 1), back;
  x[0] = variable(g, "x", 0);
  for (int i = 0; i < count; i++) x[i + 1] = product(g, x[i], x[0]);
  back = x[count];
  for (int i = count; i-- > 0;) back = product(g, back, x[i]);
  gt_assign(g, declare(g, "x", 0), 0, back);
}

/* One value with many separate consumers. */
static void many_consumers(gt_graph *g, int length) {
  const gt_id x = gt_sin(g, variable(g, "x", 0));
  for (int i = 0; i < length; i++) gt_assign(g, declare(g, "y", i), 0, gt_mul(g, x, gt_constant(g, i + 1)));
}

/* Each part of a variable is updated separately. */
static void parts(gt_graph *g, int length) {
  const uint32_t flat = gt_graph_variable(g, "v", gt_shape_1(16 * (int64_t)length), GT_F32, false);
  const gt_id all = gt_variable_read(g, flat);
  for (int i = 0; i < length; i++)
    gt_assign(g, flat, 16 * (int64_t)i, gt_sin(g, gt_view(g, all, 16 * (int64_t)i, gt_shape_1(16))));
}

/* Pairs of states that are swapped, so that one must be copied first. */
static void swaps(gt_graph *g, int length) {
  for (int i = 0; i < length / 4; i++) {
    gt_assign(g, declare(g, "a", i), 0, variable(g, "b", i));
    gt_assign(g, declare(g, "b", i), 0, variable(g, "a", i));
  }
}

/* Each state is computed from the one before it, which is overwritten in the same step. */
static void shifts(gt_graph *g, int length) {
  const gt_id weight = variable(g, "w", 0);
  for (int i = 0; i < length; i++)
    gt_assign(g, declare(g, "s", i + 1), 0, product(g, variable(g, "s", i), weight));
}

/* Parts of a pack that must be copied there. */
static void packed_copies(gt_graph *g, int length) {
  gt_id *x = GT_NEW_N(g->arena, gt_id, length);
  const gt_shape all = gt_shape_1(64 * (int64_t)length);
  for (int i = 0; i < length; i++) x[i] = variable(g, "x", i);
  gt_assign(g, gt_graph_variable(g, "y", all, GT_F32, false), 0, gt_pack(g, x, length));
}

static double seconds_of(void (*build)(gt_graph *, int), int length) {
  gt_arena arena;
  gt_error error = {0};
  const gt_plan_options options = {
      .target = {.subgroup = 1, .max_workgroup = 1, .units = 1, .max_grid = UINT32_MAX}};
  gt_arena_init(&arena);
  gt_graph *graph = gt_graph_create(&arena);
  const clock_t begin = clock(); /* processor time: independent of other processes */
  build(graph, length);
  const gt_plan *plan = gt_plan_create(&arena, graph, &options, &error);
  const clock_t end = clock();
  if (!plan) fail_msg("%s", error.message);
  assert_true(plan->steps > (uint32_t)length / 4);
  gt_arena_finish(&arena);
  return (double)(end - begin) / CLOCKS_PER_SEC;
}

/* Uses the smallest growth of several tries, because other processes may disturb some of them. */
static void grows_with_its_length(void (*build)(gt_graph *, int), const char *name) {
  double smallest = 0;
  for (int i = 0; i < TRIES; i++) {
    const double shorter = seconds_of(build, SHORT), longer = seconds_of(build, TIMES * SHORT);
    const double growth = longer / (shorter > 1e-4 ? shorter : 1e-4);
    if (!i || growth < smallest) smallest = growth;
    if (smallest < MAX_GROWTH) return;
  }
  fail_msg("%s: %d times the length takes %.0f times as long to plan", name, TIMES, smallest);
}

#define TEST(name)                         \
  static void plans_##name(void **state) { \
    (void)state;                           \
    grows_with_its_length(name, #name);    \
  }
TEST(layers)
TEST(recurrent)
TEST(there_and_back)
TEST(many_consumers)
TEST(parts)
TEST(swaps)
TEST(shifts)
TEST(packed_copies)

int main(void) {
  /* Freed memory is kept for the next try; otherwise page faults would dominate large graphs. */
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_layers),         cmocka_unit_test(plans_recurrent),
      cmocka_unit_test(plans_there_and_back), cmocka_unit_test(plans_many_consumers),
      cmocka_unit_test(plans_parts),          cmocka_unit_test(plans_swaps),
      cmocka_unit_test(plans_shifts),         cmocka_unit_test(plans_packed_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every candidate of the recurrence, not only the one with the best estimate, against the CPU, which the
 * cases of tests/op/recurrent compare with double precision: rows and units that fill tiles or not, weights
 * kept in registers or not. A software device, which takes seconds to compile each, tests some. */
#include "base/philox.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/recurrent/recurrent.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "step/math.h"
#include "support/choice.h"
#include "support/device.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct problem {
  gt_cell cell;
  uint32_t steps, batch, units;
  bool reverse, last; /* last: only the output of the last step is used */
} problem;

enum { MOST = 1 << 19, GATES = 0, WEIGHT, BIAS, LENGTHS, D_Y, Y, D_GATES, D_WEIGHT, VARIABLES };
enum { STRIDE_ON_SOFTWARE = 47 }; /* a software device tests one candidate in this many */
static const char *const name[] = {"gates", "weight", "bias", "lengths", "d_y", "y", "d_gates", "d_weight"};
static float value[VARIABLES][MOST], expected[VARIABLES][MOST]; /* expected: on the CPU */

static gt_shape shape_of(const problem *p, int v) {
  const uint32_t width = gt_cell_gates(p->cell) * p->units;
  const gt_shape gates = {3, {p->steps, p->batch, width}}, outputs = {3, {p->steps, p->batch, p->units}};
  if ((v == Y || v == D_Y) && p->last) return gt_shape_2(p->batch, p->units);
  return v == GATES || v == D_GATES     ? gates
         : v == WEIGHT || v == D_WEIGHT ? gt_shape_2(width, p->units)
         : v == BIAS                    ? gt_shape_1(width)
         : v == LENGTHS                 ? gt_shape_1(p->batch)
                                        : outputs;
}

static void draw(const problem *p) {
  for (int v = GATES; v <= D_Y; v++)
    for (uint32_t i = 0; i < gt_shape_count(shape_of(p, v)); i++)
      value[v][i] = v == LENGTHS
                        ? gt_from_bits(i ? gt_random_bits(7, 9, 0, i) % (p->steps + 1) : p->steps)
                        : (v == WEIGHT ? 0.3f : 1) * (2 * (float)gt_random_uniform(7, (uint32_t)v, 0, i) - 1);
}

static gt_graph *graph_of(gt_arena *arena, const problem *p) {
  gt_graph *g = gt_graph_create(arena);
  gt_id input[VARIABLES], gradient[2];
  gt_error error = {0};
  for (int v = 0; v < VARIABLES; v++) {
    const gt_dtype dtype = v == LENGTHS ? GT_I32 : GT_F32;
    const uint32_t variable = gt_graph_variable(g, name[v], shape_of(p, v), dtype, false);
    if (v <= D_Y) input[v] = gt_variable_read(g, variable);
  }
  const bool has_lengths = !p->last || p->reverse;
  gt_id y = gt_recurrent(g, &(gt_recurrent_input){.cell = p->cell,
                                                  .gates = input[GATES],
                                                  .w_hh = input[WEIGHT],
                                                  .bias = input[BIAS],
                                                  .lengths = has_lengths ? input[LENGTHS] : GT_NONE,
                                                  .reverse = p->reverse});
  if (p->last) y = gt_recurrent_last(g, y);
  const gt_id loss = gt_sum(g, gt_mul(g, y, input[D_Y]), 0, false);
  assert_true(gt_autodiff(g, loss, input, 2, gradient, &error));
  gt_assign(g, Y, 0, y);
  gt_assign(g, D_GATES, 0, gradient[0]);
  gt_assign(g, D_WEIGHT, 0, gradient[1]);
  return g;
}

/* key: the choice that `tuned` must force; or NULL. */
static void run(gt_backend *backend, const problem *p, const gt_tuned *tuned, const char *key) {
  gt_arena arena;
  gt_backend *const device_before = device;
  float *values[VARIABLES];
  gt_arena_init(&arena);
  device = backend;
  const gt_graph *g = graph_of(&arena, p);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.tuned = tuned});
  bool is_used = !key;
  for (uint32_t i = 0; key && i < plan->choices; i++)
    is_used |= plan->choice[i].tuned && !strcmp(plan->choice[i].key, key);
  assert_true(is_used);
  for (int v = 0; v < VARIABLES; v++) {
    values[v] = value[v];
    if (v > D_Y) memset(value[v], 0xff, sizeof *value); /* elements that are not written stay NaN */
  }
  device_run(plan, g, 1, values);
  device = device_before;
  gt_arena_finish(&arena);
}

static void compare(const problem *p, const char *candidate) {
  for (int v = Y; v < VARIABLES; v++) {
    double mean = 0;
    const uint32_t count = (uint32_t)gt_shape_count(shape_of(p, v));
    for (uint32_t i = 0; i < count; i++) mean += fabs((double)expected[v][i]) / count;
    for (uint32_t i = 0; i < count; i++)
      if (!(fabs((double)value[v][i] - (double)expected[v][i]) <=
            2e-5 * (mean + fabs((double)expected[v][i]))))
        fail_msg("%s: %s[%u] is %.9g, on the CPU %.9g", candidate, name[v], i, (double)value[v][i],
                 (double)expected[v][i]);
  }
}

/* number: of candidates in all problems so far. */
static void check(const problem *p, uint32_t *number) {
  gt_arena arena;
  gt_error error = {0};
  gt_backend *cpu = gt_cpu_open(1, &error);
  assert_non_null(cpu);
  gt_arena_init(&arena);
  draw(p);
  run(cpu, p, NULL, NULL);
  memcpy(expected, value, sizeof expected);
  gt_backend_close(cpu);
  const gt_plan *plan = device_plan(&arena, graph_of(&arena, p), (gt_plan_options){.tuned = NULL});
  for (uint32_t c = 0, found = 0; c < plan->choices; c++) {
    const gt_choice *choice = &plan->choice[c];
    bool has_single_dispatch = false, has_dispatch_per_step = false;
    if (!strstr(choice->key, "units")) continue;
    for (uint32_t i = 0; i < choice->candidates; i++) {
      char candidate[GT_CANDIDATE_TEXT];
      gt_tuned tuned = {0};
      choice->text(&choice->candidate[i], candidate, sizeof candidate);
      has_single_dispatch |= !strncmp(candidate, "alone", 5);
      has_dispatch_per_step |= !strncmp(candidate, "a step", 6);
      if (is_left_out((*number)++, STRIDE_ON_SOFTWARE)) continue;
      gt_tuned_set(&tuned, choice->key, candidate);
      run(device, p, &tuned, choice->key);
      compare(p, candidate);
      gt_tuned_finish(&tuned);
    }
    assert_true(has_dispatch_per_step && has_single_dispatch);
    assert_true(++found <= 2);
  }
  gt_arena_finish(&arena);
}

static void test_every_candidate(void **state) {
  static const problem problems[] = {
      {GT_CELL_LSTM, 5, 9, 33, false, false},   {GT_CELL_GRU, 4, 7, 20, true, false},
      {GT_CELL_RNN_TANH, 3, 35, 6, true, true}, {GT_CELL_LSTM, 3, 37, 8, false, true},
      {GT_CELL_GRU, 2, 5, 130, false, false},
  };
  uint32_t number = 0;
  (void)state;
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check(&problems[i], &number);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_candidate)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests(tests, open_device, close_device);
}

/* Schedules, compared with the closed forms of torch.optim.lr_scheduler; warm-up; and the state of
 * plateau. */
#include "optim/optim.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static gt_arena arena;

static int setup(void **state) {
  (void)state;
  gt_arena_init(&arena);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  gt_arena_finish(&arena);
  return 0;
}

static const gt_schedule *schedule(const char *text) {
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, &arena);
  const gt_spec *root = gt_spec_parse(&arena, "config.yaml", text, strlen(text), &diagnostics);
  const gt_schedule *result = gt_schedule_read(&arena, root, &diagnostics);
  if (!result) gt_diagnostics_print(&diagnostics, stderr);
  assert_non_null(result);
  return result;
}

/* The learning rate at a step of a run of 100 steps, with 10 steps per epoch and a base rate of 0.1. */
static double rate(const gt_schedule *s, uint64_t step) {
  return 0.1 * gt_schedule_factor(s, NULL, step, 100, 10, 0.1);
}

static void assert_near(double got, double want) {
  if (fabs(got - want) > 1e-12 * fmax(1, fabs(want))) fail_msg("%.17g is not %.17g", got, want);
}

static void no_schedule_is_constant(void **state) {
  (void)state;
  const gt_schedule *s = schedule("model: [relu]");
  assert_near(rate(s, 0), 0.1);
  assert_near(rate(s, 99), 0.1);
}

static void steps_and_exponentials(void **state) {
  (void)state;
  const gt_schedule *epochs = schedule("schedule: {type: step, step_size: 3, gamma: 0.5}");
  assert_near(rate(epochs, 29), 0.1);
  assert_near(rate(epochs, 30), 0.05);
  assert_near(rate(epochs, 60), 0.025);
  const gt_schedule *steps = schedule("schedule: {type: step, step_size: 3, gamma: 0.5, by: step}");
  assert_near(rate(steps, 2), 0.1);
  assert_near(rate(steps, 3), 0.05);
  const gt_schedule *exponential = schedule("schedule: {type: exponential, gamma: 0.9}");
  assert_near(rate(exponential, 9), 0.1);
  assert_near(rate(exponential, 75), 0.1 * pow(0.9, 7));
}

static void lines_and_cosines(void **state) {
  (void)state;
  const gt_schedule *line = schedule("schedule: {type: linear, start_factor: 0.5, end_factor: 1, steps: 4}");
  const double want[] = {0.05, 0.0625, 0.075, 0.0875, 0.1, 0.1};
  for (uint64_t s = 0; s < 6; s++) assert_near(rate(line, s), want[s]);
  const gt_schedule *cosine = schedule("schedule: {type: cosine, min_factor: 0.1}");
  for (uint64_t s = 0; s < 100; s += 7)
    assert_near(rate(cosine, s), 0.01 + (0.1 - 0.01) * (1 + cos(M_PI * (double)s / 100)) / 2);
  assert_near(0.1 * gt_schedule_factor(cosine, NULL, 150, 100, 10, 0.1), 0.01); /* after the last step */
}

/* The largest rate is reached at step 0.3 * 100 - 1. */
static void one_cycle(void **state) {
  (void)state;
  const gt_schedule *s = schedule("schedule: {type: one_cycle, max_lr: 1, pct_start: 0.3}");
  assert_near(rate(s, 0), 1.0 / 25);
  assert_near(rate(s, 29), 1);
  assert_near(rate(s, 99), 1.0 / 25 / 1e4);
  assert_near(rate(s, 64), 4e-6 + (1 - 4e-6) / 2 * (1 + cos(M_PI * 0.5)));
  const gt_schedule *line = schedule("schedule: {type: one_cycle, pct_start: 0.3, anneal: linear}");
  assert_near(rate(line, 29), 0.1);
  assert_near(rate(line, 10), 0.004 + (0.1 - 0.004) * 10 / 29);
}

static void warmup_comes_first(void **state) {
  (void)state;
  const gt_schedule *s = schedule("schedule: {type: cosine, warmup: 20}");
  assert_near(rate(s, 0), 0.1 / 21);
  assert_near(rate(s, 19), 0.1 * 20 / 21);
  assert_near(rate(s, 20), 0.1);
  assert_near(rate(s, 60), 0.05);
}

/* The rate is halved after three evaluations in a row without improvement, down to min_lr. A loss that is
 * smaller by less than 0.01 % is not an improvement. */
static void plateau(void **state) {
  (void)state;
  const gt_schedule *s = schedule("schedule: {type: plateau, factor: 0.5, patience: 2, min_lr: 0.03}");
  gt_schedule_state now = gt_schedule_start();
  const double loss[] = {1, 0.9, 0.89999, 0.95, 0.91, 0.95, 0.95, 0.95, 0.95, 0.95, 0.95};
  const double want[] = {0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.03, 0.03, 0.03, 0.03};
  for (int i = 0; i < 11; i++) {
    gt_schedule_observe(s, 0.1, loss[i], &now);
    assert_near(0.1 * gt_schedule_factor(s, &now, (uint64_t)i, 100, 10, 0.1), want[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_schedule_is_constant), cmocka_unit_test(steps_and_exponentials),
      cmocka_unit_test(lines_and_cosines),       cmocka_unit_test(one_cycle),
      cmocka_unit_test(warmup_comes_first),      cmocka_unit_test(plateau),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

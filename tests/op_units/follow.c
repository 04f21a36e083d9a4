/* Cross-entropy and its gradient in the epilogue of a product, compared with the formulas in double
 * precision, applied to the logits that the same run has written: rows and columns that fill tiles or not,
 * split-K, smoothed labels, invalid labels, logits that are not finite. The plan is for a device with the
 * given number of multiprocessors and uses the best of the candidates with the given kernel. */
#include "base/philox.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/matmul/matmul.h"
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
  uint32_t m, n, k, units; /* units: multiprocessors */
  const char *kernel;
  bool split_k;
  bool in_epilogue; /* the product's kernel must compute loss and gradient; else a kernel of their own */
  double smoothing;
} problem;

enum { MOST = 1100 * 130, A = 0, B, BIAS, LABELS, WEIGHT, C, GRADIENT, LOSS, VARIABLES };
static float value[VARIABLES][MOST];

static gt_shape shape_of(const problem *p, int v) {
  return v == A                    ? gt_shape_2(p->m, p->k)
         : v == B                  ? gt_shape_2(p->k, p->n)
         : v == C || v == GRADIENT ? gt_shape_2(p->m, p->n)
         : v == BIAS               ? gt_shape_1(p->n)
                                   : gt_shape_1(p->m);
}

static uint32_t label_of(const problem *p, uint32_t row) { return row % 11 == 10 ? p->n : row * 7 % p->n; }

static void draw(const problem *p) {
  for (int v = A; v <= WEIGHT; v++)
    for (uint32_t i = 0; i < gt_shape_count(shape_of(p, v)); i++)
      value[v][i] = (float)gt_random_uniform(7, 1 + (uint32_t)v, 0, i) - (v == WEIGHT ? 0 : 0.5f);
  for (uint32_t i = 0; i < p->m; i++) {
    const uint32_t label = label_of(p, i);
    memcpy(&value[LABELS][i], &label, sizeof label);
  }
  if (p->m > 9) value[A][9 * p->k] = NAN;
  value[BIAS][p->n - 1] = p->n > 2 && p->smoothing == 0 ? -INFINITY : 3;
}

static gt_graph *build_graph(gt_arena *arena, const problem *p) {
  static const char *const name[] = {"a", "b", "bias", "labels", "weight", "c", "gradient", "loss"};
  gt_graph *g = gt_graph_create(arena);
  gt_graph_set_precision(g, GT_PRECISION_SCALAR);
  gt_error error = {0};
  gt_id input[VARIABLES], gradient;
  for (int v = 0; v < VARIABLES; v++) {
    const gt_dtype type = v == LABELS ? GT_I32 : GT_F32;
    const uint32_t variable = gt_graph_variable(g, name[v], shape_of(p, v), type, false);
    if (v <= WEIGHT) input[v] = gt_variable_read(g, variable);
  }
  const gt_id c = gt_add(g, gt_matmul(g, input[A], input[B], false, false), input[BIAS]);
  const gt_id loss = gt_cross_entropy(g, c, input[LABELS], p->smoothing, NULL);
  assert_true(gt_autodiff(g, gt_sum(g, gt_mul(g, loss, input[WEIGHT]), 0, false), &c, 1, &gradient, &error));
  gt_assign(g, C, 0, c);
  gt_assign(g, GRADIENT, 0, gradient);
  gt_assign(g, LOSS, 0, loss);
  return g;
}

/* A pin (support/pin.h): asserts the kernel, split-K and epilogue that the problem names. */
static void pin_plan(const gt_plan *plan, const problem *p) {
  bool found = false, has_own_kernel = false;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    has_own_kernel |= !strcmp(step->kernel->name, "cross_entropy");
    if (strcmp(step->kernel->name, p->kernel) != 0) continue;
    found = true;
    assert_int_equal(step->spec[GT_FACTOR_SPEC_FOLLOWED],
                     p->in_epilogue ? GT_FOLLOWED_BY_SLOPE | GT_FOLLOWED_BY_LOSS : 0);
    if (!strcmp(p->kernel, "matmul")) assert_int_equal(step->spec[GT_MATMUL_SPEC_ARRIVE], p->split_k);
  }
  assert_true(found);
  assert_int_equal(has_own_kernel, !p->in_epilogue);
}

/* True if the candidate has the kernel and the split-K of the problem. */
static bool matches(const problem *p, const char *candidate) {
  const unsigned parts = split_of_candidate(candidate);
  const char *kernel = strstr(candidate, ", few") ? "product_few" : "matmul";
  return !strcmp(kernel, p->kernel) && (parts > 1) == p->split_k;
}

/* Forces the candidate with the lowest cost that matches the problem. */
static void force_candidate(const gt_plan *plan, const problem *p, gt_tuned *tuned) {
  const gt_choice *choice = choice_of(plan, 0);
  char candidate[GT_CANDIDATE_TEXT], best[GT_CANDIDATE_TEXT] = "";
  double cost = 0;
  assert_non_null(choice);
  for (uint32_t i = 0; i < choice->candidates; i++) {
    choice->text(&choice->candidate[i], candidate, sizeof candidate);
    if (!matches(p, candidate) || (*best && choice->candidate[i].cost >= cost)) continue;
    cost = choice->candidate[i].cost;
    memcpy(best, candidate, sizeof best);
  }
  assert_true(*best);
  gt_tuned_set(tuned, choice->key, best);
}

static void run(const problem *p) {
  gt_arena arena;
  float *values[VARIABLES];
  gt_tuned tuned = {0};
  gt_arena_init(&arena);
  const gt_graph *g = build_graph(&arena, p);
  force_candidate(device_plan(&arena, g, (gt_plan_options){.target.units = p->units}), p, &tuned);
  const gt_plan *plan = device_plan(&arena, g, (gt_plan_options){.target.units = p->units, .tuned = &tuned});
  pin_plan(plan, p);
  memset(value[C], 0xff, (VARIABLES - C) * sizeof value[C]); /* elements that are not written stay NaN */
  for (int v = 0; v < VARIABLES; v++) values[v] = value[v];
  device_run(plan, g, 2, values);
  gt_tuned_finish(&tuned);
  gt_arena_finish(&arena);
}

static void check_row(const problem *p, uint32_t row) {
  const float *c = &value[C][row * p->n], *gradient = &value[GRADIENT][row * p->n];
  const uint32_t label = label_of(p, row);
  double largest = -INFINITY, sum = 0, loss = 0;
  for (uint32_t j = 0; j < p->n; j++) largest = fmax(largest, (double)c[j]);
  for (uint32_t j = 0; j < p->n; j++) sum += exp((double)c[j] - largest);
  const bool is_undefined = label >= p->n || isnan(sum);
  for (uint32_t j = 0; j < p->n; j++) {
    const double target = p->smoothing / p->n + (j == label ? 1 - p->smoothing : 0);
    const double want = (exp((double)c[j] - largest) / sum - target) * (double)value[WEIGHT][row];
    if (target != 0) loss -= target * ((double)c[j] - largest - log(sum));
    if (is_undefined ? !isnan(gradient[j]) : !(fabs((double)gradient[j] - want) <= 1e-6))
      fail_msg("%ux%ux%u for %u: gradient %u of row %u is %.9g, should be %.9g", p->m, p->n, p->k, p->units,
               j, row, (double)gradient[j], is_undefined ? (double)NAN : want);
  }
  const double got = (double)value[LOSS][row];
  if (is_undefined ? !isnan(got) : isinf(loss) ? got != loss : !(fabs(got - loss) <= 2e-6 * (1 + fabs(loss))))
    fail_msg("%ux%ux%u for %u: loss of row %u is %.9g, should be %.9g", p->m, p->n, p->k, p->units, row, got,
             is_undefined ? (double)NAN : loss);
}

static void check(const problem *p, size_t problems) {
  for (size_t i = 0; i < problems; i++) {
    draw(&p[i]);
    run(&p[i]);
    for (uint32_t row = 0; row < p[i].m; row++) check_row(&p[i], row);
  }
}
#define CHECK(...)                          \
  const problem problems[] = {__VA_ARGS__}; \
  check(problems, sizeof problems / sizeof *problems)

static void test_without_split_k(void **state) {
  (void)state;
  CHECK({1, 1, 3, 2, "matmul", false, true, 0}, {67, 10, 31, 2, "matmul", false, true, 0},
        {128, 32, 64, 2, "matmul", false, true, 0}, {1009, 3, 16, 2, "matmul", false, true, 0.1},
        {64, 16, 40, 2, "matmul", false, true, 0.25});
}

static void test_split_k(void **state) {
  (void)state;
  CHECK({67, 10, 2050, 132, "matmul", true, true, 0}, {70, 32, 2000, 132, "matmul", true, true, 0.1},
        {65, 1, 999, 132, "matmul", true, true, 0}, {96, 12, 1024, 132, "matmul", true, true, 0});
}

static void test_few(void **state) {
  (void)state;
  CHECK({1, 1, 3, 132, "product_few", false, true, 0}, {67, 10, 1031, 132, "product_few", false, true, 0},
        {1009, 3, 16, 132, "product_few", false, true, 0.1},
        {64, 16, 40, 2, "product_few", false, true, 0.25});
}

/* More classes than fit into a tile that holds full rows. */
static void test_own_kernel(void **state) {
  (void)state;
  CHECK({67, 33, 31, 2, "matmul", false, false, 0}, {70, 130, 64, 2, "matmul", false, false, 0.1});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_split_k), cmocka_unit_test(test_split_k),
                                     cmocka_unit_test(test_few), cmocka_unit_test(test_own_kernel)};
  if (!has_device()) return 77;
  return cmocka_run_group_tests_name("follow", tests, open_device, close_device);
}

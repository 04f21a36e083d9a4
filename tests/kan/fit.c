/* Fits of single edges: each function of the library is found from values of c f(a x + b) + d, for several
 * constants. Levenberg-Marquardt finds known minima and standard errors. */
#include "kan/formula_text.h"
#include "kan/levenberg_marquardt.h"
#include "kan/symbolic_front.h"
#include "kan_support.h"

enum { SAMPLES = 300 };

static double fit_value(const gt_edge_fit *fit, double x) {
  return fit->c * gt_symbol_value(fit->symbol, fit->a * x + fit->b) + fit->d;
}

/* Sets constants with which the argument of the function is in its domain for x in [-1, 1]. */
static void set_constants(const gt_symbol *s, int variant, gt_edge_fit *known) {
  const double sign = variant ? -1 : 1;
  *known = (gt_edge_fit){.symbol = s, .a = 1, .b = 0, .c = 1.7 * sign, .d = -0.4};
  if (s->free & GT_SYMBOL_A) known->a = variant ? 0.8 : 2.3;
  if (s->free & GT_SYMBOL_B) known->b = variant ? -0.3 : 0.45;
  if (s->kind == GT_SYMBOL_EXP) known->a *= sign;
  if (s->free & GT_SYMBOL_SIGN) known->a = sign, known->b = 1.2;
  if (s->kind == GT_SYMBOL_POWER && s->power < 0 && !(s->free & GT_SYMBOL_SIGN)) known->b = 1.5 * sign;
  if (!strcmp(s->name, "arcsin")) known->a = 0.7, known->b = 0.1 * sign;
  if (!strcmp(s->name, "tan")) known->a = 0.9, known->b = 0.2 * sign;
}

static void test_each_function_is_found(void **state) {
  (void)state;
  double *x = random_values(SAMPLES, -1, 1), y[SAMPLES];
  for (int i = 0; i < gt_symbol_count(); i++)
    for (int variant = 0; variant < 2; variant++) {
      gt_edge_fit known;
      set_constants(gt_symbol_at(i), variant, &known);
      for (int k = 0; k < SAMPLES; k++) y[k] = fit_value(&known, x[k]);
      const gt_edge_fit fit = gt_edge_fit_find(known.symbol, x, y, SAMPLES);
      if (!(1 - fit.r2 < 1e-12))
        fail_msg("%s, variant %d: 1 - r2 = %g with a %g b %g c %g d %g", known.symbol->name, variant,
                 1 - fit.r2, fit.a, fit.b, fit.c, fit.d);
      for (int k = 0; k < SAMPLES; k++) assert_true(fabs(fit_value(&fit, x[k]) - y[k]) < 1e-5);
    }
  test_free(x);
}

/* The fit of shortest description is the function itself, or a simpler equivalent. */
static void test_the_right_function_costs_least(void **state) {
  (void)state;
  /* A function, and its simpler equivalent. */
  static const char *const equivalent[][2] = {{"cos", "sin"}, {"sigmoid", "tanh"}};
  double *x = random_values(SAMPLES, -1, 1), y[SAMPLES];
  for (int i = 0; i < gt_symbol_count(); i++) {
    gt_edge_fit known, best = {0};
    const char *wanted = gt_symbol_at(i)->name;
    set_constants(gt_symbol_at(i), 0, &known);
    for (int k = 0; k < SAMPLES; k++) y[k] = fit_value(&known, x[k]);
    for (int j = 0; j < gt_symbol_count(); j++) {
      const gt_edge_fit fit = gt_edge_fit_find(gt_symbol_at(j), x, y, SAMPLES);
      if (!best.symbol || gt_edge_fit_compare(&fit, &best) < 0) best = fit;
    }
    for (size_t k = 0; k < 2; k++)
      if (!strcmp(wanted, equivalent[k][0])) wanted = equivalent[k][1];
    assert_string_equal(best.symbol->name, wanted);
  }
  test_free(x);
}

static void test_slopes_are_derivatives(void **state) {
  (void)state;
  for (int i = 0; i < gt_symbol_count(); i++) {
    const gt_symbol *s = gt_symbol_at(i);
    for (double u = 0.05; u < 0.9; u += 0.1) {
      const double h = 1e-6, slope = (gt_symbol_value(s, u + h) - gt_symbol_value(s, u - h)) / (2 * h);
      assert_true(fabs(slope - gt_symbol_slope(s, u)) < 1e-6 * (1 + fabs(slope)));
    }
  }
}

/* Rosenbrock's valley as two residuals: its only minimum is 0, at (1, 1). */
static double valley(void *context, const double *p, double *jtj, double *jtr) {
  const double r[2] = {10 * (p[1] - p[0] * p[0]), 1 - p[0]}, jacobian[2][2] = {{-20 * p[0], 10}, {-1, 0}};
  ++*(int *)context; /* counts calls */
  for (int k = 0; jtj && k < 2; k++)
    for (int i = 0; i < 2; i++) {
      jtr[i] += jacobian[k][i] * r[k];
      for (int j = 0; j <= i; j++) jtj[i * 2 + j] += jacobian[k][i] * jacobian[k][j];
    }
  return r[0] * r[0] + r[1] * r[1];
}

static void test_least_squares(void **state) {
  (void)state;
  int calls = 0;
  double p[2] = {-1.2, 1};
  const double sum = gt_levenberg_marquardt_minimize(&(gt_levenberg_marquardt){2, &calls, valley}, p, 200);
  assert_true(sum < 1e-24 && fabs(p[0] - 1) < 1e-10 && fabs(p[1] - 1) < 1e-10);
  assert_true(calls < 200);
}

/* The Jacobian of a line p0 + p1 x at x = 0, 1, 2, 3, and of a third parameter without effect. */
static double line_with_unused_parameter(void *context, const double *p, double *jtj, double *jtr) {
  (void)context, (void)p, (void)jtr;
  for (int k = 0; k < 4; k++) {
    const double jacobian[3] = {1, k, 0};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) jtj[i * 3 + j] += jacobian[i] * jacobian[j];
  }
  return 0;
}

/* With n = 4 points: sqrt(1/n + mean(x)^2 / S) and sqrt(1/S), where S = 5 is the sum of (x - mean(x))^2;
 * infinite for a parameter without effect. */
static void test_deviations(void **state) {
  (void)state;
  double deviation[3];
  gt_levenberg_marquardt_deviations(&(gt_levenberg_marquardt){3, NULL, line_with_unused_parameter}, NULL,
                                    deviation);
  assert_true(fabs(deviation[0] - sqrt(0.25 + 1.5 * 1.5 / 5)) < 1e-9);
  assert_true(fabs(deviation[1] - sqrt(1 / 5.0)) < 1e-9);
  assert_true(isinf(deviation[2]));
}

/* True if noise in samples of y = 2 x + 1 is found to be proportional to the values. is_relative: the noise
 * is up to 1 % of each value; otherwise up to 0.01 for all. weighted: receives the products of weight and
 * value of the first and the last sample. */
static bool finds_proportional_noise(bool is_relative, double weighted[2]) {
  enum { COUNT = 200 };
  gt_symbolic_edge edge = {.symbol = gt_symbol_find("x"), .value = {1, 0, 2}};
  double output = 1, *bias[] = {NULL, &output}, x[COUNT], y[COUNT];
  bool fixed = false, *bias_fixed[] = {NULL, &fixed};
  int width[] = {1, 1};
  const gt_symbolic s = {
      .layers = 1, .width = width, .edge = &edge, .edges = 1, .bias = bias, .bias_fixed = bias_fixed};
  gt_arena arena;
  gt_arena_init(&arena);
  for (int k = 0; k < COUNT; k++) {
    x[k] = 0.1 * k;
    y[k] = (2 * x[k] + 1) + 0.01 * sin(37.0 * k) * (is_relative ? 2 * x[k] + 1 : 1);
  }
  gt_symbolic_data data = gt_symbolic_data_of(x, y, COUNT, 1, 1);
  const bool proportional = gt_symbolic_find_noise(&data, &s, &arena);
  weighted[0] = gt_symbolic_weight(&data, 0, 0) * y[0];
  weighted[1] = gt_symbolic_weight(&data, COUNT - 1, 0) * y[COUNT - 1];
  assert_true(proportional == (data.relative != NULL));
  gt_arena_finish(&arena);
  return proportional;
}

static void test_noise_in_proportion(void **state) {
  (void)state;
  double weighted[2];
  assert_true(finds_proportional_noise(true, weighted));
  assert_true(fabs(weighted[0] / weighted[1] - 1) < 1e-9); /* weights are proportional to 1 / |y| */
  assert_false(finds_proportional_noise(false, weighted));
}

enum { FRONT_SAMPLES = 200 };

/* The front of y = x^2 (law 2) or y = 2 x (law 1), with noise of this size, that starts from c f(a x + b) + d
 * with the constants as they are. Checks that no formula of the list dominates the chosen one, and that the
 * chosen one is `expected`. True if it replaces the first one. */
static bool front_chooses(const char *expected, int law, double noise, const gt_edge_fit *first) {
  gt_symbolic_edge edge = {
      .symbol = first->symbol, .value = {first->a, first->b, first->c}, .fixed = {true, true, true}};
  double output = first->d, *bias[] = {NULL, &output}, x[FRONT_SAMPLES], y[FRONT_SAMPLES];
  bool fixed = true, *bias_fixed[] = {NULL, &fixed};
  int width[] = {1, 1}, chosen = 0;
  const gt_symbolic s = {
      .layers = 1, .width = width, .edge = &edge, .edges = 1, .bias = bias, .bias_fixed = bias_fixed};
  gt_arena arena;
  gt_arena_init(&arena);
  for (int k = 0; k < FRONT_SAMPLES; k++) {
    x[k] = 0.01 * k - 1;
    y[k] = (law == 2 ? x[k] * x[k] : 2 * x[k]) + noise * sin(37.0 * k * k);
  }
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, FRONT_SAMPLES, 1, 1);
  const gt_symbolic_front front = gt_symbolic_front_find(&s, &data, &(gt_symbolic_options){0}, &arena);
  while (!front.point[chosen].chosen) chosen++;
  const gt_symbolic_point *star = &front.point[chosen];
  for (int i = 0; i < front.count; i++)
    assert_true(i == chosen || front.point[i].complexity > star->complexity ||
                front.point[i].sum > star->sum);
  assert_string_equal(gt_symbolic_text(&star->formula, 0, GT_FORMULA_PLAIN, &arena), expected);
  const bool replaced = front.replaced != NULL;
  if (replaced) assert_true(front.lead > 0);
  gt_arena_finish(&arena);
  return replaced;
}

static void test_chosen_formula_is_not_dominated(void **state) {
  (void)state;
  /* The law is simpler and more exact. */
  const gt_edge_fit cosine = {.symbol = gt_symbol_find("cos"), .a = 1.25, .b = 0, .c = -1.4, .d = 1.38};
  assert_true(front_chooses("x0^2", 2, 0, &cosine));
  assert_true(front_chooses("x0^2", 2, 0.01, &cosine));
  /* 2.0002 x + 0.0001 has a smaller error, but needs more digits. */
  const gt_edge_fit line = {.symbol = gt_symbol_find("x"), .a = 1, .b = 0, .c = 2, .d = 0};
  assert_false(front_chooses("2*x0", 1, 0.05, &line));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chosen_formula_is_not_dominated),
      cmocka_unit_test(test_each_function_is_found),
      cmocka_unit_test(test_the_right_function_costs_least),
      cmocka_unit_test(test_slopes_are_derivatives),
      cmocka_unit_test(test_least_squares),
      cmocka_unit_test(test_deviations),
      cmocka_unit_test(test_noise_in_proportion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

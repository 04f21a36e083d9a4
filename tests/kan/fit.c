/* Fits of single edges: each function of the library is found from values of c f(a x + b) + d, for several
 * constants. Levenberg-Marquardt finds known minima and standard errors. */
#include "kan/levenberg_marquardt.h"
#include "kan_support.h"

enum { SAMPLES = 300 };

static double value(const gt_edge_fit *fit, double x) {
  return fit->c * gt_symbol_value(fit->symbol, fit->a * x + fit->b) + fit->d;
}

/* Sets constants with which the arguments are in the domain of the function for x in [-1, 1]. */
static void constants_of(const gt_symbol *s, int variant, gt_edge_fit *known) {
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
      constants_of(gt_symbol_at(i), variant, &known);
      for (int k = 0; k < SAMPLES; k++) y[k] = value(&known, x[k]);
      const gt_edge_fit fit = gt_edge_fit_find(known.symbol, x, y, SAMPLES);
      if (!(1 - fit.r2 < 1e-12))
        fail_msg("%s, variant %d: 1 - r2 = %g with a %g b %g c %g d %g", known.symbol->name, variant,
                 1 - fit.r2, fit.a, fit.b, fit.c, fit.d);
      for (int k = 0; k < SAMPLES; k++) assert_true(fabs(value(&fit, x[k]) - y[k]) < 1e-5);
    }
  test_free(x);
}

/* The fit of shortest description is the function itself, or a simpler equivalent. */
static void test_the_right_function_costs_least(void **state) {
  (void)state;
  static const char *const same[][2] = {{"cos", "sin"}, {"sigmoid", "tanh"}};
  double *x = random_values(SAMPLES, -1, 1), y[SAMPLES];
  for (int i = 0; i < gt_symbol_count(); i++) {
    gt_edge_fit known, best = {0};
    const char *wanted = gt_symbol_at(i)->name;
    constants_of(gt_symbol_at(i), 0, &known);
    for (int k = 0; k < SAMPLES; k++) y[k] = value(&known, x[k]);
    for (int j = 0; j < gt_symbol_count(); j++) {
      const gt_edge_fit fit = gt_edge_fit_find(gt_symbol_at(j), x, y, SAMPLES);
      if (!best.symbol || gt_edge_fit_cost(&fit) < gt_edge_fit_cost(&best)) best = fit;
    }
    for (size_t k = 0; k < 2; k++)
      if (!strcmp(wanted, same[k][0])) wanted = same[k][1];
    assert_string_equal(best.symbol->name, wanted);
  }
  test_free(x);
}

static void test_slopes(void **state) {
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
static double valley(void *owner, const double *p, double *square, double *side) {
  const double r[2] = {10 * (p[1] - p[0] * p[0]), 1 - p[0]}, jacobian[2][2] = {{-20 * p[0], 10}, {-1, 0}};
  ++*(int *)owner;
  for (int k = 0; square && k < 2; k++)
    for (int i = 0; i < 2; i++) {
      side[i] += jacobian[k][i] * r[k];
      for (int j = 0; j <= i; j++) square[i * 2 + j] += jacobian[k][i] * jacobian[k][j];
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

/* A line through x = 0, 1, 2, 3: the standard errors are known, and that of a parameter without effect is
 * infinite. */
static double line_through(void *owner, const double *p, double *square, double *side) {
  (void)owner, (void)p, (void)side;
  for (int k = 0; k < 4; k++) {
    const double jacobian[3] = {1, k, 0};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j <= i; j++) square[i * 3 + j] += jacobian[i] * jacobian[j];
  }
  return 0;
}

static void test_deviations(void **state) {
  (void)state;
  double deviation[3];
  gt_levenberg_marquardt_deviations(&(gt_levenberg_marquardt){3, NULL, line_through}, NULL, deviation);
  assert_true(fabs(deviation[0] - sqrt(0.25 + 1.5 * 1.5 / 5)) < 1e-9);
  assert_true(fabs(deviation[1] - sqrt(1 / 5.0)) < 1e-9);
  assert_true(isinf(deviation[2]));
}

/* Detects noise in samples of y = 2 x + 1, with noise of 1 % of each value (relative) or of equal size. True
 * if it is found to be proportional to the values. factor: the weight times the value of the first and last
 * sample. */
static bool is_proportional(bool relative, double factor[2]) {
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
    y[k] = (2 * x[k] + 1) + 0.01 * sin(37.0 * k) * (relative ? 2 * x[k] + 1 : 1);
  }
  gt_symbolic_data data = gt_symbolic_data_of(x, y, COUNT, 1, 1);
  const bool proportional = gt_symbolic_find_noise(&data, &s, &arena);
  factor[0] = gt_symbolic_weight(&data, 0, 0) * y[0];
  factor[1] = gt_symbolic_weight(&data, COUNT - 1, 0) * y[COUNT - 1];
  assert_true(proportional == (data.relative != NULL));
  gt_arena_finish(&arena);
  return proportional;
}

static void test_noise_in_proportion(void **state) {
  (void)state;
  double factor[2];
  assert_true(is_proportional(true, factor));
  assert_true(fabs(factor[0] / factor[1] - 1) < 1e-9); /* weights are proportional to 1 / |y| */
  assert_false(is_proportional(false, factor));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_function_is_found),
      cmocka_unit_test(test_the_right_function_costs_least),
      cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_least_squares),
      cmocka_unit_test(test_deviations),
      cmocka_unit_test(test_noise_in_proportion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

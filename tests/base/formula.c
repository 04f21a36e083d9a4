/* Formulas in the config: values, error messages with suggestions, and limits. */
#include "base/formula.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"x0", "x1", "x"};
static const double values[] = {0.5, 2, -3};

static void test_values(void **state) {
  (void)state;
  const double x0 = 0.5, x1 = 2, x = -3;
  const struct {
    const char *text;
    double value;
  } rows[] = {
      {"1 + 2*3", 7},
      {"exp(sin(pi*x0) + x1^2)", exp(sin(3.14159265358979323846 * x0) + x1 * x1)},
      {"-x^2", -9},
      {"(-x)^2", 9},
      {"2^3^2", 512},
      {"2^-1", 0.5},
      {"2 - 3 - 4", -5},
      {"24/4/2", 3},
      {"7 % 3", 1},
      {"-7 % 3", 2},
      {"7 % -3", -2},
      {"mod(-7, 3)", 2},
      {"mod(6, -3)", 0},
      {"x < 0", 1},
      {"0 < x", 0},
      {"x > 0", 0},
      {"less(1, 2) + 1", 2},
      {"max(x0, x1) - min(x0, x1)", 1.5},
      {"leaky_relu(x)", -0.03},
      {"relu(x) + abs(x) + neg(x)", 6},
      {"sigmoid(0) + tanh(0) + softplus(0)", 0.5 + log(2)},
      {"gelu(1)", 0.5 * (1 + erf(sqrt(0.5)))},
      {"silu(x1)", x1 / (1 + exp(-x1))},
      {"pow(x1, 3) + sub(1, 2) + add(1, 2) + mul(2, 3) + div(1, 2)", 16.5},
      {"reciprocal(4) + sqrt(4) + exp2(3) + log2(8) + log(e) + erf(0) + cos(0)", 15.25},
      {"1e3 + 1.5e-1 + .5 + 2.", 1002.65},
      {"--x", x},
      {" ( x0 ) ", x0},
      {"|x| + 2*|x0 - |x1||", 6},
      {"||x| - 4|^2", 1},
      {"ln(e) + log10(1000) + sgn(x) + sign(0)", 3},
      {"floor(x0) + floor(-x0) + floor(x)", -4},
      {"gaussian(x1)", exp(-4)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gt_arena arena;
    gt_arena_init(&arena);
    gt_formula_error error;
    const gt_formula *f = gt_formula_parse(&arena, rows[i].text, names, 3, &error);
    if (!f) fail_msg("%s: %s", rows[i].text, error.message);
    const double got = gt_formula_evaluate(f, values);
    if (fabs(got - rows[i].value) > 1e-12 * fmax(1, fabs(got))) fail_msg("%s: %g", rows[i].text, got);
    gt_arena_finish(&arena);
  }
}

static void test_errors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int column;
    const char *message_part, *suggestion;
  } rows[] = {
      {"", 0, "empty", NULL},
      {"1 + ", 4, "ends here", NULL},
      {"1 + sn(x)", 4, "unknown function 'sn'", "sin"},
      {"2*|x + 1", 2, "never closed", NULL},
      {"|(x|)", 3, "unexpected '|'", NULL},
      {"arcsin(1, 2)", 0, "1 argument", NULL},
      {"x0 + x2", 5, "unknown name 'x2'", NULL},
      {"sigmod(x)", 0, "unknown function", "sigmoid"},
      {"exp + 1", 0, "is a function", NULL},
      {"max(1)", 0, "2 arguments", NULL},
      {"exp(1, 2, 3)", 0, "1 argument", NULL},
      {"exp()", 0, "1 argument", NULL},
      {"2*(x + 1", 2, "never closed", NULL},
      {"exp(x", 3, "never closed", NULL},
      {"x + 1)", 5, "has no opening", NULL},
      {"2x", 1, "operator is missing", "*"},
      {"x x", 2, "operator is missing", "*"},
      {"x ** 2", 2, "'**'", "^"},
      {"x <= 2", 2, "'<='", "<"},
      {"x = 2", 2, "unexpected '='", NULL},
      {"x + $", 4, "unexpected '$'", NULL},
      {"x + é", 4, "unexpected 'é'", NULL},
      {"1.2.3", 3, "decimal point", NULL},
      {"1e999", 0, "too large", NULL},
      {"+", 1, "ends here", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gt_arena arena;
    gt_arena_init(&arena);
    gt_formula_error e;
    if (gt_formula_parse(&arena, rows[i].text, names, 3, &e)) fail_msg("%s was accepted", rows[i].text);
    if (e.column != rows[i].column || !strstr(e.message, rows[i].message_part))
      fail_msg("%s: %d: %s", rows[i].text, e.column, e.message);
    if (rows[i].suggestion) {
      assert_non_null(e.suggestion);
      assert_string_equal(e.suggestion, rows[i].suggestion);
    } else {
      assert_null(e.suggestion);
    }
    gt_arena_finish(&arena);
  }
}

/* The value of a formula of x. */
static double evaluate_at(const char *text, double x) {
  static const char *const variable[] = {"x"};
  gt_arena arena;
  gt_formula_error error;
  gt_arena_init(&arena);
  const gt_formula *f = gt_formula_parse(&arena, text, variable, 1, &error);
  if (!f) fail_msg("%s: %s", text, error.message);
  const double value = gt_formula_evaluate(f, &x);
  gt_arena_finish(&arena);
  return value;
}

/* For a function name of C or NumPy, formulas accept it, or the error suggests a formula with the same value,
 * or suggests nothing. A function is never suggested only because its name is similar. */
static void test_functions_of_c_and_numpy(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*function)(double x);
    double x; /* where the values are compared */
  } rows[] = {{"tan", tan, 0.7},       {"asin", asin, 0.7},    {"arcsin", asin, -0.7}, {"acos", acos, 0.7},
              {"arccos", acos, 0.7},   {"atan", atan, 0.7},    {"arctan", atan, 0.7},  {"sinh", sinh, 0.7},
              {"cosh", cosh, 0.7},     {"asinh", asinh, 0.7},  {"acosh", acosh, 1.7},  {"atanh", atanh, 0.7},
              {"ln", log, 0.7},        {"log10", log10, 0.7},  {"log1p", log1p, 0.7},  {"expm1", expm1, 0.7},
              {"cbrt", cbrt, -0.7},    {"erfc", erfc, 0.7},    {"floor", floor, -0.7}, {"ceil", ceil, -0.7},
              {"round", round, -0.7},  {"rint", rint, 0.7},    {"trunc", trunc, -0.7}, {"fabs", fabs, -0.7},
              {"lgamma", lgamma, 0.7}, {"tgamma", tgamma, 0.7}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *meaning = gt_formula_meaning(rows[i].name);
    char text[64], equivalent[64]; /* equivalent: the formula that is evaluated */
    gt_arena arena;
    gt_formula_error error = {0};
    gt_arena_init(&arena);
    snprintf(text, sizeof text, "%s(x)", rows[i].name);
    if (!meaning) fail_msg("%s is not known", rows[i].name);
    if (gt_formula_parse(&arena, text, names, 3, &error)) {
      snprintf(equivalent, sizeof equivalent, "%s", text);
    } else if (!*meaning) {
      assert_null(error.suggestion);
    } else {
      assert_string_equal(error.suggestion, meaning);
      /* `meaning` is a formula of x or only the name of a function. */
      const bool is_formula = strchr(meaning, 'x') && strpbrk(meaning, "(^ ");
      snprintf(equivalent, sizeof equivalent, is_formula ? "%s" : "%s(x)", meaning);
    }
    if (*meaning) assert_true(fabs(evaluate_at(equivalent, rows[i].x) - rows[i].function(rows[i].x)) < 1e-12);
    gt_arena_finish(&arena);
  }
}

static void test_limits(void **state) {
  (void)state;
  static char text[5000];
  gt_arena arena;
  gt_arena_init(&arena);
  gt_formula_error e;
  static const char *const openings[] = {"(", "-", "exp(", "2^", "--(", "|"};
  for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
    *text = 0;
    while (strlen(text) < 4000) strcat(text, openings[i]);
    assert_null(gt_formula_parse(&arena, text, names, 3, &e));
    assert_non_null(strstr(e.message, "deep"));
  }
  memset(text, ' ', 4999);
  assert_null(gt_formula_parse(&arena, text, names, 3, &e));
  assert_non_null(strstr(e.message, "longer"));
  strcpy(text, "1");
  for (int i = 0; i < 2000; i++) strcat(text, "+1"); /* long, but not deep */
  const gt_formula *f = gt_formula_parse(&arena, text, names, 3, &e);
  assert_non_null(f);
  assert_true(gt_formula_evaluate(f, values) == 2001);
  gt_arena_finish(&arena);
}

/* A variable hides a constant of the same name. */
static void test_shadowed_constants(void **state) {
  (void)state;
  static const char *const variable[] = {"e"};
  const double value = 7;
  gt_arena arena;
  gt_arena_init(&arena);
  assert_true(gt_formula_evaluate(gt_formula_parse(&arena, "e", variable, 1, NULL), &value) == 7);
  const gt_formula *f = gt_formula_parse(&arena, "e + e", variable, 1, NULL);
  assert_string_equal(f->call, "add");
  assert_int_equal(f->arguments, 2);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_functions_of_c_and_numpy),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_shadowed_constants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

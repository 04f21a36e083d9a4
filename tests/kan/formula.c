/* Formulas of networks: networks whose splines approximate known functions give exactly the known formula,
 * and a printed formula parses to the same values. */
#include "base/formula.h"
#include "kan/formula_text.h"
#include "kan_support.h"
#include "latex.h"
#include "layer/kan/kan_function.h"

static double line(double x) { return 0.7 * x; }
static double sine(double x) { return 0.5 * sin(3.14159265358979 * x); }
static double half_square(double x) { return 0.5 * x * x; }
static double exp_twice(double x) { return exp(2 * x); }
/* Some factors cancel in a known formula: exp_unscaled(log_scaled(x)) is x, root_of_five_times(fifth(x)) is
 * sqrt(x), and inverse(tenth_square(x)) is 2 / (1 + x^2). */
static double log_scaled(double x) { return 0.3 * log(x); }
static double minus_log_scaled(double x) { return -0.3 * log(x); }
static double exp_unscaled(double x) { return exp(x / 0.3); }
static double fifth_of_root(double x) { return 0.2 * sqrt(x); }
static double fifth(double x) { return 0.2 * x; }
static double root_of_five_times(double x) { return sqrt(5 * x); }
static double tenth_square(double x) { return 0.1 * x * x; }
static double inverse(double x) { return 2 / (1 + 10 * x); }
static double bump(double x) { return 0.3 * exp(-4 * x * x); }
static double minus_bump(double x) { return -0.3 * exp(-4 * x * x); }

typedef struct known {
  edge_function *in[4], *out; /* the edges into the hidden node, and the edge out of it */
  int inputs;
  double low, high;           /* range of the inputs */
  double node_low, node_high; /* range of the hidden node */
  const char *formula;        /* the expected text */
} known;

/* Asserts that the text of the formula parses and gives the same values as the formula, and that these equal
 * y. */
static void check_parsed_text(const gt_symbolic *s, const double *x, const double *y, int inputs) {
  static const char *const names[] = {"x0", "x1", "x2", "x3"};
  gt_arena arena;
  gt_formula_error error;
  gt_arena_init(&arena);
  const char *text = gt_symbolic_text(s, 0, GT_FORMULA_EXPRESSION, &arena);
  const gt_formula *formula = gt_formula_parse(&arena, text, names, inputs, &error);
  if (!formula) fail_msg("'%s': %s", text, error.message);
  for (int k = 0; k < KNOWN_SAMPLES; k++) {
    double evaluated;
    const double parsed = gt_formula_evaluate(formula, x + k * inputs);
    gt_symbolic_evaluate(s, x + k * inputs, &evaluated);
    assert_true(fabs(parsed - evaluated) < 1e-10 * (1 + fabs(evaluated)));
    assert_true(fabs(parsed - y[k]) < 1e-9 * (1 + fabs(y[k])));
  }
  gt_arena_finish(&arena);
}

/* Asserts that the known formula is found for the network of these edges, from samples without noise. */
static void check(const known *c) {
  gt_kan_network n;
  const int width[] = {c->inputs, 1, 1};
  init_network(&n, width, 2, c->low, c->high);
  n.layer[1].basis = gt_kan_bspline(c->node_low, c->node_high, KNOWN_GRID, 3);
  double *x = random_values(KNOWN_SAMPLES * c->inputs, c->low, c->high), y[KNOWN_SAMPLES];
  for (int i = 0; i < c->inputs; i++) set_edge(&n, 0, i, 0, c->in[i], c->low, c->high);
  set_edge(&n, 1, 0, 0, c->out, c->node_low, c->node_high);
  for (int k = 0; k < KNOWN_SAMPLES; k++) {
    double sum = 0;
    for (int i = 0; i < c->inputs; i++) sum += c->in[i](x[k * c->inputs + i]);
    y[k] = c->out(sum);
  }
  gt_symbolic s;
  gt_symbolic_report report;
  gt_error error = {0};
  gt_arena arena;
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, c->inputs, 1);
  gt_arena_init(&arena);
  assert_true(gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){0}, &report, &error));
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena), c->formula);
  check_parsed_text(&s, x, y, c->inputs);
  gt_symbolic_finish(&s);
  gt_arena_finish(&arena);
  gt_kan_network_finish(&n);
  test_free(x);
}

static void test_known_formulas(void **state) {
  (void)state;
  static const known cases[] = {
      {{sine, half_square}, exp_twice, 2, -1, 1, -0.5, 1, "exp(sin(pi*x0) + x1^2)"},
      {{log_scaled, log_scaled, minus_log_scaled}, exp_unscaled, 3, 0.5, 2, -0.7, 0.7, "x0*x1/x2"},
      {{fifth, fifth_of_root}, root_of_five_times, 2, 0.1, 2, 0.08, 0.7, "sqrt(x0 + sqrt(x1))"},
      {{tenth_square, tenth_square, tenth_square}, inverse, 3, -1, 1, 0, 0.3, "2/(x0^2 + x1^2 + x2^2 + 1)"},
      {{line, line, line, line},
       sine,
       4,
       -0.5,
       0.5,
       -1.4,
       1.4,
       "0.5*sin(7*pi/10*x0 + 7*pi/10*x1 + 7*pi/10*x2 + 7*pi/10*x3)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* Two nodes that cancel each other are removed, and a third stays. */
static void test_canceling_nodes_are_removed(void **state) {
  (void)state;
  const int width[] = {1, 3, 1};
  gt_kan_network n;
  init_network(&n, width, 2, -1, 1);
  double *x = random_values(KNOWN_SAMPLES, -1, 1), y[KNOWN_SAMPLES];
  set_edge(&n, 0, 0, 0, bump, -1, 1);
  set_edge(&n, 0, 0, 1, minus_bump, -1, 1);
  set_edge(&n, 0, 0, 2, half_square, -1, 1);
  for (int k = 0; k < 3; k++) set_edge(&n, 1, k, 0, k == 2 ? sine : line, -1, 1);
  for (int k = 0; k < KNOWN_SAMPLES; k++) y[k] = sine(half_square(x[k]));
  gt_symbolic s;
  gt_symbolic_report report;
  gt_error error = {0};
  gt_arena arena;
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, 1, 1);
  gt_arena_init(&arena);
  assert_true(gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){0}, &report, &error));
  assert_int_equal(s.edges, 2);
  assert_int_equal(report.rows, 6);
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena), "0.5*sin(pi/2*x0^2)");
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_LATEX, &arena),
                      "0.5 \\, \\sin\\left(\\frac{\\pi}{2} \\, x_{0}^{2}\\right)");
  gt_symbolic_finish(&s);
  gt_arena_finish(&arena);
  gt_kan_network_finish(&n);
  test_free(x);
}

/* Constant on [-1, 1], the range of the inputs. */
static double flat(double x) { return x < 4 ? 0.25 : 0; }

/* An input that is always one, edges with a constant value, and a node that reads only such edges become part
 * of the constant (variant 0); if the target is constant, so does everything (1). A value that is not finite
 * is reported with its edge (2). */
static void test_constant_edges(void **state) {
  (void)state;
  static const char *const names[] = {"width", "height", "ones"}, *const expected[] = {"width^2 + 0.4",
                                                                                       "0.25", NULL};
  for (int variant = 0; variant < 3; variant++) {
    const int width[] = {3, 2, 1};
    gt_kan_network n;
    init_network(&n, width, 2, -1, 1);
    double *x = random_values(KNOWN_SAMPLES * 3, -1, 1), y[KNOWN_SAMPLES];
    set_edge(&n, 0, 0, 0, half_square, -1, 1);
    set_edge(&n, 0, 1, 0, flat, -1, 1);
    set_edge(&n, 0, 1, 1, flat, -1, 1);
    set_edge(&n, 0, 2, 0, tenth_square, -1, 1);
    set_edge(&n, 0, 2, 1, line, -1, 1);
    set_edge(&n, 1, 0, 0, line, -1, 1);
    set_edge(&n, 1, 1, 0, sine, -1, 1);
    for (int k = 0; k < KNOWN_SAMPLES; k++) {
      x[3 * k + 2] = 1;
      y[k] = variant == 1 ? 0.25 : x[3 * k] * x[3 * k] + 0.4;
    }
    if (variant == 2)
      n.layer[0].coefficient[3 * n.layer[0].basis.terms] = NAN; /* the edge from "height" to node 1 */
    gt_symbolic s;
    gt_symbolic_report report;
    gt_error error = {0};
    gt_arena arena;
    gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, 3, 1);
    data.names = names;
    gt_arena_init(&arena);
    if (gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){0}, &report, &error)) {
      assert_int_equal(report.rows, 7);
      assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena), expected[variant]);
    } else {
      assert_int_equal(variant, 2);
      assert_string_equal(error.message, "none of the functions fits edge 1 -> 1 of 'kan1' (input 'height')");
    }
    gt_symbolic_finish(&s);
    gt_arena_finish(&arena);
    gt_kan_network_finish(&n);
    test_free(x);
  }
}

/* For each function f of the library, c f(a x + b) + d is printed with six digits as a formula of nearly the
 * same values, and the name of f parses, as a function ("sin") or as an expression of x ("1/x^2"). */
static void test_each_function_is_read_back(void **state) {
  (void)state;
  static const char *const names[] = {"x0", "x"};
  for (int i = 0; i < gt_symbol_count(); i++) {
    const gt_symbol *symbol = gt_symbol_at(i);
    const char *name = symbol->name, last = name[strlen(name) - 1];
    gt_symbolic_edge edge = {.symbol = symbol, .value = {0.7, 0.1, 1.3}};
    double bias = -0.4, *biases[] = {NULL, &bias};
    int width[] = {1, 1};
    const gt_symbolic s = {.layers = 1, .width = width, .edge = &edge, .edges = 1, .bias = biases};
    gt_arena arena;
    gt_arena_init(&arena);
    const char *plain = gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena);
    const char *call =
        gt_arena_printf(&arena, last == 'x' || (last >= '0' && last <= '9') ? "%s" : "%s(x)", name);
    const gt_formula *parsed = gt_formula_parse(&arena, plain, names, 1, NULL),
                     *named = gt_formula_parse(&arena, call, names, 2, NULL);
    if (!parsed || !named) fail_msg("'%s' or '%s' is no formula", plain, call);
    for (double x = 0.05; x < 1; x += 0.1) {
      const double arguments[] = {0, x};
      double evaluated;
      gt_symbolic_evaluate(&s, &x, &evaluated);
      assert_true(fabs(gt_formula_evaluate(parsed, &x) - evaluated) < 1e-5 * (1 + fabs(evaluated)));
      assert_true(fabs(gt_formula_evaluate(named, arguments) - gt_symbol_value(symbol, x)) <
                  1e-12 * (1 + 1 / (x * x)));
    }
    gt_arena_finish(&arena);
  }
}

static double wave(double x) { return sin(3 * x) + x; }

/* With each single function of the library: either the search fails with an error, or the formula stays in
 * the function's domain, so that its text has the fitted values. */
static void test_functions_keep_to_their_domains(void **state) {
  (void)state;
  static const char *const names[] = {"x0"};
  const int width[] = {1, 2, 1};
  gt_kan_network n;
  init_network(&n, width, 2, -1, 1);
  for (int k = 0; k < 2; k++) {
    set_edge(&n, 0, 0, k, k ? half_square : sine, -1, 1);
    set_edge(&n, 1, k, 0, k ? sine : wave, -1, 1);
  }
  double *x = random_values(60, -1, 1), y[60];
  for (int k = 0; k < 60; k++) y[k] = 10 * wave(sine(x[k]));
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, 60, 1, 1);
  int found = 0;
  for (int i = 0; i < gt_symbol_count(); i++) {
    bool allowed[64] = {false};
    gt_symbolic s;
    gt_symbolic_report report;
    gt_error error = {0};
    gt_arena arena;
    allowed[i] = true;
    if (!gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){.allowed = allowed}, &report, &error)) {
      if (!strstr(error.message, "fits edge")) assert_non_null(strstr(error.message, "has a finite value"));
      continue;
    }
    gt_arena_init(&arena);
    const char *text = gt_symbolic_text(&s, 0, GT_FORMULA_EXPRESSION, &arena);
    const gt_formula *parsed = gt_formula_parse(&arena, text, names, 1, NULL);
    for (int k = 0; k < 60; k++) {
      double evaluated;
      gt_symbolic_evaluate(&s, x + k, &evaluated);
      if (!(fabs(gt_formula_evaluate(parsed, x + k) - evaluated) < 1e-5 * (1 + fabs(evaluated))))
        fail_msg("%s is %g at %g, not %g", text, gt_formula_evaluate(parsed, x + k), x[k], evaluated);
    }
    found++;
    gt_arena_finish(&arena);
    gt_symbolic_finish(&s);
  }
  assert_true(found > 12);
  gt_kan_network_finish(&n);
  test_free(x);
}

/* The next random number with mean 0 and standard deviation 1 (Box-Muller). */
static double gaussian_noise(uint32_t *state) {
  double u[2];
  for (int i = 0; i < 2; i++) {
    *state = *state * 1664525u + 1013904223u;
    u[i] = ((double)(*state >> 8) + 0.5) / 16777216.0;
  }
  return sqrt(-2 * log(u[0])) * cos(2 * 3.14159265358979 * u[1]);
}

/* Two outputs of different scale and noise: with a hidden node each, they are fitted separately (variant 0);
 * if they share a node, together (1). A search that spends its budget reports that it was cut short (2). */
static void test_outputs_are_read_separately(void **state) {
  (void)state;
  for (int variant = 0; variant < 3; variant++) {
    const bool shared = variant > 0;
    const int width[] = {1, shared ? 1 : 2, 2};
    gt_kan_network n;
    init_network(&n, width, 2, -1, 1);
    double *x = random_values(KNOWN_SAMPLES, -1, 1), y[2 * KNOWN_SAMPLES];
    for (int k = 0; k < width[1]; k++) set_edge(&n, 0, 0, k, sine, -1, 1);
    set_edge(&n, 1, 0, 0, line, -1, 1);
    set_edge(&n, 1, shared ? 0 : 1, 1, tenth_square, -1, 1);
    uint32_t seed = 3;
    for (int k = 0; k < KNOWN_SAMPLES; k++) {
      const double h = sine(x[k]);
      y[2 * k] = 1000 * h + (shared ? 0 : 300 * gaussian_noise(&seed));
      y[2 * k + 1] = 0.002 * h * h;
    }
    gt_symbolic s;
    gt_symbolic_report report;
    gt_error error = {0};
    gt_arena arena;
    const gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, 1, 2);
    const gt_symbolic_options options = {.effort = variant == 2 ? 1e6 : 0};
    gt_arena_init(&arena);
    assert_true(gt_symbolic_find(&s, &n, x, &data, &options, &report, &error));
    assert_int_equal(report.verdicts, shared ? 1 : 2);
    assert_int_equal(report.verdict[0].cut_short, variant == 2);
    assert_int_equal(report.verdict[report.verdicts - 1].output[shared],
                     1); /* output 1 is in the last group */
    if (!shared)
      assert_string_equal(gt_symbolic_text(&s, 1, GT_FORMULA_PLAIN, &arena), "0.0005*sin(pi*x0)^2");
    for (int k = 0; shared && k < KNOWN_SAMPLES; k++) {
      double evaluated[2];
      gt_symbolic_evaluate(&s, x + k, evaluated);
      for (int o = 0; o < 2; o++) assert_true(fabs(evaluated[o] - y[2 * k + o]) < (o ? 1e-9 : 1e-3));
    }
    gt_symbolic_finish(&s);
    gt_arena_finish(&arena);
    gt_kan_network_finish(&n);
    test_free(x);
  }
}

/* The next random number from 0 to count - 1. */
static uint32_t draw(uint32_t *state, uint32_t count) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % count;
}

/* Draws a network [2, 2, 1] with constants of either sign: two thirds of the edges are logarithms of inputs
 * and exponentials, which together are products and powers; the others are any functions. */
static void draw_network(gt_symbolic *s, uint32_t *state) {
  static const double constants[] = {1,
                                     -1,
                                     2,
                                     -2,
                                     0.5,
                                     -0.5,
                                     0.125,
                                     -3,
                                     0.123456,
                                     -0.31830988618379067,
                                     0.31830988618379067,
                                     1.57079632679489662,
                                     -1.5e-7};
  enum { CONSTANTS = sizeof constants / sizeof *constants };
  /* layer, from, to */
  static const int positions[][3] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}};
  for (int e = 0; e < s->edges; e++) {
    gt_symbolic_edge *g = &s->edge[e];
    *g = (gt_symbolic_edge){.layer = positions[e][0], .from = positions[e][1], .to = positions[e][2]};
    g->symbol = draw(state, 3) ? gt_symbol_find(g->layer ? "exp" : "log")
                               : gt_symbol_at((int)draw(state, (uint32_t)gt_symbol_count()));
    const unsigned free_constants = g->symbol->free;
    g->value[GT_CONSTANT_A] = free_constants & GT_SYMBOL_A      ? constants[draw(state, CONSTANTS)]
                              : free_constants & GT_SYMBOL_SIGN ? 1 - 2.0 * draw(state, 2)
                                                                : 1;
    g->value[GT_CONSTANT_B] =
        free_constants & GT_SYMBOL_B && draw(state, 2) ? constants[draw(state, CONSTANTS)] : 0;
    g->value[GT_CONSTANT_C] = constants[draw(state, CONSTANTS)];
  }
  for (int l = 1; l <= 2; l++)
    for (int n = 0; n < s->width[l]; n++)
      s->bias[l][n] = draw(state, 2) ? 0 : constants[draw(state, CONSTANTS)];
}

/* True if every edge has an argument in the domain of its function, and no argument or result is extreme. */
static bool is_well_conditioned(const gt_symbolic *s, const double *x) {
  double node[2] = {s->bias[1][0], s->bias[1][1]}, y;
  for (int e = 0; e < s->edges; e++) {
    const gt_symbolic_edge *g = &s->edge[e];
    const double u = g->value[GT_CONSTANT_A] * (g->layer ? node : x)[g->from] + g->value[GT_CONSTANT_B];
    if (!gt_symbol_defined(g->symbol, u) || fabs(u) < 1e-3 || fabs(u) > 1e3) return false;
    if (!g->layer) node[g->to] += gt_symbolic_edge_value(g, x[g->from]);
  }
  gt_symbolic_evaluate(s, x, &y);
  return fabs(y) < 1e6;
}

/* The plain text and the LaTeX text of a formula have the value of the network, for random functions and for
 * constants and inputs of either sign. LaTeX is evaluated by an independent parser (latex.h). */
static void test_random_formulas(void **state) {
  (void)state;
  static const char *const names[] = {"x0", "x1"};
  gt_symbolic_edge edge[6];
  double hidden[2], output, *bias[] = {NULL, hidden, &output};
  int width[] = {2, 2, 1}, compared = 0;
  const double points[][2] = {{0.7, 0.4}, {-0.7, 0.4}, {-1.3, -0.6}, {0.2, -2}};
  uint32_t random = 1;
  for (int n = 0; n < 20000 && compared < 3000; n++) {
    gt_symbolic s = {.layers = 2, .width = width, .edge = edge, .edges = 6, .bias = bias};
    draw_network(&s, &random);
    const double *x = points[n % 4];
    if (!is_well_conditioned(&s, x)) continue;
    gt_arena arena;
    gt_arena_init(&arena);
    const char *plain = gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena),
               *latex = gt_symbolic_text(&s, 0, GT_FORMULA_LATEX, &arena);
    const gt_formula *parsed = gt_formula_parse(&arena, plain, names, 2, NULL);
    double evaluated;
    gt_symbolic_evaluate(&s, x, &evaluated);
    const double tolerance = 1e-4 * (1 + fabs(evaluated));
    if (!parsed || !(fabs(gt_formula_evaluate(parsed, x) - evaluated) < tolerance))
      fail_msg("%s is %g, not %g", plain, parsed ? gt_formula_evaluate(parsed, x) : NAN, evaluated);
    if (!(fabs(latex_value(latex, x) - evaluated) < tolerance))
      fail_msg("%s is %g, not %g (%s)", latex, latex_value(latex, x), evaluated, plain);
    if (strstr(plain, "*-") || strstr(plain, "--") || strstr(plain, "- -") || strstr(plain, "+ -"))
      fail_msg("%s has a sign after another", plain);
    compared++;
    gt_arena_finish(&arena);
  }
  assert_true(compared > 1000);
}

/* log_scaled of the square root of x. */
static double log_root_scaled(double x) { return 0.15 * log(x); }
static double minus_log_root_scaled(double x) { return -0.15 * log(x); }
static double two_pi_exp_unscaled(double x) { return 2 * 3.14159265358979 * exp(x / 0.3); }

/* True if exactly the known formula is found from noisy samples. noise: its standard deviation as a fraction
 * of that of the samples. *lead: see gt_symbolic_verdict. */
static bool is_recovered(const known *c, double noise, uint32_t seed, double *lead) {
  const int width[] = {2, 1, 1};
  gt_kan_network n;
  init_network(&n, width, 2, c->low, c->high);
  n.layer[1].basis = gt_kan_bspline(c->node_low, c->node_high, KNOWN_GRID, 3);
  for (int i = 0; i < 2; i++) set_edge(&n, 0, i, 0, c->in[i], c->low, c->high);
  set_edge(&n, 1, 0, 0, c->out, c->node_low, c->node_high);
  double *x = random_values(KNOWN_SAMPLES * 2, c->low, c->high), y[KNOWN_SAMPLES], squares = 0, sum = 0;
  for (int k = 0; k < KNOWN_SAMPLES; k++) {
    y[k] = c->out(c->in[0](x[2 * k]) + c->in[1](x[2 * k + 1]));
    sum += y[k], squares += y[k] * y[k];
  }
  const double deviation = sqrt(squares / KNOWN_SAMPLES - sum * sum / KNOWN_SAMPLES / KNOWN_SAMPLES);
  for (int k = 0; k < KNOWN_SAMPLES; k++) y[k] += noise * deviation * gaussian_noise(&seed);
  gt_symbolic s;
  gt_symbolic_report report;
  gt_error error = {0};
  gt_arena arena;
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, 2, 1);
  bool allowed[64];
  /* A small library takes less time. */
  static const char *const small_library[] = {"x", "x^2", "exp", "log", "sin"};
  for (int i = 0; i < gt_symbol_count(); i++) {
    allowed[i] = false;
    for (size_t k = 0; k < sizeof small_library / sizeof *small_library; k++)
      allowed[i] |= gt_symbol_at(i) == gt_symbol_find(small_library[k]);
  }
  gt_arena_init(&arena);
  assert_true(
      gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){.allowed = allowed}, &report, &error));
  *lead = report.verdict[0].lead;
  const bool ok = !strcmp(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena), c->formula);
  gt_symbolic_finish(&s);
  gt_arena_finish(&arena);
  gt_kan_network_finish(&n);
  test_free(x);
  return ok;
}

/* Little noise: the known formula is found, although one more constant or factor would fit the samples better
 * by chance. Too much noise to distinguish two formulas: the lead over the second-best formula is small. */
static void test_noise_is_not_fitted(void **state) {
  (void)state;
  static const known pendulum = {{log_root_scaled, minus_log_root_scaled},
                                 two_pi_exp_unscaled,
                                 2,
                                 0.5,
                                 2,
                                 -0.3,
                                 0.3,
                                 "2*pi*sqrt(x0)/sqrt(x1)"},
                     hello = {{sine, half_square}, exp_twice, 2, -1, 1, -0.5, 1, "exp(sin(pi*x0) + x1^2)"};
  double lead;
  assert_true(is_recovered(&pendulum, 0.002, 7920, &lead));
  assert_true(is_recovered(&hello, 0.01, 1, &lead));
  assert_true(lead > 3);
  is_recovered(&pendulum, 0.5, 1, &lead);
  assert_true(lead < 3);
}

/* Edges with a factor of zero are constant, and so are nodes that only read such edges. */
static void test_zero_factors_are_removed(void **state) {
  (void)state;
  const gt_symbol *symbol = gt_symbol_find("sin"), *outer = gt_symbol_find("exp");
  gt_symbolic_edge edge[] = {{.layer = 0, .from = 0, .to = 0, .symbol = symbol, .value = {0, 0.7, 3}},
                             {.layer = 0, .from = 0, .to = 1, .symbol = symbol, .value = {2, 0.7, 0}},
                             {.layer = 1, .from = 0, .to = 0, .symbol = outer, .value = {0.5, 0, 2}},
                             {.layer = 1, .from = 1, .to = 0, .symbol = symbol, .value = {1, 0, 1}}};
  double hidden[] = {0.1, 0.2}, output = 0.3, *bias[] = {NULL, hidden, &output};
  bool fixed[] = {true, true}, output_fixed = true, *bias_fixed[] = {NULL, fixed, &output_fixed};
  int width[] = {1, 2, 1};
  gt_symbolic s = {
      .layers = 2, .width = width, .edge = edge, .edges = 4, .bias = bias, .bias_fixed = bias_fixed};
  assert_true(gt_symbolic_drop_loose_ends(&s));
  assert_int_equal(s.edges, 0);
  assert_true(fabs(output - (0.3 + 2 * exp(0.5 * (0.1 + 3 * sin(0.7))) + sin(0.2))) < 1e-12);
  assert_false(output_fixed);
  assert_false(gt_symbolic_drop_loose_ends(&s));
}

/* Variables have the names of their columns. Invalid names are changed, and no two names are equal. */
static void test_columns(void **state) {
  (void)state;
  static const char *const columns[] = {"length (m)", "length_(m)", "2nd", "sin", "e", "", "größe", "a_b"},
                           *const names[] = {"length__m_", "length__m__1", "_2nd",  "sin_3",
                                             "e_4",        "_5",           "größe", "a_b"};
  gt_arena arena;
  gt_arena_init(&arena);
  const char *const *variables = gt_formula_names(&arena, columns, 8);
  for (int i = 0; i < 8; i++) assert_string_equal(variables[i], names[i]);
  /* Columns with the default name of another variable, or whose new name would be that of another column. */
  static const char *const ambiguous[] = {"x1",   "x0",     "x2",       "x03",         "xy",
                                          "x1_0", "\u200b", "a\u00a0b", "\u0915\u093f"},
                           *const renamed[] = {"x1_0",   "x0_1", "x2",  "x03_3",       "xy",
                                               "x1_0_5", "_",    "a_b", "\u0915\u093f"};
  variables = gt_formula_names(&arena, ambiguous, 9);
  for (int i = 0; i < 9; i++) assert_string_equal(variables[i], renamed[i]);
  variables = gt_formula_names(&arena, columns, 8);
  gt_symbolic_edge edge = {.to = 0, .from = 7, .symbol = gt_symbol_find("x^2"), .value = {1, 0, 1}};
  double bias = 0, *biases[] = {NULL, &bias};
  int width[] = {8, 1};
  const gt_symbolic s = {
      .layers = 1, .width = width, .edge = &edge, .edges = 1, .bias = biases, .names = variables};
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &arena), "a_b^2");
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_LATEX, &arena), "\\mathrm{a\\_b}^{2}");
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_EXPRESSION, &arena), "x7^2");
  gt_arena_finish(&arena);
}

/* Names that other programs use for a function of the library are mapped to that function, never to another
 * one. */
static void test_library_hints(void **state) {
  (void)state;
  /* A name, and the function that gt_symbol_nearest suggests; NULL: none. */
  static const char *const rows[][2] = {{"ln", "log"},     {"asin", "arcsin"}, {"atan", "arctan"},
                                        {"square", "x^2"}, {"sine", "sin"},    {"expp", "exp"},
                                        {"cosh", NULL},    {"sinh", NULL},     {"acos", NULL},
                                        {"log10", NULL},   {"cot", NULL},      {"erf", NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *hint = gt_symbol_nearest(rows[i][0]);
    if (!hint != !rows[i][1] || (hint && strcmp(hint, rows[i][1])))
      fail_msg("%s: %s", rows[i][0], hint ? hint : "no hint");
  }
}

/* Constants are printed as simple numbers if they are close to one, otherwise with six digits. */
static void test_numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *plain, *latex;
  } cases[] = {{0, "0", "0"},
               {1, "1", "1"},
               {-2.5, "-2.5", "-2.5"},
               {1.0 / 3, "1/3", "\\frac{1}{3}"},
               {3.14159265358979323846, "pi", "\\pi"},
               {-1.57079632679489661923, "-pi/2", "-\\frac{\\pi}{2}"},
               {9.42477796076937971539, "3*pi", "3 \\pi"},
               {0.07957747154594766788, "1/(4*pi)", "\\frac{1}{4 \\pi}"},
               {0.31830988618379067154, "1/pi", "\\frac{1}{\\pi}"},
               {2.82842712474619009760, "2*sqrt(2)", "2 \\sqrt{2}"},
               {0.123456789, "0.123457", "0.123457"},
               {1.5e-7, "1.5e-07", "1.5 \\cdot 10^{-7}"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[64];
    gt_number_text(cases[i].value, 6, false, text);
    assert_string_equal(text, cases[i].plain);
    gt_number_text(cases[i].value, 6, true, text);
    assert_string_equal(text, cases[i].latex);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_formulas),
      cmocka_unit_test(test_canceling_nodes_are_removed),
      cmocka_unit_test(test_constant_edges),
      cmocka_unit_test(test_each_function_is_read_back),
      cmocka_unit_test(test_functions_keep_to_their_domains),
      cmocka_unit_test(test_outputs_are_read_separately),
      cmocka_unit_test(test_random_formulas),
      cmocka_unit_test(test_noise_is_not_fitted),
      cmocka_unit_test(test_zero_factors_are_removed),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_library_hints),
      cmocka_unit_test(test_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

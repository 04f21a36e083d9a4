/* Chains of hidden nodes (symbolic_chain.h): a node that computes sin(3 x0) as -sin(3 |x0 + pi/6| - 3 pi/2),
 * as training may find it, and two nodes whose sum is x1^2. */
#include "kan/symbolic_chain.h"
#include "kan/formula_text.h"
#include "kan_support.h"

static const double pi = 3.14159265358979323846;

typedef struct formula { /* a formula as a network, with its memory */
  gt_symbolic s;
  gt_symbolic_edge edge[7]; /* 6, and one that test_not_a_chain adds */
  double hidden[4], output, *bias[3];
  bool hidden_fixed[4], output_fixed, *bias_fixed[3];
  int width[3];
} formula;

static gt_symbolic_edge edge_of(int layer, int from, int to, const char *name, double a, double b, double c) {
  return (gt_symbolic_edge){
      .layer = layer, .from = from, .to = to, .symbol = gt_symbol_find(name), .value = {a, b, c}};
}

/* Network [2, 4, 1]: edges 0 and 3 are the chain of one hidden node that computes sin(3 x0), the others the
 * chain of two that computes x1^2 = 1.5 x1^2 - 0.5 x1^2. The last hidden node has no edges. */
static void make(formula *f) {
  *f = (formula){.width = {2, 4, 1}};
  f->edge[0] = edge_of(0, 0, 0, "abs", 1, pi / 6, 1);
  f->edge[1] = edge_of(0, 1, 1, "x^2", 1, 0, 3);
  f->edge[2] = edge_of(0, 1, 2, "x^2", 1, 0, -1);
  f->edge[3] = edge_of(1, 0, 0, "sin", 3, -1.5 * pi, -1);
  f->edge[4] = edge_of(1, 1, 0, "x", 1, 0, 0.5);
  f->edge[5] = edge_of(1, 2, 0, "x", 1, 0, 0.5);
  f->bias[1] = f->hidden;
  f->bias[2] = &f->output;
  f->bias_fixed[1] = f->hidden_fixed;
  f->bias_fixed[2] = &f->output_fixed;
  f->s = (gt_symbolic){.layers = 2,
                       .width = f->width,
                       .edge = f->edge,
                       .edges = 6,
                       .bias = f->bias,
                       .bias_fixed = f->bias_fixed};
}

static double truth(const double *x) { return sin(3 * x[0]) + x[1] * x[1]; }

static void expect_values(const gt_symbolic *s, const double *x) {
  for (int k = 0; k < KNOWN_SAMPLES; k++) {
    double found;
    gt_symbolic_evaluate(s, x + 2 * k, &found);
    assert_true(fabs(found - truth(x + 2 * k)) < 1e-6);
  }
}

/* Replaces the chain of `nodes` nodes that begins at the edge by this function of the library, which must fit
 * it. */
static void replace(gt_symbolic *s, const gt_symbolic_data *data, int edge, const char *name, int nodes) {
  gt_symbolic_chain chain;
  double x[KNOWN_SAMPLES], y[KNOWN_SAMPLES];
  assert_true(gt_symbolic_chain_at(s, edge, &chain));
  assert_int_equal(chain.nodes, nodes);
  gt_symbolic_chain_values(s, &chain, data, x, y);
  const gt_edge_fit fit = gt_edge_fit_find(gt_symbol_find(name), x, y, KNOWN_SAMPLES),
                    line = gt_edge_fit_find(gt_symbol_find("x"), y, y, KNOWN_SAMPLES);
  assert_true(fit.r2 > 1 - 1e-12);
  gt_symbolic_chain_replace(s, &chain, &fit, &line);
}

static void test_chains_are_replaced(void **state) {
  (void)state;
  formula f;
  make(&f);
  double *x = random_values(2 * KNOWN_SAMPLES, -1, 1), y[KNOWN_SAMPLES];
  gt_symbolic_chain chain;
  gt_arena arena;
  gt_arena_init(&arena);
  for (int k = 0; k < KNOWN_SAMPLES; k++) y[k] = truth(x + 2 * k);
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, KNOWN_SAMPLES, 2, 1);
  expect_values(&f.s, x);
  replace(&f.s, &data, 1, "x^2", 2);
  assert_int_equal(f.s.edges, 4);
  expect_values(&f.s, x);
  replace(&f.s, &data, 0, "sin", 1);
  expect_values(&f.s, x);
  for (int e = 0; e < f.s.edges; e++) assert_false(gt_symbolic_chain_at(&f.s, e, &chain));
  gt_symbolic_normalize(&f.s);
  gt_symbolic_round_constants(&f.s, &data);
  assert_string_equal(gt_symbolic_text(&f.s, 0, GT_FORMULA_PLAIN, &arena), "sin(3*x0) + x1^2");
  gt_arena_finish(&arena);
  test_free(x);
}

/* Nodes with two input edges, nodes that two outputs read, and edges of the last layer are in no chain. */
static void test_not_a_chain(void **state) {
  (void)state;
  formula f;
  gt_symbolic_chain chain;
  make(&f);
  f.s.edges = 7;
  f.edge[6] = edge_of(0, 1, 0, "x", 1, 0, 1);
  assert_false(gt_symbolic_chain_at(&f.s, 0, &chain));
  assert_false(gt_symbolic_chain_at(&f.s, 3, &chain));
  assert_false(gt_symbolic_chain_at(&f.s, 6, &chain));
  f.edge[6] = edge_of(1, 0, 1, "x", 1, 0, 1);
  assert_false(gt_symbolic_chain_at(&f.s, 0, &chain));
  assert_true(gt_symbolic_chain_at(&f.s, 1, &chain));
  assert_false(gt_symbolic_chain_at(&f.s, 2, &chain)); /* leads into the second node of its chain */
}

/* A chain has all edges of its nodes. */
static void test_edges_of_a_chain(void **state) {
  (void)state;
  static const bool belongs[6] = {[1] = true, [2] = true, [4] = true, [5] = true};
  formula f;
  gt_symbolic_chain chain;
  make(&f);
  assert_true(gt_symbolic_chain_at(&f.s, 1, &chain));
  for (int e = 0; e < 6; e++) assert_int_equal(gt_symbolic_chain_has(&f.s, &chain, e), belongs[e]);
}

static double fold(double x) { return fabs(x + pi / 6); }
static double minus_sine(double x) { return -sin(3 * x - 1.5 * pi); }
static double cosine(double x) { return cos(1.85146 * x); }
static double tangent(double x) { return -1.39833 * tan(0.161884 * x - 0.697707) - 4.46369; }
static double square(double x) { return x * x; }
static double pole(double x) { return -27.7706 / (x - 7.64313); }

/* The search replaces chains: in this network, x1^2 is the sum of a tangent of a cosine and of a pole of a
 * square, as training may find it. */
static void test_search(void **state) {
  (void)state;
  enum { SAMPLES = 80 };
  const int width[] = {2, 3, 1};
  double *x = random_values(2 * SAMPLES, -1, 1), y[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) y[k] = truth(x + 2 * k);
  const gt_symbolic_data data = gt_symbolic_data_of(x, y, SAMPLES, 2, 1);
  gt_kan_network n;
  init_network(&n, width, 2, -1, 1);
  n.layer[1].basis = gt_kan_bspline(-1, 2, KNOWN_GRID, 3);
  set_edge(&n, 0, 0, 0, fold, -1, 1);
  set_edge(&n, 0, 1, 1, cosine, -1, 1);
  set_edge(&n, 0, 1, 2, square, -1, 1);
  set_edge(&n, 1, 0, 0, minus_sine, -1, 2);
  set_edge(&n, 1, 1, 0, tangent, -1, 2);
  set_edge(&n, 1, 2, 0, pole, -1, 2);
  gt_symbolic s;
  gt_symbolic_report report;
  gt_error error = {0};
  assert_true(gt_symbolic_find(&s, &n, x, &data, &(gt_symbolic_options){0}, &report, &error));
  assert_string_equal(gt_symbolic_text(&s, 0, GT_FORMULA_PLAIN, &s.arena), "sin(3*x0) + x1^2");
  assert_string_equal(report.fit[0].symbol->name, "abs"); /* the function that fits the single edge */
  gt_symbolic_finish(&s);
  gt_kan_network_finish(&n);
  test_free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains_are_replaced),
      cmocka_unit_test(test_not_a_chain),
      cmocka_unit_test(test_edges_of_a_chain),
      cmocka_unit_test(test_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Symbolic fit of edges: the functions that known edges become; normalization, which changes constants but no
 * values; how edges are numbered after pruning; and that a formula of the whole network keeps edges that are
 * already symbolic. */
#include "kan/symbolic_edges.h"
#include "kan_support.h"

static double wave(double x) { return 40 + 3 * sin(2 * x + 0.3); }
static double square(double x) { return 0.02 * x * x - 40; }
static double growth(double x) { return exp(0.4 * x); }
static double no_known_function(double x) { return sin(9 * x) * x + cos(5 * x * x); }

typedef struct known {
  gt_kan_network network;
  gt_kan_trace trace;
  double *x, *y;         /* samples of the inputs; the network's outputs */
  gt_edge_fit *tried[2]; /* see gt_kan_fit_symbolic_edges */
  bool allowed[64];      /* functions of the library that edges may become */
} known;

/* [2, 2, 1]: hidden node 0 is a sine plus a square. Hidden node 1 has an edge that fits no function; its
 * other incoming edge is pruned. */
static void make(known *k) {
  const int width[] = {2, 2, 1};
  init_network(&k->network, width, 2, -4, 4);
  set_edge(&k->network, 0, 0, 0, wave, -1, 1);
  set_edge(&k->network, 0, 1, 0, square, -1, 1);
  set_edge(&k->network, 0, 0, 1, no_known_function, -1, 1);
  set_edge(&k->network, 1, 0, 0, growth, -4, 4);
  set_edge(&k->network, 1, 1, 0, square, -4, 4);
  k->x = random_values(2 * KNOWN_SAMPLES, -1, 1);
  gt_kan_trace_run(&k->trace, &k->network, k->x, KNOWN_SAMPLES);
  k->y = test_malloc(KNOWN_SAMPLES * sizeof *k->y);
  memcpy(k->y, k->trace.node[2], KNOWN_SAMPLES * sizeof *k->y);
  for (int l = 0; l < 2; l++) k->tried[l] = GT_NEW_N(&k->network.arena, gt_edge_fit, 4);
  for (int i = 0; i < gt_symbol_count(); i++) k->allowed[i] = true;
}

static void clear(known *k) {
  gt_kan_trace_finish(&k->trace);
  gt_kan_network_finish(&k->network);
  test_free(k->x);
  test_free(k->y);
}

static const char *name_of(const known *k, int layer, int from, int to) {
  const gt_edge_fit *fit = gt_kan_edge_function(&k->network.layer[layer], from, to);
  return fit ? fit->symbol->name : "";
}

/* weight_simple: 0.5 if it is 0 in the options. */
static void fit_edges(known *k, gt_symbolic_edges_options options) {
  options.allowed = k->allowed;
  if (!options.weight_simple) options.weight_simple = 0.5;
  gt_kan_fit_symbolic_edges(&k->network, &k->trace, &options, k->tried);
}

/* The largest change of the network's output since make. */
static double output_change(const known *k) {
  gt_kan_trace now;
  double largest = 0;
  gt_kan_trace_run(&now, &k->network, k->x, KNOWN_SAMPLES);
  for (int s = 0; s < KNOWN_SAMPLES; s++) largest = fmax(largest, fabs(now.node[2][s] - k->y[s]));
  gt_kan_trace_finish(&now);
  return largest;
}

static void test_functions_are_found(void **state) {
  known k;
  (void)state;
  make(&k);
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0.99});
  assert_string_equal(name_of(&k, 0, 0, 0), "sin");
  assert_string_equal(name_of(&k, 0, 1, 0), "x^2");
  assert_string_equal(name_of(&k, 0, 0, 1), "");
  assert_string_equal(name_of(&k, 0, 1, 1), "");
  assert_string_equal(name_of(&k, 1, 0, 0), "exp");
  assert_true(k.tried[0][1].symbol && k.tried[0][1].r2 < 0.99); /* 0 -> 1 */
  assert_null(k.tried[0][3].symbol);                            /* pruned */
  assert_true(output_change(&k) < 2e-2);
  clear(&k);
}

static void test_limits_are_kept(void **state) {
  known k;
  (void)state;
  make(&k);
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 1 + 1e-9}); /* no fit reaches it */
  assert_null(k.network.layer[0].symbolic_edge);
  const gt_symbolic_edges_request request[] = {
      {0, 0, 1, gt_symbol_find("tanh"), false}, {0, 1, 0, NULL, false}, {0, 1, 1, NULL, false}};
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0.99, .request = request, .requests = 3});
  assert_string_equal(name_of(&k, 0, 0, 1), "tanh"); /* the requested function */
  assert_string_equal(name_of(&k, 0, 1, 0), "x^2");
  assert_string_equal(name_of(&k, 0, 1, 1), "");
  assert_string_equal(name_of(&k, 0, 0, 0), "");
  assert_null(k.network.layer[1].symbolic_edge);
  for (int i = 0; i < gt_symbol_count(); i++) k.allowed[i] = !strcmp(gt_symbol_at(i)->name, "cos");
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0.99});
  assert_string_equal(name_of(&k, 0, 0, 0), "cos");
  assert_string_equal(name_of(&k, 0, 1, 0), "x^2"); /* an edge that is symbolic does not change */
  clear(&k);
}

/* With a simplicity weight of 1 the simplest function that fits well enough is chosen, with nearly 0 the one
 * that fits best. */
static void test_simplicity_is_weighed(void **state) {
  known k;
  (void)state;
  make(&k);
  const gt_symbolic_edges_request request = {1, 0, 0, NULL, false};
  fit_edges(&k, (gt_symbolic_edges_options){
                    .minimum_r2 = 0.6, .weight_simple = 1, .request = &request, .requests = 1});
  assert_string_equal(name_of(&k, 1, 0, 0), "x");
  clear(&k);
  make(&k);
  fit_edges(&k, (gt_symbolic_edges_options){
                    .minimum_r2 = 0.6, .weight_simple = 1e-9, .request = &request, .requests = 1});
  assert_string_equal(name_of(&k, 1, 0, 0), "exp");
  clear(&k);
}

/* A hidden node whose edges are all symbolic gets mean 0 and standard deviation 1, and large constants that
 * cancel each other disappear. */
static void test_normalizing(void **state) {
  known k;
  gt_kan_trace now;
  (void)state;
  make(&k);
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0.99});
  const double before = output_change(&k);
  gt_kan_trace_run(&now, &k.network, k.x, KNOWN_SAMPLES);
  double mean = 0, mean_square = 0;
  for (int s = 0; s < KNOWN_SAMPLES; s++) {
    mean += now.node[1][s] / KNOWN_SAMPLES;
    mean_square += now.node[1][s] * now.node[1][s] / KNOWN_SAMPLES;
  }
  assert_true(fabs(mean) < 1e-3 && fabs(mean_square - 1) < 1e-3);
  for (int i = 0; i < 2; i++) assert_true(fabs(gt_kan_edge_function(&k.network.layer[0], i, 0)->d) < 2);
  const gt_edge_fit *exponential = gt_kan_edge_function(&k.network.layer[1], 0, 0);
  assert_true(exponential->b == 0 && exponential->a > 0.5);
  const gt_edge_fit *power = gt_kan_edge_function(&k.network.layer[0], 1, 0);
  assert_true(fabs(hypot(power->a, power->b) - 1) < 1e-12); /* its constants are normalized */
  gt_kan_normalize(&k.network, &now);
  assert_true(fabs(output_change(&k) - before) < 1e-9);
  gt_kan_trace_finish(&now);
  clear(&k);
}

static void test_numbering_after_pruning(void **state) {
  known k;
  gt_kan_scores scores;
  gt_kan_kept kept;
  (void)state;
  make(&k);
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0});
  gt_kan_edge_functions all = gt_kan_edge_functions_of(&k.network.arena, &k.network, 0, NULL);
  assert_int_equal(all.symbolic.edges, 3);
  for (int e = 1; e < 3; e++) /* in the library's order */
    assert_true(all.symbolic.edge[e - 1].function <= all.symbolic.edge[e].function);
  gt_kan_scores_find(&scores, &k.network, &k.trace);
  gt_kan_choose_kept(&kept, &k.network, &scores, (gt_kan_limits){0, 0, 0});
  kept.node[1][0] = false;                                     /* the second node becomes the first */
  kept.edge[0][0] = kept.edge[0][2] = kept.edge[1][0] = false; /* the edges of the first node */
  const gt_kan_edge_functions remaining = gt_kan_edge_functions_of(&k.network.arena, &k.network, 0, &kept);
  assert_int_equal(remaining.symbolic.edges, 1);
  assert_int_equal(remaining.symbolic.edge[0].from, 0);
  assert_int_equal(remaining.symbolic.edge[0].to, 0);
  assert_ptr_equal(remaining.fit[0], gt_kan_edge_function(&k.network.layer[0], 0, 1));
  const gt_kan_edge_functions above = gt_kan_edge_functions_of(&k.network.arena, &k.network, 1, &kept);
  assert_int_equal(above.symbolic.edges, 1);
  assert_int_equal(above.symbolic.edge[0].from, 0);
  gt_kan_kept_finish(&kept);
  gt_kan_scores_finish(&scores);
  clear(&k);
}

/* A formula keeps the functions of symbolic edges, even if others would fit much better. */
static void test_formulas_keep_symbolic_edges(void **state) {
  known k;
  gt_symbolic symbolic;
  gt_symbolic_report report;
  gt_error error = {0};
  (void)state;
  make(&k);
  k.network.layer[0].edge[1] = k.network.layer[1].edge[1] = false; /* node 1 is pruned */
  gt_kan_trace_finish(&k.trace);
  gt_kan_trace_run(&k.trace, &k.network, k.x, KNOWN_SAMPLES);
  const gt_symbolic_edges_request request = {0, 1, 0, gt_symbol_find("gaussian"), false};
  fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 0.99, .request = &request, .requests = 1});
  const gt_symbolic_data data = gt_symbolic_data_of(k.x, k.trace.node[2], KNOWN_SAMPLES, 2, 1);
  assert_true(
      gt_symbolic_find(&symbolic, &k.network, k.x, &data, &(gt_symbolic_options){0}, &report, &error));
  bool found = false;
  for (int e = 0; e < symbolic.edges; e++)
    if (symbolic.edge[e].layer == 0 && symbolic.edge[e].from == 1) {
      found = true;
      assert_string_equal(symbolic.edge[e].symbol->name, "gaussian");
    }
  assert_true(found);
  gt_symbolic_finish(&symbolic);
  clear(&k);
}

static double nearly_square(double x) { return 0.3 * cos(0.9 * x) - 40; }

/* An edge whose best single fit is a cosine gets the square that explains the samples better, if the square
 * fits well enough (variant 0). With requests, only these edges change, and a requested function is kept (1);
 * with a limit that no fit reaches, an edge that is requested without a function stays a spline (2). */
static void test_joint_choice(void **state) {
  known k;
  gt_error error = {0};
  (void)state;
  for (int variant = 0; variant < 3; variant++) {
    make(&k);
    gt_kan_layer *below = &k.network.layer[0];
    below->edge[1] = k.network.layer[1].edge[1] = false; /* node 1 is pruned */
    memset(below->coefficient + 2 * below->basis.terms, 0, below->basis.terms * sizeof(double));
    set_edge(&k.network, 0, 1, 0, nearly_square, -1, 1);
    gt_kan_trace_finish(&k.trace);
    gt_kan_trace_run(&k.trace, &k.network, k.x, KNOWN_SAMPLES);
    /* Samples of the network with a square that is close to nearly_square. */
    for (int s = 0; s < KNOWN_SAMPLES; s++)
      k.y[s] = growth(wave(k.x[2 * s]) - 39.7 - 0.12 * k.x[2 * s + 1] * k.x[2 * s + 1]);
    const gt_symbolic_data data = gt_symbolic_data_of(k.x, k.y, KNOWN_SAMPLES, 2, 1);
    const gt_symbolic_edges_request requests[] = {{0, 0, 0, gt_symbol_find("tanh"), false},
                                                  {0, 1, 0, NULL, false}};
    gt_symbolic_edges_options options = {.minimum_r2 = variant == 2 ? 1 + 1e-9 : 0.99, .allowed = k.allowed};
    if (variant) options.request = requests, options.requests = 2;
    fit_edges(&k, (gt_symbolic_edges_options){.minimum_r2 = 1 + 1e-9}); /* changes nothing */
    assert_true(gt_kan_choose_functions_jointly(&k.network, k.x, &data, &options, &k.network.arena, &error));
    assert_int_equal(options.requests, variant ? 2 : 3);
    fit_edges(&k, options);
    assert_string_equal(name_of(&k, 0, 0, 0), variant ? "tanh" : "sin");
    assert_string_equal(name_of(&k, 0, 1, 0), variant == 2 ? "" : "x^2");
    assert_string_equal(name_of(&k, 1, 0, 0), variant ? "" : "exp");
    clear(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_are_found),
      cmocka_unit_test(test_limits_are_kept),
      cmocka_unit_test(test_simplicity_is_weighed),
      cmocka_unit_test(test_normalizing),
      cmocka_unit_test(test_numbering_after_pruning),
      cmocka_unit_test(test_formulas_keep_symbolic_edges),
      cmocka_unit_test(test_joint_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The scores of nodes and edges in known networks, and what pruning removes. */
#include "kan_support.h"

static double identity(double x) { return x; }
static double tenth(double x) { return 0.1 * x; }
static double thousandth(double x) { return 0.001 * x; }
static double constant(double x) { return 0.5 + 0 * x; }

/* [2, 3, 1]: node 0 uses both inputs, the second weakly; node 1 has a weak incoming edge; the
 * outgoing edge of node 2 is constant, so its score is 0. */
static void make(gt_kan_network *n, gt_kan_trace *trace, gt_kan_scores *scores) {
  const int width[] = {2, 3, 1};
  init_network(n, width, 2, -2, 2);
  set_edge(n, 0, 0, 0, identity, -2, 2);
  set_edge(n, 0, 1, 0, tenth, -2, 2);
  set_edge(n, 0, 0, 1, thousandth, -2, 2);
  set_edge(n, 0, 1, 2, identity, -2, 2);
  set_edge(n, 1, 0, 0, identity, -2, 2);
  set_edge(n, 1, 1, 0, identity, -2, 2);
  set_edge(n, 1, 2, 0, constant, -2, 2);
  double *x = random_values(2 * KNOWN_SAMPLES, -1, 1);
  gt_kan_trace_run(trace, n, x, KNOWN_SAMPLES);
  gt_kan_scores_find(scores, n, trace);
  test_free(x);
}

static void clear(gt_kan_network *n, gt_kan_trace *trace, gt_kan_scores *scores) {
  gt_kan_scores_finish(scores);
  gt_kan_trace_finish(trace);
  gt_kan_network_finish(n);
}

static bool near(double a, double b) { return fabs(a - b) < 0.02; }

static void test_scores(void **state) {
  (void)state;
  gt_kan_network n;
  gt_kan_trace trace;
  gt_kan_scores scores;
  make(&n, &trace, &scores);
  assert_true(scores.node[2][0] == 1);
  /* edge[layer]: [inputs, outputs], so edge[0][3] leads from the second input to node 0. */
  assert_true(near(scores.edge[1][0], 1) && near(scores.edge[1][1], 0.001) && near(scores.edge[1][2], 0));
  assert_true(near(scores.edge[0][0], 1) && near(scores.edge[0][3], 0.1));
  assert_true(near(scores.node[0][0], 1) && near(scores.node[0][1], 0.1));
  for (int64_t k = 0; k < KNOWN_SAMPLES; k++) {
    const double *in = trace.node[0], *out = trace.node[2];
    const double expected = 1.001 * in[k] + 0.1 * in[KNOWN_SAMPLES + k] + 0.5;
    assert_true(fabs(out[k] - expected) < 1e-9);
  }
  clear(&n, &trace, &scores);
}

static void test_pruning(void **state) {
  (void)state;
  gt_kan_network n;
  gt_kan_trace trace;
  gt_kan_scores scores;
  gt_kan_kept kept;
  make(&n, &trace, &scores);
  /* gt_kan_limits: node, edge, most. */
  gt_kan_choose_kept(&kept, &n, &scores, (gt_kan_limits){1e-2, 3e-2, 0});
  assert_true(kept.node[1][0] && !kept.node[1][1] && !kept.node[1][2]);
  assert_true(kept.edge[0][0] && kept.edge[0][3] && !kept.edge[0][1] && kept.edge[1][0]);
  assert_int_equal(gt_kan_kept_nodes(&kept, &n, 0), 1);
  assert_int_equal(gt_kan_kept_edges(&kept, &n, 0), 2);
  gt_kan_kept_finish(&kept);
  /* Removes the second input's edge, too. */
  gt_kan_choose_kept(&kept, &n, &scores, (gt_kan_limits){1e-2, 0.2, 0});
  assert_true(kept.edge[0][0] && !kept.edge[0][3]);
  gt_kan_kept_finish(&kept);
  gt_kan_choose_kept(&kept, &n, &scores, (gt_kan_limits){100, 100, 0}); /* at least one path is kept */
  assert_true(kept.node[1][0] && kept.edge[0][0] && kept.edge[1][0]);
  assert_int_equal(gt_kan_kept_nodes(&kept, &n, 0), 1);
  gt_kan_kept_finish(&kept);
  gt_kan_choose_kept(&kept, &n, &scores, (gt_kan_limits){0, 0, 0}); /* removes nodes without outgoing edges */
  assert_true(kept.node[1][0] && kept.node[1][1] && !kept.node[1][2]);
  gt_kan_kept_finish(&kept);
  gt_kan_choose_kept(&kept, &n, &scores, (gt_kan_limits){0, 0, 1}); /* at most one node */
  assert_true(kept.node[1][0] && !kept.node[1][1] && !kept.node[1][2]);
  gt_kan_kept_finish(&kept);
  clear(&n, &trace, &scores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scores),
      cmocka_unit_test(test_pruning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

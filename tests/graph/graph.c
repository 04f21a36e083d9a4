/* Shapes, node invariants and autodiff's bookkeeping (the gradients' values are the op harness's work). */
#include "graph/graph.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul.h"
#include "op/reduce.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static gt_arena arena;
static gt_graph *graph;

static int setup(void **state) {
  (void)state;
  gt_arena_init(&arena);
  graph = gt_graph_create(&arena);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  gt_arena_finish(&arena);
  return 0;
}

static gt_id variable(const char *name, int rank, const int64_t *dim) {
  return gt_variable_read(graph, gt_graph_variable(graph, name, gt_shape_of(rank, dim), GT_F32, false));
}

static void broadcasting_follows_numpy(void **state) {
  (void)state;
  gt_shape out, a = gt_shape_of(3, (int64_t[]){4, 1, 3}), b = gt_shape_2(5, 1);
  assert_true(gt_shape_broadcast(a, b, &out));
  assert_true(gt_shape_equal(out, gt_shape_of(3, (int64_t[]){4, 5, 3})));
  assert_false(gt_shape_broadcast(gt_shape_1(3), gt_shape_1(4), &out));
  assert_true(gt_shape_broadcast((gt_shape){0}, gt_shape_1(4), &out));
  assert_true(gt_shape_equal(out, gt_shape_1(4)));
  char text[128];
  assert_string_equal(gt_shape_text(a, text), "[4, 1, 3]");
  assert_string_equal(gt_shape_text((gt_shape){0}, text), "[]");
}

static void a_shape_error_is_kept_and_passed_on(void **state) {
  (void)state;
  gt_id a = variable("a", 2, (int64_t[]){2, 3}), b = variable("b", 2, (int64_t[]){4, 5});
  gt_id bad = gt_matmul(graph, a, b, false, false);
  assert_int_equal(bad, GT_NONE);
  assert_int_equal(gt_exp(graph, bad), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_CONFIG);
  assert_non_null(strstr(graph->error.message, "[2, 3]"));
  assert_non_null(strstr(graph->error.message, "[4, 5]"));
}

static void gradients_have_the_shapes_of_what_they_belong_to(void **state) {
  (void)state;
  gt_id x = variable("x", 2, (int64_t[]){6, 4}), w = variable("w", 2, (int64_t[]){3, 4});
  gt_id b = variable("b", 1, (int64_t[]){3}), unused = variable("u", 1, (int64_t[]){2});
  gt_id y = gt_tanh(graph, gt_add(graph, gt_matmul(graph, x, w, false, true), b));
  gt_id loss = gt_mean(graph, y, 0, false), wrt[] = {w, b, unused}, gradient[3];
  gt_error error = {0};
  assert_true(gt_autodiff(graph, loss, wrt, 3, gradient, &error));
  assert_true(gt_shape_equal(gt_node_at(graph, gradient[0])->shape, gt_shape_2(3, 4)));
  assert_true(gt_shape_equal(gt_node_at(graph, gradient[1])->shape, gt_shape_1(3)));
  assert_int_equal(gradient[2], GT_NONE);
}

static void verify_catches_a_broken_node(void **state) {
  (void)state;
  gt_id y = gt_exp(graph, variable("x", 1, (int64_t[]){6}));
  gt_error error = {0};
  assert_true(gt_graph_verify(graph, &error));
  graph->node[y].shape = gt_shape_1(7);
  assert_false(gt_graph_verify(graph, &error));
  error = (gt_error){0};
  graph->node[y].shape = gt_shape_1(6);
  gt_id self = y;
  graph->node[y].input = &self;
  assert_false(gt_graph_verify(graph, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
}

static gt_graph *sum_of(const char *name, double value, int64_t size) {
  gt_graph *g = gt_graph_create(graph->arena);
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, name, gt_shape_1(size), GT_F32, false));
  gt_graph_root(g, gt_add(g, x, gt_constant(g, value)));
  return g;
}

static void equal_graphs_are_told_from_others(void **state) {
  (void)state;
  gt_graph *g = sum_of("x", 2, 6);
  assert_true(gt_graph_equal(g, sum_of("x", 2, 6)));
  assert_false(gt_graph_equal(g, sum_of("y", 2, 6)));
  assert_false(gt_graph_equal(g, sum_of("x", 3, 6)));
  assert_false(gt_graph_equal(g, sum_of("x", 2, 7)));
  gt_graph *more = sum_of("x", 2, 6);
  gt_graph_root(more, 0);
  assert_false(gt_graph_equal(g, more));
}

static void printing_names_every_node(void **state) {
  (void)state;
  gt_graph_scope(graph, "layer7");
  gt_graph_root(graph, gt_exp(graph, variable("x", 1, (int64_t[]){6})));
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  gt_graph_print(graph, stream);
  fclose(stream);
  assert_non_null(strstr(text, "exp"));
  assert_non_null(strstr(text, "variable        x"));
  assert_non_null(strstr(text, "f32 [6]"));
  assert_non_null(strstr(text, "layer7"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(broadcasting_follows_numpy, setup, teardown),
      cmocka_unit_test_setup_teardown(a_shape_error_is_kept_and_passed_on, setup, teardown),
      cmocka_unit_test_setup_teardown(gradients_have_the_shapes_of_what_they_belong_to, setup, teardown),
      cmocka_unit_test_setup_teardown(verify_catches_a_broken_node, setup, teardown),
      cmocka_unit_test_setup_teardown(equal_graphs_are_told_from_others, setup, teardown),
      cmocka_unit_test_setup_teardown(printing_names_every_node, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Graphs: shapes, invariants of nodes, ops with several results, and the nodes that autodiff creates. The
 * selftest checks the values of gradients. */
#include "graph/graph.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/reduce.h"
#include "support/three.h"
#include <math.h>
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

/* Kernels count elements in 32 bits: an op that would read or write more elements is an error. */
static void values_are_countable(void **state) {
  (void)state;
  const int64_t most = GT_MAX_ELEMENTS;
  const gt_id largest = variable("largest", 1, (int64_t[]){most}),
              history = variable("history", 2, (int64_t[]){200, 12000000}),
              column = variable("few", 2, (int64_t[]){12000000, 1});
  assert_int_not_equal(gt_exp(graph, largest), GT_NONE);
  const gt_id part = gt_view(graph, history, most, gt_shape_2(1, 1000)); /* a view moves no data */
  assert_int_not_equal(gt_exp(graph, part), GT_NONE);
  assert_int_equal(graph->error.status, GT_OK);
  assert_int_equal(gt_matmul(graph, history, column, false, false), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_CONFIG);
  assert_string_equal(graph->error.message, "matmul would read [200, 12000000]: a value may have at most "
                                            "2147483647 elements");
  graph->error = (gt_error){0};
  const uint32_t copy = gt_graph_variable(graph, "copy", gt_shape_2(200, 12000000), GT_F32, false);
  assert_int_equal(gt_assign(graph, copy, 0, history), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_CONFIG);
  graph->error = (gt_error){0};
  assert_int_equal(gt_pack(graph, (gt_id[]){largest, part}, 2), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_CONFIG);
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

static void first_shape_error_is_kept(void **state) {
  (void)state;
  gt_id a = variable("a", 2, (int64_t[]){2, 3}), b = variable("b", 2, (int64_t[]){4, 5});
  gt_id bad = gt_matmul(graph, a, b, false, false);
  assert_int_equal(bad, GT_NONE);
  assert_int_equal(gt_exp(graph, bad), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_CONFIG);
  assert_non_null(strstr(graph->error.message, "[2, 3]"));
  assert_non_null(strstr(graph->error.message, "[4, 5]"));
}

static void gradients_have_the_shapes_of_their_nodes(void **state) {
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

static gt_graph *graph_of_sum(const char *name, double value, int64_t size) {
  gt_graph *g = gt_graph_create(graph->arena);
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, name, gt_shape_1(size), GT_F32, false));
  gt_graph_add_root(g, gt_add(g, x, gt_constant(g, value)));
  return g;
}

static void equal_graphs_are_recognized(void **state) {
  (void)state;
  gt_graph *g = graph_of_sum("x", 2, 6);
  assert_true(gt_graph_equal(g, graph_of_sum("x", 2, 6)));
  assert_false(gt_graph_equal(g, graph_of_sum("y", 2, 6)));
  assert_false(gt_graph_equal(g, graph_of_sum("x", 3, 6)));
  assert_false(gt_graph_equal(g, graph_of_sum("x", 2, 7)));
  gt_graph *more = graph_of_sum("x", 2, 6);
  gt_graph_add_root(more, 0);
  assert_false(gt_graph_equal(g, more));
}

static void printing_names_every_node(void **state) {
  (void)state;
  gt_graph_set_scope(graph, "layer7");
  gt_graph_add_root(graph, gt_exp(graph, variable("x", 1, (int64_t[]){6})));
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

static void results_are_numbered_after_their_node(void **state) {
  (void)state;
  gt_id x = variable("x", 1, (int64_t[]){6}), node = three(graph, x);
  gt_error error = {0};
  assert_int_equal(gt_result(graph, node, 0), node);
  assert_int_equal(gt_result(graph, GT_NONE, 2), GT_NONE);
  for (int k = 0; k < 3; k++) {
    const gt_id result = gt_result(graph, node, k);
    assert_int_equal(result, node + (gt_id)k);
    assert_int_equal(gt_producer(graph, result), node);
  }
  assert_int_equal(gt_producer(graph, x), x);
  assert_true(gt_shape_equal(gt_node_at(graph, gt_result(graph, node, 1))->shape, gt_shape_2(1, 6)));
  assert_int_equal(gt_node_at(graph, gt_result(graph, node, 2))->dtype, GT_I32);
  assert_int_equal(gt_exp(graph, gt_result(graph, node, 1)), node + 3); /* the next free number */
  assert_true(gt_graph_verify(graph, &error));
}

static void verify_catches_a_broken_result(void **state) {
  (void)state;
  gt_id x = variable("x", 1, (int64_t[]){6}), node = three(graph, x), other = three(graph, x);
  gt_error error = {0};
  graph->node[node + 2].dtype = GT_F32;
  assert_false(gt_graph_verify(graph, &error));
  graph->node[node + 2].dtype = GT_I32;
  assert_true(gt_graph_verify(graph, &(gt_error){0}));
  graph->node[other + 1].input = &node; /* a node of another op */
  assert_false(gt_graph_verify(graph, &(gt_error){0}));
  graph->node[other + 1].input = &other;
  graph->count--; /* the last result is missing */
  assert_false(gt_graph_verify(graph, &(gt_error){0}));
  graph->count++;
  assert_true(gt_graph_verify(graph, &(gt_error){0}));
}

static void backward_gets_gradients_of_all_results(void **state) {
  (void)state;
  gt_id x = variable("x", 1, (int64_t[]){6}), node = three(graph, x), gradient;
  const gt_id square = gt_sum(graph, node, 0, false),
              triple = gt_sum(graph, gt_result(graph, node, 1), 0, false);
  gt_error error = {0};
  assert_true(gt_autodiff(graph, gt_add(graph, square, triple), &x, 1, &gradient, &error));
  assert_true(gt_shape_equal(gt_node_at(graph, three_gradients[0])->shape, gt_shape_1(6)));
  assert_true(gt_shape_equal(gt_node_at(graph, three_gradients[1])->shape, gt_shape_2(1, 6)));
  assert_int_equal(three_gradients[2], GT_NONE);
  assert_true(gt_autodiff(graph, triple, &x, 1, &gradient, &error));
  assert_int_equal(three_gradients[0], GT_NONE);
  assert_true(gt_shape_equal(gt_node_at(graph, gradient)->shape, gt_shape_1(6)));
  /* The loss itself may be a node with several results, and a gradient may be taken with respect to a
   * result. */
  const gt_id last = three(graph, x), wrt[] = {x, gt_result(graph, node, 1)};
  gt_id gradients[2];
  assert_true(gt_autodiff(graph, last, wrt, 2, gradients, &error));
  assert_true(gt_shape_equal(gt_node_at(graph, gradients[0])->shape, gt_shape_1(6)));
  assert_int_equal(gradients[1], GT_NONE);
  assert_true(gt_autodiff(graph, triple, wrt, 2, gradients, &error));
  assert_true(gt_shape_equal(gt_node_at(graph, gradients[1])->shape, gt_shape_2(1, 6)));
}

static void printing_numbers_results(void **state) {
  (void)state;
  three(graph, variable("x", 1, (int64_t[]){6}));
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  gt_graph_print(graph, stream);
  fclose(stream);
  assert_non_null(strstr(text, "%2    = result         %1  number 1 : f32 [1, 6]"));
  assert_non_null(strstr(text, "%3    = result         %1  number 2 : i32 [6]"));
  free(text);
}

/* gt_node.bits (all elements are 0 or 1): ops that only move elements keep it, comparisons set it, arithmetic
 * clears it. */
static void bits_are_propagated(void **state) {
  (void)state;
  const uint32_t bits_variable = gt_graph_variable(graph, "held", gt_shape_1(6), GT_F32, false);
  gt_graph_mark_bits(graph, bits_variable);
  const gt_id x = variable("x", 1, (int64_t[]){6}), bits = gt_variable_read(graph, bits_variable);
  const gt_id less = gt_less(graph, x, bits), view = gt_reshape(graph, less, gt_shape_2(2, 3));
  assert_false(gt_node_at(graph, x)->bits);
  assert_true(gt_node_at(graph, bits)->bits);
  assert_true(gt_node_at(graph, view)->bits);
  assert_false(gt_node_at(graph, gt_add(graph, bits, bits))->bits);
  gt_assign(graph, bits_variable, 0, less);
  assert_int_equal(graph->error.status, GT_OK);
  assert_int_equal(gt_assign(graph, bits_variable, 0, x), GT_NONE);
  assert_int_equal(graph->error.status, GT_ERR_INTERNAL);
  gt_error error = {0};
  assert_true(gt_graph_verify(graph, &error));
  graph->node[x].bits = true;
  assert_false(gt_graph_verify(graph, &error));
}

/* Upper bounds of magnitudes are propagated from bounded inputs. */
static void limits_are_propagated(void **state) {
  (void)state;
  const int64_t none[] = {0, 0}, after[] = {0, 1};
  const gt_id x = variable("x", 2, (int64_t[]){2, 3}), y = gt_tanh(graph, x);
  const gt_id moved = gt_pad(graph, gt_reshape(graph, y, gt_shape_2(3, 2)), none, after, -3);
  assert_true(isinf(gt_node_at(graph, x)->limit));
  assert_true(isinf(gt_node_at(graph, gt_mul(graph, gt_constant(graph, 0), x))->limit));
  assert_true(isinf(gt_node_at(graph, gt_exp(graph, y))->limit));
  assert_true(gt_node_at(graph, gt_less(graph, x, y))->limit == 1);
  assert_true(gt_node_at(graph, y)->limit == 1);
  assert_true(gt_node_at(graph, moved)->limit == 3);
  assert_true(gt_node_at(graph, gt_sub(graph, gt_mul(graph, y, gt_constant(graph, -2)), y))->limit == 3);
  gt_error error = {0};
  assert_true(gt_graph_verify(graph, &error));
  graph->node[moved].limit = 1;
  assert_false(gt_graph_verify(graph, &error));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_are_countable, setup, teardown),
      cmocka_unit_test_setup_teardown(broadcasting_follows_numpy, setup, teardown),
      cmocka_unit_test_setup_teardown(first_shape_error_is_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(gradients_have_the_shapes_of_their_nodes, setup, teardown),
      cmocka_unit_test_setup_teardown(verify_catches_a_broken_node, setup, teardown),
      cmocka_unit_test_setup_teardown(equal_graphs_are_recognized, setup, teardown),
      cmocka_unit_test_setup_teardown(printing_names_every_node, setup, teardown),
      cmocka_unit_test_setup_teardown(results_are_numbered_after_their_node, setup, teardown),
      cmocka_unit_test_setup_teardown(verify_catches_a_broken_result, setup, teardown),
      cmocka_unit_test_setup_teardown(backward_gets_gradients_of_all_results, setup, teardown),
      cmocka_unit_test_setup_teardown(printing_numbers_results, setup, teardown),
      cmocka_unit_test_setup_teardown(bits_are_propagated, setup, teardown),
      cmocka_unit_test_setup_teardown(limits_are_propagated, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

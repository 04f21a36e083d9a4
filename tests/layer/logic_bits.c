/* Hard evaluation on packed bits gives exactly the same outputs as on floats: the same model is built once
 * with an input that is known to be bits, and once without that knowledge. */
#include "op/logic/logic_bits.h"
#include "backend/backend.h"
#include "base/philox.h"
#include "graph/op.h"
#include "model/model.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/move.h"
#include "plan/plan.h"
#include "store/state_dict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct built {
  gt_arena arena;
  gt_graph *graph;
  gt_model *model;
  gt_shape output;
} built;

enum { INPUT, STATE, TABLE, OUTPUT, FIRST_OF_MODEL }; /* variables */

/* The first variable of a graph. */
static gt_id input_of(gt_graph *graph, gt_shape shape, bool bits) {
  const uint32_t variable = gt_graph_variable(graph, "x", shape, GT_F32, false);
  if (bits) gt_graph_mark_bits(graph, variable);
  return gt_variable_read(graph, variable);
}

static void build(built *b, const char *text, gt_shape shape, bool bits) {
  gt_diagnostics diagnostics;
  gt_arena_init(&b->arena);
  gt_diagnostics_init(&diagnostics, &b->arena);
  const gt_spec *root = gt_spec_parse(&b->arena, "config.yaml", text, strlen(text), &diagnostics);
  gt_graph *graph = b->graph = gt_graph_create(&b->arena);
  const gt_id input = input_of(graph, shape, bits);
  const uint32_t state = gt_graph_variable(graph, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock =
      gt_clock(graph, state, gt_graph_variable(graph, "table", gt_shape_2(1, 1), GT_F32, false));
  const gt_model_mode mode = {.seed = 3, .hard = true};
  /* The output variable must be declared before the variables of the model. A first build of the model gives
   * its shape. */
  built probe = {.graph = gt_graph_create(&b->arena)};
  const gt_id probe_input = input_of(probe.graph, shape, bits);
  probe.model = gt_model_build(&b->arena, probe.graph, root, NULL,
                               (gt_model_inputs){1, &(gt_model_input){"input", probe_input}}, GT_NONE, mode,
                               &diagnostics);
  if (!probe.model) gt_diagnostics_print(&diagnostics, stderr);
  assert_non_null(probe.model);
  b->output = gt_node_at(probe.graph, probe.model->output)->shape;
  const uint32_t y = gt_graph_variable(graph, "y", b->output, GT_F32, false);
  b->model =
      gt_model_build(&b->arena, graph, root, NULL, (gt_model_inputs){1, &(gt_model_input){"input", input}},
                     clock, mode, &diagnostics);
  assert_non_null(b->model);
  gt_assign(graph, y, 0, b->model->output);
}

static int count_ops(const built *b, const char *name) {
  int count = 0;
  for (gt_id id = 0; id < b->graph->count; id++) count += !strcmp(gt_node_at(b->graph, id)->op->name, name);
  return count;
}

static int count_float_ops(const built *b) {
  return count_ops(b, "logic") + count_ops(b, "logic_conv") + count_ops(b, "logic_ca");
}

/* Content of a variable before the run; NULL: zeros. */
static const void *content(const built *b, uint32_t variable, const float *x, const float *parameters) {
  static const uint32_t clock[GT_STATE_WORDS] = {11, 77, 5};
  const char *name = b->graph->variable[variable].name;
  if (variable == INPUT) return x;
  if (variable == STATE) return clock;
  if (!strcmp(name, GT_PARAMETERS_VARIABLE)) return parameters;
  const gt_slot *slot = gt_store_find(b->model->store, name);
  return slot ? slot->table : NULL;
}

static float *run(const built *b, const float *x) {
  gt_error error = {0};
  gt_backend *backend = gt_backend_open("cpu", 2, &error);
  const gt_backend_api *api = backend->api;
  const gt_plan_options options = {.target = backend->target};
  gt_arena arena;
  gt_arena_init(&arena);
  const gt_plan *plan = gt_plan_create(&arena, b->graph, &options, &error);
  assert_non_null(plan);
  gt_state_dict start;
  gt_state_dict_init(&start, b->model->store, GT_WEIGHT_ROLES, 3);
  gt_buffer *buffer[16] = {NULL};
  assert_true(b->graph->variables <= 16);
  for (uint32_t v = 0; v < b->graph->variables; v++) {
    const gt_variable *variable = &b->graph->variable[v];
    const void *data = content(b, v, x, start.variable[0]);
    buffer[v] = api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    if (data)
      assert_true(api->upload(backend, buffer[v], 0, data,
                              (uint64_t)gt_shape_count(variable->shape) * gt_dtype_size(variable->dtype),
                              &error));
  }
  gt_executable *executable = api->compile(backend, plan, buffer, &error);
  const uint64_t size = (uint64_t)gt_shape_count(b->output) * sizeof(float);
  float *y = malloc(size);
  uint64_t ticket;
  assert_true(api->run(backend, executable, 1, &ticket, &error) && api->wait(backend, ticket, &error));
  assert_true(api->download(backend, buffer[OUTPUT], 0, y, size, &error));
  api->executable_destroy(backend, executable);
  for (uint32_t v = 0; v < b->graph->variables; v++) api->buffer_destroy(backend, buffer[v]);
  gt_backend_close(backend);
  gt_arena_finish(&arena);
  gt_state_dict_finish(&start);
  return y;
}

/* Compares the model's outputs on packed bits with those on floats. op: one that only the former has. */
static void compare(const char *text, gt_shape shape, const char *op) {
  const int64_t count = gt_shape_count(shape);
  float *x = malloc((size_t)count * sizeof *x);
  for (int64_t i = 0; i < count; i++) x[i] = (float)(gt_random_bits(5, 1, 2, (uint32_t)i) & 1);
  built bits, floats;
  build(&bits, text, shape, true);
  build(&floats, text, shape, false);
  assert_true(count_ops(&bits, op) > 0);
  assert_int_equal(count_ops(&floats, op), 0);
  assert_int_equal(count_float_ops(&bits), 0);
  assert_true(count_float_ops(&floats) > 0);
  float *a = run(&bits, x), *b = run(&floats, x);
  const int64_t outputs = gt_shape_count(bits.output);
  int different = 0;
  for (int64_t i = 0; i < outputs; i++) {
    assert_true(a[i] == b[i]);
    different += a[i] != a[0];
  }
  assert_true(different > 0);
  gt_arena_finish(&bits.arena);
  gt_arena_finish(&floats.arena);
  free(a);
  free(b);
  free(x);
}

static const int64_t batches[] = {1, 31, 32, 33, 67};
enum { BATCHES = sizeof batches / sizeof *batches };

static void dense(void **state) {
  (void)state;
  for (int i = 0; i < BATCHES; i++) {
    const gt_shape shape = gt_shape_2(batches[i], 40);
    compare("model: [{logic: 300}, {logic: 301}, {logic: 240}, {group_sum: {groups: 6, tau: 4}}]\n", shape,
            "logic_bits_sum");
    compare("model: [{logic: 50}, {logic: 77}]\n", shape, "logic_bits");
  }
}

static void automaton(void **state) {
  (void)state;
  for (int i = 0; i < BATCHES; i++) {
    const gt_shape shape = {.rank = 4, .dim = {batches[i], 5, 6, 3}};
    compare("model: [{logic_ca: {steps: 2, kernels: 3, perception: [8, 4, 2], update: [16, 8, 4, 3], "
            "init: normal, periodic: true}}]\n",
            shape, "logic_ca_bits");
    compare("model: [{logic_ca: {steps: 2, kernels: 2, perception: [8, 4], update: [24, 12, 6, 3], "
            "init: normal, fire_rate: 0.6, outputs: 2}}]\n",
            shape, "logic_ca_bits");
  }
}

/* Values stay packed from the first layer to the sums: there is only one pack op. */
static void convolution(void **state) {
  (void)state;
  for (int i = 0; i < BATCHES; i++) {
    const gt_shape shape = {.rank = 4, .dim = {batches[i], 9, 8, 3}};
    compare("model: [{logic_conv2d: {channels: 7, padding: 1, pool: 2, init: normal}}, "
            "{logic_conv2d: {channels: 11, kernel: 2, depth: 2, stride: 2, init: normal}}]\n",
            shape, "logic_conv_bits");
    compare("model: [{logic_conv2d: {channels: 7, padding: 1, pool: 2, init: normal}}, "
            "{logic_conv2d: {channels: 13, init: normal}}, flatten, {logic: 60}, {group_sum: 5}]\n",
            shape, "logic_bits_sum");
    built b;
    build(&b, "model: [{logic_conv2d: {channels: 7, pool: 2}}, {logic_conv2d: 4}, flatten, {logic: 40}]\n",
          shape, true);
    assert_int_equal(count_ops(&b, "logic_pack"), 1);
    gt_arena_finish(&b.arena);
  }
}

static bool is_bits(const gt_graph *graph, gt_id id) { return gt_node_at(graph, id)->bits; }

/* Ops that only move values keep bits; arithmetic does not. */
static void nodes_known_to_be_bits(void **state) {
  (void)state;
  gt_arena arena;
  gt_arena_init(&arena);
  gt_graph *g = gt_graph_create(&arena);
  const gt_id x = gt_variable_read(g, gt_graph_variable(g, "x", gt_shape_2(6, 4), GT_F32, false));
  const gt_id bit = gt_less(g, x, gt_constant(g, 0.5)), flipped = gt_permute(g, bit, (const int[]){1, 0});
  const int64_t pad[2] = {1, 1};
  const uint32_t declared = gt_graph_variable(g, "bits", gt_shape_2(6, 4), GT_F32, false);
  gt_graph_mark_bits(g, declared);
  const gt_id y = gt_variable_read(g, declared);
  assert_false(is_bits(g, x));
  assert_true(is_bits(g, y));
  assert_true(is_bits(g, gt_reshape(g, flipped, gt_shape_2(3, 8))));
  assert_true(is_bits(g, gt_pad(g, bit, pad, pad, 0)));
  assert_false(is_bits(g, gt_pad(g, bit, pad, pad, 0.25)));
  assert_true(is_bits(g, gt_concatenate(g, (const gt_id[]){bit, y}, 2, 1)));
  assert_false(is_bits(g, gt_concatenate(g, (const gt_id[]){bit, x}, 2, 1)));
  assert_false(is_bits(g, gt_mul(g, bit, gt_constant(g, 2))));
  assert_true(gt_logic_words_of(g, x) == GT_NONE);
  /* Values stay packed in words from layer to layer. */
  const gt_id words = gt_logic_words_of(g, bit);
  const gt_id unpacked = gt_logic_unpack(g, words, 6, GT_WORDS_BY_VALUE);
  assert_true(gt_logic_words_of(g, unpacked) == words);
  /* Also through a reshape, unless it mixes samples. */
  const gt_id image = gt_reshape(g, unpacked, (gt_shape){.rank = 3, .dim = {6, 2, 2}});
  assert_true(gt_logic_words_of(g, image) == words);
  assert_true(gt_logic_words_of(g, gt_reshape(g, image, gt_shape_2(6, 4))) == words);
  assert_true(gt_logic_words_of(g, gt_reshape(g, image, gt_shape_2(3, 8))) != words);
  gt_arena_finish(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dense), cmocka_unit_test(convolution),
                                     cmocka_unit_test(automaton), cmocka_unit_test(nodes_known_to_be_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

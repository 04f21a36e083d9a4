/* Logic layers: wirings, initial logits, convolutions, and the values of the 16 gates, soft and hard. */
#include "op/logic/logic.h"
#include "backend/backend.h"
#include "graph/op.h"
#include "layer/logic/wiring.h"
#include "model/model.h"
#include "op/core.h"
#include "plan/plan.h"
#include "store/state_dict.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const gt_init_stream stream = {.seed = 7, .purpose = 1 << 20};

static int by_number(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

/* Pairs a * 1000 + b in ascending order. */
static void sorted_pairs(const int32_t *wiring, int gates, int32_t *out) {
  for (int i = 0; i < gates; i++) out[i] = wiring[i] * 1000 + wiring[gates + i];
  qsort(out, (size_t)gates, sizeof *out, by_number);
}

static void unique_pairs(void **state) {
  (void)state;
  int32_t wiring[40], pairs[20];
  /* Seven inputs: (0,1) (2,3) (4,5), (1,2) (3,4) (5,6), (0,2) (1,3) (2,4) … */
  static const int32_t want[9] = {1, 2, 1002, 1003, 2003, 2004, 3004, 4005, 5006};
  assert_true(gt_wiring_unique(&stream, 7, 9, wiring));
  sorted_pairs(wiring, 9, pairs);
  assert_memory_equal(pairs, want, sizeof want);
  assert_true(gt_wiring_unique(&stream, 7, 4, wiring));
  sorted_pairs(wiring, 4, pairs);
  assert_memory_equal(pairs, ((const int32_t[]){1, 1002, 2003, 4005}), 4 * sizeof *pairs);
  assert_true(gt_wiring_unique(&stream, 6, 15, wiring)); /* all pairs */
  sorted_pairs(wiring, 15, pairs);
  for (int i = 1; i < 15; i++) assert_true(pairs[i - 1] < pairs[i]);
  assert_false(gt_wiring_unique(&stream, 6, 16, wiring));
  assert_false(gt_wiring_unique(&stream, 1, 1, wiring));
  /* The order is random, and the same for the same stream. */
  int32_t again[40], other[40];
  const gt_init_stream another = {.seed = 8, .purpose = stream.purpose};
  gt_wiring_unique(&stream, 6, 15, again);
  gt_wiring_unique(&another, 6, 15, other);
  assert_memory_equal(wiring, again, 30 * sizeof *wiring);
  assert_memory_not_equal(wiring, other, 30 * sizeof *wiring);
}

static void random_wiring_reads_all_inputs(void **state) {
  (void)state;
  int32_t wiring[2 * 37];
  int readers[20] = {0};
  gt_wiring_random(&stream, 20, 37, wiring);
  for (int i = 0; i < 74; i++) readers[wiring[i]]++;
  for (int i = 0; i < 20; i++) assert_in_range(readers[i], 3, 4); /* 74 = 3 * 20 + 14 */
}

static void permutation_is_valid(void **state) {
  (void)state;
  int32_t order[100], seen[100] = {0};
  int fixed = 0;
  gt_wiring_permutation(&stream, 0, 100, order);
  for (int i = 0; i < 100; i++) seen[order[i]]++, fixed += order[i] == i;
  for (int i = 0; i < 100; i++) assert_int_equal(seen[i], 1);
  assert_true(fixed < 10);
}

/* One gate of each kind on all four pairs of bits: the number of a gate is its truth table. */
static void truth_tables(void **state) {
  const bool hard = *state != NULL;
  gt_arena arena;
  gt_error error = {0};
  gt_arena_init(&arena);
  gt_graph *graph = gt_graph_create(&arena);
  const struct {
    const char *name;
    gt_shape shape;
    gt_dtype dtype;
  } declared[4] = {{"x", gt_shape_2(2, 4), GT_F32},
                   {"logits", gt_shape_2(16, 16), GT_F32},
                   {"wiring", gt_shape_2(2, 16), GT_I32},
                   {"y", gt_shape_2(16, 4), GT_F32}};
  gt_id node[4];
  for (int i = 0; i < 4; i++) {
    const uint32_t variable =
        gt_graph_variable(graph, declared[i].name, declared[i].shape, declared[i].dtype, false);
    node[i] = gt_variable_read(graph, variable);
  }
  const gt_id coefficients = gt_logic_coefficients(graph, node[1], hard);
  gt_assign(graph, 3, 0, gt_logic(graph, node[0], coefficients, node[2], GT_NONE));
  float x[8] = {1, 1, 0, 0, 1, 0, 1, 0}, logits[256], y[64]; /* a, then b */
  int32_t wiring[32];
  for (int i = 0; i < 256; i++) logits[i] = i / 16 == i % 16 ? (hard ? 0.01f : 40) : 0;
  for (int i = 0; i < 32; i++) wiring[i] = i / 16;

  gt_backend *backend = gt_backend_open("cpu", 1, &error);
  const gt_backend_api *api = backend->api;
  const gt_plan_options options = {.target = backend->target};
  const gt_plan *plan = gt_plan_create(&arena, graph, &options, &error);
  assert_non_null(plan);
  gt_buffer *buffer[4];
  const void *content[3] = {x, logits, wiring};
  const uint64_t size[4] = {sizeof x, sizeof logits, sizeof wiring, sizeof y};
  for (int i = 0; i < 4; i++) {
    buffer[i] = api->buffer_create(backend, plan->variable_bytes[i], GT_BUFFER_DEVICE, &error);
    if (i < 3) assert_true(api->upload(backend, buffer[i], 0, content[i], size[i], &error));
  }
  gt_executable *executable = api->compile(backend, plan, buffer, &error);
  uint64_t ticket;
  assert_true(api->run(backend, executable, 1, &ticket, &error) && api->wait(backend, ticket, &error));
  assert_true(api->download(backend, buffer[3], 0, y, sizeof y, &error));
  for (int gate = 0; gate < 16; gate++)
    for (int corner = 0; corner < 4; corner++) {
      const float want = (float)(gate >> corner & 1), got = y[4 * gate + corner];
      if (hard)
        assert_true(got == want);
      else
        assert_true(got - want < 1e-6f && want - got < 1e-6f);
    }
  api->executable_destroy(backend, executable);
  for (int i = 0; i < 4; i++) api->buffer_destroy(backend, buffer[i]);
  gt_backend_close(backend);
  gt_arena_finish(&arena);
}

typedef struct built {
  gt_arena arena;
  gt_graph *graph;
  gt_model *model;
} built;

static void build(built *b, const char *text, gt_model_mode mode) {
  gt_diagnostics diagnostics;
  gt_arena_init(&b->arena);
  gt_diagnostics_init(&diagnostics, &b->arena);
  const gt_spec *root = gt_spec_parse(&b->arena, "config.yaml", text, strlen(text), &diagnostics);
  b->graph = gt_graph_create(&b->arena);
  const uint32_t x = gt_graph_variable(b->graph, "x", gt_shape_2(8, 10), GT_F32, false);
  const gt_id input = gt_variable_read(b->graph, x);
  b->model =
      gt_model_build(&b->arena, b->graph, root, NULL, (gt_model_inputs){1, &(gt_model_input){"input", input}},
                     GT_NONE, mode, &diagnostics);
  if (!b->model) gt_diagnostics_print(&diagnostics, stderr);
  assert_non_null(b->model);
}

/* The i-th constant of a model. */
static const gt_slot *constant(const built *b, int i) {
  const gt_store *store = b->model->store;
  for (int k = 0; k < store->slots; k++)
    if (store->slot[k]->role == GT_CONSTANT && !i--) return store->slot[k];
  return NULL;
}

static int count_ops(const built *b, const char *name) {
  int count = 0;
  for (gt_id id = 0; id < b->graph->count; id++) count += !strcmp(gt_node_at(b->graph, id)->op->name, name);
  return count;
}

static void constants_and_layout(void **state) {
  (void)state;
  static const char text[] = "model: [{logic: 20}, {logic: {units: 30, wiring: unique, init: pass_through}}, "
                             "{group_sum: {groups: 5, tau: 2}}]\n";
  built plain, hard, other_seed;
  build(&plain, text, (gt_model_mode){.seed = 1});
  build(&hard, text, (gt_model_mode){.seed = 1, .hard = true});
  build(&other_seed, text, (gt_model_mode){.seed = 2});
  assert_true(plain.model->has_hard);
  assert_null(constant(&plain, 2));
  assert_string_equal(constant(&plain, 1)->name, "logic2.wiring");
  for (int i = 0; i < 60; i++) assert_int_equal(constant(&plain, 1)->limit[i], 20);
  const int32_t *a = constant(&plain, 0)->table;
  assert_memory_equal(a, constant(&hard, 0)->table, 40 * sizeof *a);
  assert_memory_not_equal(a, constant(&other_seed, 0)->table, 40 * sizeof *a);
  assert_int_equal(count_ops(&hard, "logic_coefficients_hard"), 2);
  assert_int_equal(count_ops(&plain, "logic_coefficients"), 2);
  /* The gates of the second layer read those of the first in place. */
  for (gt_id id = 0; id < plain.graph->count; id++) {
    const gt_node *node = gt_node_at(plain.graph, id);
    if (strcmp(node->op->name, "logic") || strcmp(node->scope, "logic2")) continue;
    assert_string_equal(gt_node_at(plain.graph, node->input[0])->op->name, "logic");
  }
  gt_state_dict start;
  gt_state_dict_init(&start, plain.model->store, GT_WEIGHT_ROLES, 1);
  const float *logits = gt_state_dict_slot(&start, gt_store_find(plain.model->store, "logic2.logits"));
  for (int i = 0; i < 30 * 16; i++) assert_true(logits[i] == (i % 16 == 3 ? 10 : 0));
  gt_state_dict_finish(&start);
  gt_arena_finish(&plain.arena);
  gt_arena_finish(&hard.arena);
  gt_arena_finish(&other_seed.arena);
}

/* The number of gates of an automaton that initially pass on their second input (gate 5; 3 passes on the
 * first), with this `init`. by_kernel gets the set of these gates in each of the two kernels, as bits. */
static int count_second_pass_through(const char *init, int by_kernel[2]) {
  /* Index of a kernel's first gate in each layer of perception, and the number of its gates. */
  static const int first[4] = {0, 16, 24, 28}, width[4] = {8, 4, 2, 1};
  char text[200];
  built b;
  snprintf(
      text, sizeof text,
      "model: [{reshape: [5, 2, 1]}, {logic_ca: {steps: 1, kernels: 2, strength: 7, perception: [8, 4, 2, 1], "
      "update: [2, 1], init: %s}}]\n",
      init);
  build(&b, text, (gt_model_mode){.seed = 1});
  gt_state_dict start;
  gt_state_dict_init(&start, b.model->store, GT_WEIGHT_ROLES, 1);
  const float *logits = gt_state_dict_slot(&start, b.model->store->slot[0]);
  int all = 0;
  for (int i = 0; i < 33; i++) { /* 15 in each kernel, 3 of the update */
    const bool second = logits[16 * i + 5] == 7;
    for (int k = 0; k < 16; k++) assert_true(logits[16 * i + k] == (k == (second ? 5 : 3) ? 7 : 0));
    all += second;
  }
  for (int kernel = 0; kernel < 2; kernel++)
    for (int l = by_kernel[kernel] = 0; l < 4; l++)
      for (int o = 0; o < width[l]; o++)
        by_kernel[kernel] += (logits[16 * (first[l] + kernel * width[l] + o) + 5] == 7) << l * 8 << o % 8;
  gt_state_dict_finish(&start);
  gt_arena_finish(&b.arena);
  return all;
}

static void initial_directions_differ(void **state) {
  (void)state;
  int by_kernel[2];
  assert_int_equal(count_second_pass_through("pass_through", by_kernel), 0);
  assert_true(count_second_pass_through("directions", by_kernel) > 0);
  assert_int_not_equal(by_kernel[0], by_kernel[1]);
}

/* The leaves of a kernel read different values, which are in two channels, and all kernels together read
 * every channel. places: number of positions of the kernel's window. */
static void check_leaves(const gt_slot *wiring, int channels, int places) {
  bool read[16] = {false};
  const int64_t leaves = wiring->shape.dim[1];
  for (int64_t k = 0; k < wiring->shape.dim[0]; k++) {
    const int32_t *leaf = wiring->table + k * leaves;
    bool channel_seen[16] = {false};
    int count = 0;
    for (int64_t i = 0; i < leaves; i++) {
      assert_int_equal(wiring->limit[k * leaves + i], places * channels);
      assert_in_range(leaf[i], 0, places * channels - 1);
      count += !channel_seen[leaf[i] % channels];
      channel_seen[leaf[i] % channels] = read[leaf[i] % channels] = true;
      for (int64_t other = 0; other < i; other++) assert_int_not_equal(leaf[i], leaf[other]);
    }
    assert_int_equal(count, channels < 2 ? channels : 2);
  }
  for (int c = 0; c < channels; c++) assert_true(read[c]);
}

static void convolution(void **state) {
  (void)state;
  static const char text[] =
      "model: [{reshape: [5, 2, 1]}, {logic_conv2d: {channels: 9, kernel: 2, depth: 2, padding: 1, init: normal}}, "
      "{logic_conv2d: {channels: 5, padding: 1, pool: 3}}, flatten, {logic: 20}]\n";
  built plain, other_seed, hard;
  build(&plain, text, (gt_model_mode){.seed = 1});
  build(&other_seed, text, (gt_model_mode){.seed = 2});
  build(&hard, text, (gt_model_mode){.seed = 1, .hard = true});
  assert_true(plain.model->has_hard);
  assert_null(constant(&plain, 3));
  assert_string_equal(constant(&plain, 1)->name, "logic_conv2d2.wiring");
  check_leaves(constant(&plain, 0), 1, 4);
  check_leaves(constant(&plain, 1), 9, 9);
  assert_memory_equal(constant(&plain, 1)->table, constant(&hard, 1)->table, 5 * 8 * 4);
  assert_memory_not_equal(constant(&plain, 1)->table, constant(&other_seed, 1)->table, 5 * 8 * 4);
  assert_int_equal(count_ops(&hard, "logic_coefficients_hard"), 3);
  const gt_shape out = plain.model->layer[2].output; /* 6 by 3, then 2 by 1 windows */
  assert_true(gt_shape_equal(out, (gt_shape){.rank = 4, .dim = {8, 2, 1, 5}}));
  /* Gates read earlier gates in place, not through a permute. */
  int read = 0;
  for (gt_id id = 0; id < plain.graph->count; id++) {
    const gt_node *node = gt_node_at(plain.graph, id);
    if (strcmp(node->scope, "logic1") && strcmp(node->scope, "logic_conv2d2")) continue;
    if (strcmp(node->op->name, "logic") && strcmp(node->op->name, "logic_conv")) continue;
    const gt_node *x = gt_node_at(plain.graph, node->input[0]);
    while (x->op->kind == GT_OP_VIEW) x = gt_node_at(plain.graph, x->input[0]);
    assert_string_equal(x->op->name, "logic_conv");
    read++;
  }
  assert_int_equal(read, 2);
  gt_arena_finish(&plain.arena);
  gt_arena_finish(&other_seed.arena);
  gt_arena_finish(&hard.arena);
}

int main(void) {
  static int yes = 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unique_pairs),
      cmocka_unit_test(random_wiring_reads_all_inputs),
      cmocka_unit_test(permutation_is_valid),
      cmocka_unit_test(truth_tables),
      {.name = "truth_tables_hard", .test_func = truth_tables, .initial_state = &yes},
      cmocka_unit_test(constants_and_layout),
      cmocka_unit_test(initial_directions_differ),
      cmocka_unit_test(convolution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

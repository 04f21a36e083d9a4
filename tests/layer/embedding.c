/* Layer embedding: values and the gradient of the table, compared with loops in double precision, with equal
 * bits on the CPU and, if there is a device, on Vulkan; initial values; errors; and the layers that only move
 * values, applied to integers. */
#include "backend/backend.h"
#include "model/model.h"
#include "op/autodiff.h"
#include "op/elementwise.h"
#include "op/core.h"
#include "op/reduce.h"
#include "store/state_dict.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_VALUES = 1 << 16 };

typedef struct fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  gt_model *model;
  gt_backend *backend;
  gt_plan *plan;
  gt_executable *executable;
  gt_buffers buffers;
  gt_id kept[11]; /* the output, and possibly gradients */
} fixture;

static gt_id variable(fixture *f, const char *name, gt_shape shape, gt_dtype dtype) {
  return gt_variable_read(f->graph, gt_graph_variable(f->graph, name, shape, dtype, false));
}

/* Builds the model on an input "x" of this shape and type; vocabulary: the number of tokens, 0 if x has none.
 * f->model is NULL after an error. */
static void build_with_vocabulary(fixture *f, const char *layers, gt_shape shape, gt_dtype dtype,
                                  int64_t vocabulary) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  const char *text = gt_arena_printf(&f->arena, "model: [%s]", layers);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  f->graph = gt_graph_create(&f->arena);
  const gt_model_input x = {"input", variable(f, "x", shape, dtype), .vocabulary = vocabulary};
  f->model = gt_model_build(&f->arena, f->graph, root, NULL, (gt_model_inputs){1, &x}, GT_NONE,
                            (gt_model_mode){.training = true}, &f->diagnostics);
}

static void build(fixture *f, const char *layers, gt_shape shape, gt_dtype dtype) {
  build_with_vocabulary(f, layers, shape, dtype, 0);
}

/* False if there is no such device. */
static bool compile(fixture *f, const char *device, int kept) {
  gt_error error = {0};
  if (!f->model) gt_diagnostics_print(&f->diagnostics, stderr);
  assert_non_null(f->model);
  f->backend = gt_backend_open(device, 2, &error);
  if (!f->backend) return false;
  gt_buffers_init(&f->buffers, f->backend, &f->arena);
  const gt_plan_options options = {.target = f->backend->target, .keep = f->kept, .keep_count = kept};
  f->plan = gt_plan_create(&f->arena, f->graph, &options, &error);
  if (!f->plan) fail_msg("%s", error.message);
  f->executable = gt_buffers_compile(&f->buffers, f->plan, &error);
  assert_non_null(f->executable);
  return true;
}

static void run(fixture *f) {
  gt_error error = {0};
  uint64_t ticket;
  assert_true(f->backend->api->run(f->backend, f->executable, 1, &ticket, &error) &&
              f->backend->api->wait(f->backend, ticket, &error));
}

static void upload(fixture *f, const char *name, const void *words, int64_t count) {
  gt_error error = {0};
  assert_true(gt_buffers_upload(&f->buffers, name, 0, words, (uint64_t)count * 4, &error));
}

static void read_kept(fixture *f, int which, void *out) {
  gt_error error = {0};
  assert_true(f->backend->api->inspect(f->backend, f->executable, &f->plan->kept[which], out, &error));
}

static void finish(fixture *f) {
  if (f->executable) f->backend->api->executable_destroy(f->backend, f->executable);
  gt_buffers_finish(&f->buffers);
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
}

/* --- values and gradient -------------------------------------------------------------------------------- */

typedef struct test_case {
  int64_t rows, width, padding; /* padding: the row that gets no gradient; -1: none */
  const char *settings;         /* in addition to num_embeddings and embedding_dim */
  gt_shape input;
  uint32_t max_distinct; /* the largest number of different indices; 0: any */
} test_case;

static struct {
  int32_t index[MAX_VALUES];
  float grad_output[MAX_VALUES], y[2][MAX_VALUES], gradient[2][MAX_VALUES], weight[MAX_VALUES];
  double want[MAX_VALUES];
} data;

/* Builds the model of a case and the gradient of its table. The gradient of the loss with respect to the
 * output is data.grad_output. */
static void build_case(fixture *f, const test_case *t) {
  gt_error error = {0};
  char layer[160];
  snprintf(layer, sizeof layer, "{embedding: {num_embeddings: %d, embedding_dim: %d%s}}", (int)t->rows,
           (int)t->width, t->settings);
  build(f, layer, t->input, GT_I32);
  assert_non_null(f->model);
  gt_graph *g = f->graph;
  f->kept[0] = f->model->output;
  const gt_id grad_output = variable(f, "grad_output", gt_node_at(g, f->kept[0])->shape, GT_F32);
  const gt_id loss = gt_sum(g, gt_mul(g, f->kept[0], grad_output), 0, false);
  const gt_slot *weight = gt_store_find(f->model->store, "embedding1.weight");
  assert_non_null(weight);
  assert_true(gt_autodiff(g, loss, &f->model->node[weight->index], 1, &f->kept[1], &error));
}

/* Initializes the table and copies it to data.weight. */
static void start_weight(fixture *f) {
  gt_error error = {0};
  gt_state_dict start;
  gt_state_dict_init(&start, f->model->store, GT_WEIGHT_ROLES, 1);
  const gt_slot *weight = gt_store_find(f->model->store, "embedding1.weight");
  memcpy(data.weight, gt_state_dict_slot(&start, weight), (size_t)weight->count * sizeof *data.weight);
  assert_true(gt_state_dict_upload(&start, &f->buffers, &error));
  gt_state_dict_finish(&start);
}

/* Compares the output and the gradient of the table for `count` tokens with loops. */
static void check(const test_case *t, int64_t count, const float *y, const float *gradient) {
  memset(data.want, 0, sizeof data.want);
  for (int64_t i = 0; i < count * t->width; i++) {
    const int64_t at = data.index[i / t->width] * t->width + i % t->width;
    assert_true(y[i] == data.weight[at]);
    if (data.index[i / t->width] != t->padding) data.want[at] += data.grad_output[i];
  }
  for (int64_t i = 0; i < t->rows * t->width; i++)
    if (!(fabs(gradient[i] - data.want[i]) <= 1e-5 * (1 + fabs(data.want[i]))))
      fail_msg("gradient %d is %.9g, not %.9g", (int)i, gradient[i], data.want[i]);
}

static void check_case(const test_case *t) {
  static const char *const devices[] = {"cpu", "vulkan"};
  const int64_t count = gt_shape_count(t->input);
  bool available[2];
  assert_true(count * t->width <= MAX_VALUES && t->rows * t->width <= MAX_VALUES);
  for (int64_t i = 0; i < count; i++)
    data.index[i] =
        (int32_t)((uint64_t)i * 2654435761u % 4294967291u % (t->max_distinct ? t->max_distinct : t->rows));
  for (int64_t i = 0; i < count * t->width; i++) data.grad_output[i] = sinf((float)(i % 9973) * 1.7f);
  for (int d = 0; d < 2; d++) {
    fixture f;
    build_case(&f, t);
    available[d] = compile(&f, devices[d], 2);
    if (available[d]) {
      start_weight(&f);
      upload(&f, "x", data.index, count);
      upload(&f, "grad_output", data.grad_output, count * t->width);
      run(&f);
      read_kept(&f, 0, data.y[d]);
      read_kept(&f, 1, data.gradient[d]);
      check(t, count, data.y[d], data.gradient[d]);
    }
    finish(&f);
  }
  if (!available[1]) return;
  assert_memory_equal(data.y[0], data.y[1], (size_t)(count * t->width) * sizeof(float));
  assert_memory_equal(data.gradient[0], data.gradient[1], (size_t)(t->rows * t->width) * sizeof(float));
}

static void values_and_gradients(void **state) {
  (void)state;
  const test_case list[] = {
      {1, 1, -1, "", {1, {1}}, 0},
      {13, 5, -1, "", {1, {7}}, 0},
      {13, 8, -1, ", init: {type: uniform, low: -1}", {2, {4, 3}}, 0},
      {101, 4, 3, ", padding_idx: 3", {3, {5, 2, 3}}, 7},
      {101, 4, 100, ", padding_idx: -1", {2, {17, 30}}, 0},
      {50, 12, -1, "", {2, {61, 73}}, 2},
      {50, 7, 0, ", padding_idx: 0", {2, {61, 73}}, 3},
      {4001, 16, -1, "", {1, {4001}}, 0},
      {3, 4, -1, "", {1, {4096}}, 1},
      {3, 3, -1, "", {2, {101, 101}}, 0},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_case(&list[i]);
}

/* As in torch.nn.Embedding: normally distributed with mean 0 and standard deviation 1; the padding row is
 * zero. */
static void initial_values(void **state) {
  (void)state;
  const test_case t = {2000, 16, 7, ", padding_idx: 7", {1, {1}}, 0};
  fixture f;
  double sum = 0, squares = 0;
  build_case(&f, &t);
  assert_true(compile(&f, "cpu", 2));
  start_weight(&f);
  finish(&f);
  for (int i = 0; i < 2000 * 16; i++) {
    assert_true(i / 16 != 7 || data.weight[i] == 0);
    sum += data.weight[i], squares += (double)data.weight[i] * data.weight[i];
  }
  assert_true(fabs(sum / 32000) < 0.03 && fabs(squares / 32000 - 1) < 0.05);
}

/* --- errors --------------------------------------------------------------------------------------------- */

static void expect_error(const char *layer, gt_dtype dtype, const char *message, const char *expected) {
  fixture f;
  build(&f, layer, gt_shape_2(4, 3), dtype);
  assert_null(f.model);
  assert_int_equal(f.diagnostics.errors, 1);
  assert_string_equal(f.diagnostics.items[0].message, message);
  if (expected) assert_non_null(strstr(f.diagnostics.items[0].expected, expected));
  gt_arena_finish(&f.arena);
}

static void errors_are_reported(void **state) {
  (void)state;
  expect_error("{embedding: {num_embeddings: 9, embedding_dim: 2}}", GT_F32,
               "layer 'embedding1' needs integers, but 'input' [4, 3] holds floats",
               "data: {integers: [NAME]}");
  expect_error("{embedding: {num_embeddings: 9, embedding_dim: 2, padding_idx: 9}}", GT_I32,
               "layer 'embedding1' has no row 9: its rows are 0 to 8", NULL);
  expect_error("{embedding: {num_embeddings: 9, embedding_dim: 2, padding_idx: -10}}", GT_I32,
               "layer 'embedding1' has no row -10: its rows are 0 to 8", NULL);
  expect_error("{embedding: {num_embeddings: 100000, embedding_dim: 100000}}", GT_I32,
               "'embedding1.weight' would have the shape [100000, 100000]", "at most");
  expect_error("{pad: {before: 1, value: 0.5}}", GT_I32,
               "layer 'pad1' cannot pad the integers of 'input' [4, 3] with 0.5", NULL);
}

static gt_id read_slot(gt_build *build, gt_slot slot) {
  return gt_variable_read(build->graph,
                          gt_graph_variable(build->graph, slot.name, slot.shape, slot.dtype, false));
}

/* Builds the layer without a model. limit: its input integers are in [0, limit); 0: unknown. */
static void check_limit(int64_t limit, const char *message, const char *expected) {
  static const char text[] = "{num_embeddings: 10, embedding_dim: 2}";
  const gt_layer_type *type = gt_layer_find("embedding");
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_arena_init(&arena);
  gt_diagnostics_init(&diagnostics, &arena);
  gt_graph *graph = gt_graph_create(&arena);
  const gt_spec *spec = gt_spec_parse(&arena, "config.yaml", text, strlen(text), &diagnostics);
  void *config = gt_arena_alloc(&arena, type->config_size);
  assert_true(gt_schema_read(type->schema, config, NULL, NULL, spec, spec->at, "", &arena, &diagnostics));
  gt_build build = {.graph = graph,
                    .arena = &arena,
                    .diagnostics = &diagnostics,
                    .type = type,
                    .name = "places",
                    .input_name = (const char *const[]){"city"},
                    .input_limit = &limit,
                    .at = spec->at,
                    .spec = spec,
                    .slot = read_slot};
  const gt_id input = gt_variable_read(graph, gt_graph_variable(graph, "x", gt_shape_1(3), GT_I32, false));
  const gt_id out = type->build(&build, config, &input);
  assert_int_equal(diagnostics.errors, message != NULL);
  assert_int_equal(out == GT_NONE, message != NULL);
  if (message) assert_string_equal(diagnostics.items[0].message, message);
  if (message) assert_string_equal(diagnostics.items[0].expected, expected);
  gt_arena_finish(&arena);
}

static void input_limit_must_fit_the_table(void **state) {
  (void)state;
  check_limit(0, NULL, NULL);
  check_limit(10, NULL, NULL);
  check_limit(11, "layer 'places' has 10 rows, but 'city' holds values up to 10",
              "num_embeddings: 11 or more");
  check_limit(32, "layer 'places' has 10 rows, but 'city' holds values up to 31",
              "num_embeddings: 32 or more");
}

/* --- layers that move integers -------------------------------------------------------------------------- */

/* want: for each output, the index of its value in x; a negative entry n stands for the constant n + 1. */
static void check_moved(const char *layer, const char *type, int count, const int32_t *want) {
  static const char *const devices[] = {"cpu", "vulkan"};
  static const int32_t x[12] = {0, 1, -2, 3, 4, 1 << 25 | 1, INT32_MAX, INT32_MIN, 8, 9, 10, 0x7fc00001};
  int32_t got[24];
  assert_true(gt_layer_find(type)->integers);
  for (int d = 0; d < 2; d++) {
    fixture f;
    build(&f, layer, gt_shape_of(3, (const int64_t[]){2, 2, 3}), GT_I32);
    assert_non_null(f.model);
    assert_int_equal(gt_node_at(f.graph, f.model->output)->dtype, GT_I32);
    assert_int_equal(gt_shape_count(gt_node_at(f.graph, f.model->output)->shape), count);
    f.kept[0] = f.model->output;
    if (compile(&f, devices[d], 1)) {
      upload(&f, "x", x, 12);
      run(&f);
      read_kept(&f, 0, got);
      for (int i = 0; i < count; i++) assert_int_equal(got[i], want[i] < 0 ? want[i] + 1 : x[want[i]]);
    }
    finish(&f);
  }
}

static void layers_that_move_integers(void **state) {
  (void)state;
  check_moved("flatten", "flatten", 12, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_moved("{reshape: [3, 2]}", "reshape", 12, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_moved("{permute: [2, 1]}", "permute", 12, (const int32_t[]){0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
  check_moved("{shrink: {start: [1, 1], stop: [2, 3]}}", "shrink", 4, (const int32_t[]){4, 5, 10, 11});
  check_moved("{stride: [2, 2]}", "stride", 4, (const int32_t[]){0, 2, 6, 8});
  check_moved("{pad: {before: [0, 1], after: [0, 0], value: -7}}", "pad", 16,
              (const int32_t[]){-8, 0, 1, 2, -8, 3, 4, 5, -8, 6, 7, 8, -8, 9, 10, 11});
  check_moved("{concatenate: {axis: 1, from: [input, input]}}", "concatenate", 24,
              (const int32_t[]){0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11});
}

/* A table that is the weight of two layers, y = E[x] Eᵀ, with a row for each token: there is one parameter,
 * and its gradient is the sum of both. */
static void tied_weights(void **state) {
  enum { ROWS = 3, WIDTH = 2, ITEMS = 4 };
  static const int32_t index[ITEMS] = {2, 0, 2, 1};
  float grad[ITEMS * ROWS], table[ROWS * WIDTH], y[ITEMS * ROWS], gradient[ROWS * WIDTH];
  double want[ROWS * WIDTH] = {0};
  gt_error error = {0};
  fixture f;
  (void)state;
  build_with_vocabulary(&f, "{embedding: {embedding_dim: 2, name: t}}, {linear: {weight: t, bias: false}}",
                        gt_shape_1(ITEMS), GT_I32, ROWS);
  assert_non_null(f.model);
  assert_int_equal(f.model->store->slots, 1);
  const gt_slot *slot = gt_store_find(f.model->store, "t.weight");
  assert_true(gt_shape_equal(slot->shape, gt_shape_2(ROWS, WIDTH)));
  f.kept[0] = f.model->output;
  const gt_id product = gt_mul(f.graph, f.kept[0], variable(&f, "g", gt_shape_2(ITEMS, ROWS), GT_F32));
  assert_true(gt_autodiff(f.graph, gt_sum(f.graph, gt_sum(f.graph, product, 0, false), 0, false),
                          &f.model->node[slot->index], 1, &f.kept[1], &error));
  assert_true(compile(&f, "cpu", 2));
  for (int i = 0; i < ROWS * WIDTH; i++) table[i] = (float)(i + 1) / 4;
  for (int i = 0; i < ITEMS * ROWS; i++) grad[i] = (float)(i * i % 7) - 2;
  upload(&f, "x", index, ITEMS);
  upload(&f, "g", grad, ITEMS * ROWS);
  upload(&f, GT_PARAMETERS_VARIABLE, table, ROWS * WIDTH);
  run(&f);
  read_kept(&f, 0, y);
  read_kept(&f, 1, gradient);
  for (int i = 0; i < ITEMS; i++)
    for (int r = 0; r < ROWS; r++) {
      double sum = 0;
      for (int w = 0; w < WIDTH; w++) {
        const int from = index[i] * WIDTH + w, to = r * WIDTH + w;
        sum += (double)table[from] * (double)table[to];
        want[from] += (double)grad[i * ROWS + r] * (double)table[to];
        want[to] += (double)grad[i * ROWS + r] * (double)table[from];
      }
      assert_true(fabs((double)y[i * ROWS + r] - sum) < 1e-6);
    }
  for (int i = 0; i < ROWS * WIDTH; i++) assert_true(fabs((double)gradient[i] - want[i]) < 1e-5);
  finish(&f);
}

/* --- the product of a table ----------------------------------------------------------------------------- */

enum { SLOTS = 10, TOKENS = 63, TABLE_ROWS = 5, VALUES = 1 << 12 };

/* What a model computes from TOKENS tokens: its output, then the gradients of all its parameters. */
typedef struct product_result {
  float value[VALUES];
  int64_t count;
  double flops;
} product_result;

/* Initializes the parameters; the table t gets values that are the same for every model. */
static void start_values(fixture *f) {
  gt_error error = {0};
  gt_state_dict start;
  gt_state_dict_init(&start, f->model->store, GT_WEIGHT_ROLES, 1);
  const gt_slot_values values = gt_state_dict_values(&start);
  float *table = values.find(&values, "t.weight");
  for (int i = 0; i < TABLE_ROWS * 6; i++) table[i] = sinf((float)i); /* also the padding row */
  assert_true(gt_state_dict_upload(&start, &f->buffers, &error));
  gt_state_dict_finish(&start);
}

static void build_product(fixture *f, const char *layers, int *kept, gt_id *node) {
  gt_id weight[SLOTS];
  gt_error error = {0};
  build(f, layers, gt_shape_2(7, TOKENS / 7), GT_I32);
  assert_non_null(f->model);
  const int slots = f->model->store->slots;
  assert_true(slots <= SLOTS);
  for (int i = 0; i < slots; i++) weight[i] = f->model->node[i];
  node[0] = f->model->output;
  const gt_id loss = gt_sum(f->graph, gt_mul(f->graph, node[0], node[0]), 0, false);
  assert_true(gt_autodiff(f->graph, loss, weight, slots, node + 1, &error));
  *kept = 1 + slots;
}

static void run_product(const char *layers, product_result *result) {
  fixture f;
  int32_t index[TOKENS];
  int kept;
  build_product(&f, layers, &kept, f.kept);
  assert_true(compile(&f, "cpu", kept));
  for (int i = 0; i < TOKENS; i++) index[i] = i * i % TABLE_ROWS;
  start_values(&f);
  upload(&f, "x", index, TOKENS);
  run(&f);
  result->flops = f.plan->flops;
  result->count = 0;
  for (int k = 0; k < kept; k++) {
    const int64_t count = gt_shape_count(gt_node_at(f.graph, f.kept[k])->shape);
    assert_true(result->count + count <= VALUES);
    read_kept(&f, k, result->value + result->count);
    result->count += count;
  }
  finish(&f);
}

/* A GEMM that reads an embedding directly multiplies each row of the table once, not each token. The results
 * are equal to those with {leaky_relu: 1} in between, which returns its input, but keeps the GEMM from
 * reading the embedding directly. */
static void product_of_table(void **state) {
  static const char *const paddings[] = {"", ", padding_idx: 2"};
  static const char *const heads[] = {
      "{linear: 7}",
      "{linear: {units: 7, bias: false}}, {linear: 3}",
      "{reshape: [3, 3, 6]}, {linear: 7}",
      "{linear: {weight: t}}",
      "{lstm: {hidden_size: 3, bidirectional: true}}",
      "{gru: {hidden_size: 5, bias: false, return: last}}",
  };
  static product_result table, plain;
  (void)state;
  for (size_t i = 0; i < 2 * sizeof heads / sizeof *heads; i++) {
    char embedding[80], direct[200], separated[200];
    snprintf(embedding, sizeof embedding, "{embedding: {num_embeddings: 5, embedding_dim: 6, name: t%s}}",
             paddings[i % 2]);
    snprintf(direct, sizeof direct, "%s, %s", embedding, heads[i / 2]);
    snprintf(separated, sizeof separated, "%s, {leaky_relu: 1}, %s", embedding, heads[i / 2]);
    run_product(direct, &table);
    run_product(separated, &plain);
    assert_int_equal(table.count, plain.count);
    assert_true(table.flops < 0.8 * plain.flops);
    for (int64_t k = 0; k < plain.count; k++)
      if (!(fabsf(table.value[k] - plain.value[k]) <= 1e-5f * (10 + fabsf(plain.value[k]))))
        fail_msg("%s: value %d is %.9g, not %.9g", direct, (int)k, (double)table.value[k],
                 (double)plain.value[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_gradients),      cmocka_unit_test(initial_values),
      cmocka_unit_test(errors_are_reported),       cmocka_unit_test(input_limit_must_fit_the_table),
      cmocka_unit_test(layers_that_move_integers), cmocka_unit_test(tied_weights),
      cmocka_unit_test(product_of_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

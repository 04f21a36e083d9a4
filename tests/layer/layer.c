/* Values of layers on the CPU backend, and dropout, whose mask changes from step to step. */
#include "backend/backend.h"
#include "model/model.h"
#include "op/core.h"
#include "store/state_dict.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  gt_model *model;
  gt_backend *backend;
  gt_plan *plan;
  gt_executable *executable;
  gt_buffer *buffer[4]; /* x, state, table, parameters */
} fixture;

/* Builds the model for training on x, F32 of the given shape, with parameters initialized by seed 1. */
static void build(fixture *f, const char *text, gt_shape shape, const float *x) {
  gt_error error = {0};
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  gt_graph *g = f->graph = gt_graph_create(&f->arena);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  const gt_id input = gt_variable_read(g, gt_graph_variable(g, "x", shape, GT_F32, false));
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock = gt_clock(g, state, gt_graph_variable(g, "table", gt_shape_2(4, 1), GT_F32, false));
  f->model = gt_model_build(&f->arena, g, root, NULL, (gt_model_inputs){1, &(gt_model_input){"input", input}},
                            clock, (gt_model_mode){.training = true}, &f->diagnostics);
  if (!f->model) gt_diagnostics_print(&f->diagnostics, stderr);
  assert_non_null(f->model);
  f->backend = gt_cpu_open(1, &error);
  const gt_plan_options options = {.target = f->backend->target, .keep = &f->model->output, .keep_count = 1};
  f->plan = gt_plan_create(&f->arena, g, &options, &error);
  if (!f->plan) fail_msg("%s", error.message);
  const gt_backend_api *api = f->backend->api;
  for (uint32_t v = 0; v < g->variables; v++) {
    const uint64_t size = f->plan->variable_bytes[v] + 16;
    f->buffer[v] = api->buffer_create(f->backend, size, GT_BUFFER_DEVICE, &error);
  }
  assert_true(api->upload(f->backend, f->buffer[0], 0, x, sizeof *x * (size_t)gt_shape_count(shape), &error));
  if (g->variables > 3) {
    gt_state_dict start;
    gt_state_dict_init(&start, f->model->store, GT_WEIGHT_ROLES, 1);
    memcpy(api->buffer_map(f->backend, f->buffer[3]), start.variable[0],
           sizeof(float) * (size_t)f->model->store->total);
    gt_state_dict_finish(&start);
  }
  f->executable = api->compile(f->backend, f->plan, f->buffer, &error);
  assert_non_null(f->executable);
}

static void run(fixture *f, float *out) {
  gt_error error = {0};
  uint64_t ticket;
  assert_true(f->backend->api->run(f->backend, f->executable, 1, &ticket, &error));
  assert_true(f->backend->api->inspect(f->backend, f->executable, &f->plan->kept[0], out, &error));
}

static void finish(fixture *f) {
  f->backend->api->executable_destroy(f->backend, f->executable);
  for (uint32_t v = 0; v < f->graph->variables; v++)
    f->backend->api->buffer_destroy(f->backend, f->buffer[v]);
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
}

static const float x[6] = {0.5f, -1, 2, -0.25f, 1.5f, 0.75f};

static void linear_is_weight_times_input_plus_bias(void **state) {
  (void)state;
  fixture f;
  float got[4];
  build(&f, "model: [{linear: 2}]", gt_shape_2(2, 3), x);
  run(&f, got);
  const float *p = f.backend->api->buffer_map(f.backend, f.buffer[3]);
  const float *w = p + gt_store_find(f.model->store, "linear1.weight")->offset;
  const float *b = p + gt_store_find(f.model->store, "linear1.bias")->offset;
  for (int i = 0; i < 2; i++)
    for (int o = 0; o < 2; o++) {
      double want = b[o];
      for (int k = 0; k < 3; k++) want += (double)x[3 * i + k] * w[3 * o + k];
      assert_true(fabs(got[2 * i + o] - want) < 1e-6);
    }
  finish(&f);
}

static void check_elementwise(const char *layer, double (*want)(double)) {
  fixture f;
  float got[6];
  char text[256];
  snprintf(text, sizeof text, "model: [%s]", layer);
  build(&f, text, gt_shape_2(2, 3), x);
  run(&f, got);
  for (int i = 0; i < 6; i++)
    if (fabs(got[i] - want(x[i])) > 2e-6 * (1 + fabs(want(x[i]))))
      fail_msg("%s(%g) is %.9g, not %.9g", layer, x[i], got[i], want(x[i]));
  finish(&f);
}

static double relu(double v) { return v > 0 ? v : 0; }
static double leaky(double v) { return v > 0 ? v : 0.2 * v; }
static double silu(double v) { return v / (1 + exp(-v)); }
static double gelu(double v) { return v * 0.5 * (1 + erf(v / sqrt(2))); }
static double inverse(double v) { return 1 / v; }
static double formula(double v) { return v * v + 2 * M_PI * sin(v) - fmax(v, 0.2 * v); }
static double gate(double v) { return v * (v + relu(v)); }

static void elementwise_layers(void **state) {
  (void)state;
  check_elementwise("relu", relu);
  check_elementwise("{leaky_relu: 0.2}", leaky);
  check_elementwise("silu", silu);
  check_elementwise("gelu", gelu);
  check_elementwise("tanh", tanh);
  check_elementwise("exp2", exp2);
  check_elementwise("reciprocal", inverse);
  check_elementwise("neg, neg, abs", fabs);
  check_elementwise("{expression: \"x^2 + 2*pi*sin(x) - max(x0, x/5)\"}", formula);
  check_elementwise(
      "relu, {add: {from: [input, relu1]}}, {expression: {expression: \"x0*x1\", from: [input, add1]}}",
      gate);
  check_elementwise("relu, {add: {from: [input, relu1]}}, {mul: {from: [input, add1]}}", gate);
}

static void movement_layers(void **state) {
  (void)state;
  fixture f;
  float got[8];
  build(&f,
        "model: [{permute: [2, 1]},\n"
        "{pad: {before: [0, 1], value: 9}}, {shrink: {start: [1, 0], stop: [3, 3]}}]",
        gt_shape_of(3, (int64_t[]){1, 2, 3}), x);
  run(&f, got);
  const float want[] = {9, -1, 1.5f, 9, 2, 0.75f};
  assert_memory_equal(got, want, sizeof want);
  finish(&f);
}

/* Compares the output of a layer for one sample of this shape with the values 0, 1, 2, … */
static void check_counting_input(const char *layer, gt_shape shape, int count, const float *want) {
  fixture f;
  float input[64], got[64];
  char text[256];
  snprintf(text, sizeof text, "model: [%s]", layer);
  for (int i = 0; i < 64; i++) input[i] = (float)i;
  build(&f, text, shape, input);
  assert_int_equal(gt_shape_count(gt_node_at(f.graph, f.model->output)->shape), count);
  run(&f, got);
  for (int i = 0; i < count; i++)
    if (got[i] != want[i]) fail_msg("%s: value %d is %g, not %g", layer, i, got[i], want[i]);
  finish(&f);
}

static void image_layers(void **state) {
  (void)state;
  const gt_shape image = gt_shape_of(4, (int64_t[]){1, 2, 4, 1}),
                 pixel = gt_shape_of(4, (int64_t[]){1, 1, 2, 8});
  const gt_shape signal = gt_shape_of(3, (int64_t[]){1, 5, 1}),
                 square = gt_shape_of(4, (int64_t[]){1, 2, 2, 2});
  check_counting_input("{max_pool2d: 2}", image, 2, (float[]){5, 7});
  check_counting_input("{avg_pool2d: 2}", image, 2, (float[]){2.5f, 4.5f});
  check_counting_input("{max_pool1d: {kernel_size: 2, ceil_mode: true}}", signal, 3, (float[]){1, 3, 4});
  check_counting_input("{avg_pool1d: {kernel_size: 3, stride: 2, padding: 1, count_include_pad: false}}",
                       signal, 3, (float[]){0.5f, 2, 3.5f});
  check_counting_input("{avg_pool2d: {kernel_size: 2, divisor_override: 2}}", image, 2, (float[]){5, 9});
  check_counting_input("{adaptive_max_pool: [1, 3]}", image, 3, (float[]){5, 6, 7});
  check_counting_input("{adaptive_avg_pool: 2}", signal, 2, (float[]){1, 3});
  check_counting_input("{global_avg_pool: true}", square, 2, (float[]){3, 4});
  check_counting_input("global_avg_pool", square, 2, (float[]){3, 4});
  check_counting_input("{global_max_pool: true}", square, 2, (float[]){6, 7});
  check_counting_input("global_max_pool", signal, 1, (float[]){4});
  check_counting_input("{upsample: 2}", gt_shape_of(3, (int64_t[]){1, 2, 1}), 4, (float[]){0, 0, 1, 1});
  check_counting_input("{upsample: {size: 5, mode: linear, align_corners: true}}",
                       gt_shape_of(3, (int64_t[]){1, 3, 1}), 5, (float[]){0, 0.5f, 1, 1.5f, 2});
  check_counting_input("{upsample: {scale_factor: 2, mode: linear}}", gt_shape_of(3, (int64_t[]){1, 2, 1}), 4,
                       (float[]){0, 0.25f, 0.75f, 1});
  check_counting_input("{pixel_shuffle: 2}", pixel, 16,
                       (float[]){0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15});
  check_counting_input("{pixel_unshuffle: 2}", image, 8, (float[]){0, 1, 4, 5, 2, 3, 6, 7});
  check_counting_input("{pixel_shuffle: 2}, {pixel_unshuffle: 2}", pixel, 16,
                       (float[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  check_counting_input("{global_avg_pool: true}, {mul: {from: [input, global_avg_pool1]}}", square, 8,
                       (float[]){0, 4, 6, 12, 12, 20, 18, 28});
}

/* Whole channels of a sample are dropped or kept. */
static void dropout_of_channels(void **state) {
  (void)state;
  enum { BATCH = 50, POSITIONS = 6, CHANNELS = 40, N = BATCH * POSITIONS * CHANNELS };
  float *ones = malloc(sizeof *ones * N), *got = malloc(sizeof *got * N);
  for (int i = 0; i < N; i++) ones[i] = 1;
  fixture f;
  build(&f, "model: [{dropout2d: 0.25}]", gt_shape_of(4, (int64_t[]){BATCH, 2, 3, CHANNELS}), ones);
  run(&f, got);
  int dropped = 0;
  for (int i = 0; i < N; i++) {
    const int first = i / (POSITIONS * CHANNELS) * POSITIONS * CHANNELS + i % CHANNELS;
    dropped += got[i] == 0;
    assert_true(got[i] == got[first] && (got[i] == 0 || fabsf(got[i] - 4.0f / 3) < 1e-6f));
  }
  assert_true(abs(dropped / POSITIONS - BATCH * CHANNELS / 4) < 90); /* 4.6 standard deviations */
  finish(&f);
  free(ones);
  free(got);
}

static void dropout_drops_its_share_and_scales(void **state) {
  (void)state;
  enum { N = 64 * 1000 };
  float *ones = malloc(sizeof *ones * N), *got = malloc(sizeof *got * N), *again = malloc(sizeof *again * N);
  for (int i = 0; i < N; i++) ones[i] = 1;
  fixture f;
  build(&f, "model: [{dropout: 0.25}]", gt_shape_2(64, 1000), ones);
  run(&f, got);
  int dropped = 0;
  for (int i = 0; i < N; i++) {
    dropped += got[i] == 0;
    assert_true(got[i] == 0 || fabsf(got[i] - 4.0f / 3) < 1e-6f);
  }
  assert_true(abs(dropped - N / 4) < 500); /* 4.5 standard deviations */
  run(&f, again);
  int same = 0;
  for (int i = 0; i < N; i++) same += got[i] == again[i];
  assert_true(abs(same - N * 5 / 8) < 600); /* another mask: both keep 9/16, both drop 1/16 */
  finish(&f);
  free(ones);
  free(got);
  free(again);
}

static void every_layer_has_help_and_a_schema(void **state) {
  (void)state;
  for (int i = 0; i < gt_layer_count(); i++) {
    const gt_layer_type *type = gt_layer_at(i);
    assert_ptr_equal(gt_layer_find(type->name), type);
    assert_non_null(type->help);
    assert_non_null(type->schema->fields);
    for (const gt_field *field = type->schema->fields; field->name; field++) assert_non_null(field->help);
  }
  assert_null(gt_layer_find("nothing"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_is_weight_times_input_plus_bias),
      cmocka_unit_test(elementwise_layers),
      cmocka_unit_test(movement_layers),
      cmocka_unit_test(image_layers),
      cmocka_unit_test(dropout_of_channels),
      cmocka_unit_test(dropout_drops_its_share_and_scales),
      cmocka_unit_test(every_layer_has_help_and_a_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Derivatives of each layer with respect to its input, as loss `pde` needs them. Derivatives along a
 * direction, of orders 1 to 4, are compared with differences of the order before. The gradients of these
 * derivatives with respect to the input and all parameters are also compared with differences. The test fails
 * for a layer that is not in the table. */
#include "model/model.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "op/tangent.h"
#include "store/state_dict.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ORDERS = 4, MAX_VALUES = 512, PARAMETERS = 8, NEIGHBOURS = 3, ANY = ORDERS, TAKES_INTEGERS = -1 };

typedef struct subject {
  const char *model; /* layers of the config */
  gt_shape shape;    /* shape of its input */
  int orders;        /* the highest order that it supports; ANY: all orders; TAKES_INTEGERS: no float input */
  float low, high;   /* range of the input; both 0: -1 to 1 */
} subject;

static const subject subjects[] = {
    {"abs", {2, {3, 4}}, 0},
    {"{adaptive_avg_pool: 2}", {4, {2, 3, 3, 2}}, 0},
    {"{adaptive_max_pool: 2}", {4, {2, 3, 3, 2}}, 0},
    {"{tanh: {name: a}}, {sin: {name: b, from: input}}, {add: {from: [a, b]}}", {2, {3, 4}}, ANY},
    {"tanh, {avg_pool1d: 2}", {3, {2, 4, 3}}, ANY},
    {"tanh, {avg_pool2d: {kernel_size: 3, stride: 2, padding: 1}}", {4, {2, 3, 4, 2}}, 0},
    {"tanh, {avg_pool3d: 2}", {5, {2, 2, 4, 2, 2}}, 0},
    {"batch_norm", {2, {6, 3}}, 0},
    {"bernoulli", {2, {3, 4}}, 0},
    {"{tanh: {name: a}}, {sin: {name: b, from: input}}, {concatenate: {from: [a, b]}}", {2, {3, 4}}, ANY},
    {"tanh, {conv1d: {out_channels: 3, kernel_size: 3, padding: 1}}, tanh", {3, {2, 5, 2}}, ANY},
    {"tanh, {conv2d: {out_channels: 4, kernel_size: 3, groups: 2}}, tanh", {4, {2, 4, 4, 2}}, ANY},
    {"tanh, {conv3d: {out_channels: 2, kernel_size: 2, stride: 2}}, tanh", {5, {2, 2, 3, 2, 2}}, ANY},
    {"tanh, {conv_transpose1d: {out_channels: 3, kernel_size: 3, stride: 2}}, tanh", {3, {2, 3, 2}}, ANY},
    {"tanh, {conv_transpose2d: {out_channels: 2, kernel_size: 2, stride: 2}}, tanh", {4, {2, 2, 3, 2}}, ANY},
    {"tanh, {conv_transpose3d: {out_channels: 2, kernel_size: 2}}, tanh", {5, {2, 2, 1, 2, 2}}, ANY},
    {"cos", {2, {3, 4}}, ANY},
    {"tanh, dropout, sin", {2, {3, 4}}, ANY},
    {"tanh, dropout1d, sin", {3, {2, 3, 4}}, ANY},
    {"tanh, dropout2d, sin", {4, {2, 2, 2, 4}}, ANY},
    {"tanh, dropout3d, sin", {5, {2, 2, 1, 2, 4}}, ANY},
    {"{embedding: {num_embeddings: 3, embedding_dim: 2}}", {2, {3, 4}}, TAKES_INTEGERS},
    {"erf", {2, {3, 4}}, ANY},
    {"exp", {2, {3, 4}}, ANY},
    {"exp2", {2, {3, 4}}, ANY},
    {"{expression: 'sin(2*x)/(2 + x) + x^3'}", {2, {3, 4}}, ANY},
    {"{expression: 'max(x, 0.5*x)'}", {2, {3, 4}}, 0},
    {"tanh, flatten", {3, {3, 2, 2}}, ANY},
    {"gelu", {2, {3, 4}}, ANY},
    {"tanh, global_avg_pool", {4, {2, 2, 3, 2}}, ANY},
    {"tanh, global_max_pool", {4, {2, 2, 3, 2}}, 0},
    {"tanh, {glu: silu}", {2, {3, 4}}, ANY},
    {"{gru: 3}", {3, {2, 3, 2}}, 0},
    {"{group_norm: 1}", {2, {3, 5}}, ANY},
    {"{group_norm: 3}", {4, {2, 2, 2, 6}}, ANY},
    {"tanh, {group_sum: 2}", {2, {3, 6}}, 0},
    {"instance_norm", {3, {2, 5, 2}}, ANY},
    {"{instance_norm: {affine: true, track_running_stats: true}}", {4, {2, 2, 3, 2}}, ANY},
    {"{kan: {units: 3, degree: 5}}", {2, {4, 3}}, 2, -0.9f, 0.9f},
    {"{kan: {units: 3, degree: 4}}", {2, {4, 3}}, 2, -0.9f, 0.9f},
    {"{kan: 3}", {2, {4, 3}}, 2, -0.1f, 0.1f},
    {"{kan: {units: 3, basis: piecewise_linear}}", {2, {4, 3}}, 0},
    {"{kan: {units: 3, basis: rbf}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: rbf, input_norm: none, base: none}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: rswaf}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: chebyshev}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: legendre}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: hermite}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: jacobi}}", {2, {4, 3}}, 2},
    {"{kan: {units: 3, basis: fourier}}", {2, {4, 3}}, 2},
    {"{kan_conv2d: {out_channels: 2, kernel_size: 2, degree: 5}}", {4, {2, 3, 3, 2}}, 2, -0.9f, 0.9f},
    {"layer_norm", {2, {3, 5}}, ANY},
    {"{layer_norm: {axes: 2, bias: false}}", {3, {2, 3, 4}}, ANY},
    {"{leaky_relu: 0.2}", {2, {3, 4}}, 0},
    {"{linear: 3}, tanh, {linear: 2}", {2, {3, 4}}, ANY},
    {"log", {2, {3, 4}}, ANY, 1, 2},
    {"log2", {2, {3, 4}}, ANY, 1, 2},
    {"log_softmax", {2, {3, 5}}, ANY},
    {"{logic: 6}", {2, {3, 4}}, 0},
    {"{logic_ca: {steps: 2, kernels: 2, update: [16, 8, 4, 2]}}", {4, {2, 3, 3, 2}}, 0},
    {"{logic_conv2d: {channels: 4, kernel: 2, depth: 2}}", {4, {2, 3, 3, 2}}, 0},
    {"{lstm: {hidden_size: 3, bidirectional: true}}", {3, {2, 3, 2}}, 0},
    {"{max_pool1d: 2}", {3, {2, 4, 3}}, 0},
    {"{max_pool2d: 2}", {4, {2, 2, 4, 2}}, 0},
    {"{max_pool3d: 2}", {5, {2, 2, 2, 2, 2}}, 0},
    {"{tanh: {name: a}}, {sin: {name: b, from: input}}, {mul: {from: [a, b]}}", {2, {3, 4}}, ANY},
    {"sin, neg", {2, {3, 4}}, ANY},
    {"tanh, {pad: {before: [1, 0], after: [0, 2], value: 0.5}}", {3, {2, 2, 3}}, ANY},
    {"tanh, {permute: [2, 1]}", {3, {2, 2, 3}}, ANY},
    {"tanh, {pixel_shuffle: 2}", {4, {2, 2, 2, 4}}, ANY},
    {"tanh, {pixel_unshuffle: 2}", {4, {2, 2, 4, 1}}, ANY},
    {"reciprocal", {2, {3, 4}}, ANY, 1, 2},
    {"relu", {2, {3, 4}}, 0},
    {"tanh, {reshape: [2, 3]}", {2, {3, 6}}, ANY},
    {"rms_norm", {2, {3, 5}}, ANY},
    {"{rnn: {hidden_size: 3, num_layers: 2, dropout: 0.4, return: last}}", {3, {2, 3, 2}}, 0},
    {"tanh, {sequence_pool: mean}", {3, {2, 3, 2}}, ANY},
    {"tanh, {shrink: {start: [1, 0], stop: [3, 2]}}", {3, {2, 3, 3}}, ANY},
    {"sigmoid", {2, {3, 4}}, ANY},
    {"silu", {2, {3, 4}}, ANY},
    {"sin", {2, {3, 4}}, ANY},
    {"softmax", {2, {3, 5}}, ANY},
    {"{softmax: 1}", {3, {2, 3, 4}}, ANY},
    {"softplus", {2, {3, 4}}, ANY},
    {"sqrt", {2, {3, 4}}, ANY, 1, 2},
    {"tanh, {stride: [2, 2]}", {3, {2, 4, 3}}, ANY},
    {"tanh", {2, {3, 4}}, ANY},
    {"{threshold: [0.25]}", {2, {3, 4}}, 0},
    {"tanh, {upsample: {scale_factor: 2}}", {3, {2, 3, 2}}, 0},
    {"tanh, {upsample: {scale_factor: 1.7, mode: bilinear}}", {4, {2, 3, 2, 2}}, 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* --- a model and its derivatives ------------------------------------------------------------------------ */

typedef struct wrt { /* the variable of a derivative */
  const char *variable;
  int64_t offset, count;
  gt_id node;
  float *value; /* initial values */
} wrt;

typedef struct fixture {
  const subject *s;
  gt_arena arena;
  gt_graph *graph;
  gt_model *model;
  gt_state_dict initial;
  gt_backend *backend;
  gt_buffers buffers;
  gt_plan *plan;
  gt_executable *executable;
  wrt by[1 + PARAMETERS];  /* the input x, then the parameters */
  int count;               /* of `by` */
  gt_id order[ORDERS + 1]; /* the model's output and its derivatives; GT_NONE: 0 everywhere */
  gt_id kept[(ORDERS + 1) * (2 + PARAMETERS)];
  int value_at[ORDERS + 1], gradient_at[ORDERS][1 + PARAMETERS],
      kept_count; /* indices in kept; -1: GT_NONE */
  int64_t outputs;
  /* The input, the direction of the derivatives, and the weights of the outputs in the loss. */
  float x[MAX_VALUES], d[MAX_VALUES], w[MAX_VALUES];
} fixture;

/* Pseudo-random multiples of 1/64: `differences`, whose step is a power of two, moves them exactly. */
static float number(uint32_t i, float low, float high) {
  i = (i + 1) * 2654435761u;
  i ^= i >> 15;
  return floorf((low + (high - low) * (float)(i % 8192) / 8192) * 64) / 64;
}

static gt_id variable(fixture *f, const char *name, gt_shape shape) {
  return gt_variable_read(f->graph, gt_graph_variable(f->graph, name, shape, GT_F32, false));
}

static bool build(fixture *f, const subject *s) {
  gt_error error = {0};
  gt_diagnostics diagnostics;
  memset(f, 0, sizeof *f);
  f->s = s;
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&diagnostics, &f->arena);
  const char *text = gt_arena_printf(&f->arena, "model: [%s]", s->model);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &diagnostics);
  gt_graph *g = f->graph = gt_graph_create(&f->arena);
  const gt_id x = variable(f, "x", s->shape);
  const uint32_t state = gt_graph_variable(g, "state", gt_shape_1(GT_STATE_WORDS), GT_F32, false);
  const gt_id clock = gt_clock(g, state, gt_graph_variable(g, "table", gt_shape_2(4, 1), GT_F32, false));
  f->by[f->count++] = (wrt){"x", 0, gt_shape_count(s->shape), x, f->x};
  f->model = gt_model_build(&f->arena, g, root, NULL, (gt_model_inputs){1, &(gt_model_input){"input", x}},
                            clock, (gt_model_mode){.training = true}, &diagnostics);
  if (!f->model) return false;
  gt_state_dict_init(&f->initial, f->model->store, GT_WEIGHT_ROLES, 1);
  f->backend = gt_cpu_open(1, &error);
  gt_buffers_init(&f->buffers, f->backend, &f->arena);
  f->order[0] = f->model->output;
  f->outputs = gt_shape_count(gt_node_at(g, f->order[0])->shape);
  assert_true(f->outputs <= MAX_VALUES && f->by[0].count <= MAX_VALUES);
  return true;
}

static void finish(fixture *f) {
  if (f->executable) f->backend->api->executable_destroy(f->backend, f->executable);
  if (f->model) {
    gt_state_dict_finish(&f->initial);
    gt_buffers_finish(&f->buffers);
    gt_backend_close(f->backend);
  }
  gt_arena_finish(&f->arena);
}

static void find_parameters(fixture *f) {
  const gt_store *store = f->model->store;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->role != GT_PARAMETER) continue;
    assert_true(f->count < 1 + PARAMETERS);
    f->by[f->count++] =
        (wrt){store->variable[slot->variable_index].name, slot->offset, slot->count,
              f->model->node[slot->index], f->initial.variable[slot->variable_index] + slot->offset};
  }
}

/* Builds the derivatives along the direction as loss `pde` does; returns the highest order. */
static int derive(fixture *f) {
  gt_graph *g = f->graph;
  const gt_id x = f->by[0].node, direction = variable(f, "d", f->s->shape);
  gt_tangents *tangents = gt_tangents_create(g, x, direction, -1);
  int orders = 0;
  gt_id failed = gt_tangent_first_mixing(g, x, f->order[0]);
  while (failed == GT_NONE && orders < ORDERS && gt_tangent_kink(g, x, f->order[0], orders + 1) == GT_NONE) {
    f->order[orders + 1] = gt_tangent(tangents, f->order[orders], &failed);
    orders += failed == GT_NONE;
  }
  gt_tangents_destroy(tangents);
  if (g->error.status) fail_msg("%s: %s", f->s->model, g->error.message);
  return orders;
}

static int keep(fixture *f, gt_id node) {
  if (node == GT_NONE) return -1;
  f->kept[f->kept_count] = gt_add(f->graph, node, gt_constant(f->graph, 0));
  return f->kept_count++;
}

/* Keeps the values of all orders, and the gradients of all orders but the last. */
static void compile(fixture *f, int orders) {
  gt_error error = {0};
  gt_graph *g = f->graph;
  const gt_id w = variable(f, "w", gt_node_at(g, f->order[0])->shape);
  gt_id node[1 + PARAMETERS], gradient[1 + PARAMETERS];
  for (int k = 0; k < f->count; k++) node[k] = f->by[k].node;
  for (int order = 0; order <= orders; order++) f->value_at[order] = keep(f, f->order[order]);
  for (int order = 0; order < orders; order++) {
    for (int k = 0; k < f->count; k++) gradient[k] = GT_NONE;
    if (f->order[order] != GT_NONE &&
        !gt_autodiff(g, gt_sum(g, gt_mul(g, f->order[order], w), 0, false), node, f->count, gradient, &error))
      fail_msg("%s: %s", f->s->model, error.message);
    for (int k = 0; k < f->count; k++) f->gradient_at[order][k] = keep(f, gradient[k]);
  }
  const gt_plan_options options = {
      .target = f->backend->target, .keep = f->kept, .keep_count = f->kept_count};
  f->plan = gt_plan_create(&f->arena, g, &options, &error);
  if (!f->plan) fail_msg("%s: %s", f->s->model, error.message);
  f->executable = gt_buffers_compile(&f->buffers, f->plan, &error);
  assert_non_null(f->executable);
  assert_true(gt_store_upload_tables(f->model->store, &f->buffers, &error));
  assert_true(gt_state_dict_upload(&f->initial, &f->buffers, &error));
}

static void upload(fixture *f, const char *name, int64_t offset, const float *value, int64_t count) {
  gt_error error = {0};
  if (gt_buffers_find(&f->buffers, name))
    assert_true(gt_buffers_upload(&f->buffers, name, (uint64_t)offset * sizeof *value, value,
                                  (uint64_t)count * sizeof *value, &error));
}

static void fill(fixture *f) {
  const bool has_range = f->s->low != 0 || f->s->high != 0;
  for (uint32_t i = 0; i < MAX_VALUES; i++) {
    f->x[i] = number(i, has_range ? f->s->low : -1, has_range ? f->s->high : 1);
    f->d[i] = number(MAX_VALUES + i, -1, 1);
    f->w[i] = number(2 * MAX_VALUES + i, -1, 1);
  }
  upload(f, "x", 0, f->x, f->by[0].count);
  upload(f, "d", 0, f->d, f->by[0].count);
  upload(f, "w", 0, f->w, f->outputs);
}

static void run(fixture *f) {
  gt_error error = {0};
  uint64_t ticket;
  static const float start[GT_STATE_WORDS];
  upload(f, "state", 0, start, GT_STATE_WORDS); /* random draws are the same in each run */
  assert_true(f->backend->api->run(f->backend, f->executable, 1, &ticket, &error) &&
              f->backend->api->wait(f->backend, ticket, &error));
}

/* Reads a kept value; zeros if `which` is -1. */
static void read_kept(fixture *f, int which, int64_t count, float *out) {
  gt_error error = {0};
  memset(out, 0, (size_t)count * sizeof *out);
  if (which >= 0)
    assert_true(f->backend->api->inspect(f->backend, f->executable, &f->plan->kept[which], out, &error));
}

/* --- differences ---------------------------------------------------------------------------------------- */

/* The derivative of each order's values as by->value moves along u: central differences over seven points,
 * with an error of O(h^6). */
static void differences(fixture *f, const wrt *by, const float *u, int orders,
                        double out[ORDERS + 1][MAX_VALUES]) {
  static const double weight[1 + NEIGHBOURS] = {0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
  static float value[MAX_VALUES];
  const float h = 0x1p-5f;
  float *shifted = GT_NEW_N(&f->arena, float, by->count);
  memset(out, 0, sizeof(double) * (ORDERS + 1) * MAX_VALUES);
  for (int i = -NEIGHBOURS; i <= NEIGHBOURS; i++) {
    if (!i) continue;
    for (int64_t k = 0; k < by->count; k++) shifted[k] = by->value[k] + (float)i * h * u[k];
    upload(f, by->variable, by->offset, shifted, by->count);
    run(f);
    for (int order = 0; order <= orders; order++) {
      read_kept(f, f->value_at[order], f->outputs, value);
      for (int64_t k = 0; k < f->outputs; k++)
        out[order][k] += (i < 0 ? -weight[-i] : weight[i]) / (double)h * (double)value[k];
    }
  }
  upload(f, by->variable, by->offset, by->value, by->count);
}

static void expect_close(const fixture *f, const char *what, int order, double got, double want,
                         double scale) {
  if (!(fabs(got - want) <= 2e-3 * (scale + 0.1)))
    fail_msg("%s: %s of order %d is %.6g, not %.6g", f->s->model, what, order, got, want);
}

static void check_values(fixture *f, int orders) {
  static double want[ORDERS + 1][MAX_VALUES];
  static float got[MAX_VALUES];
  differences(f, &f->by[0], f->d, orders, want);
  run(f);
  for (int order = 1; order <= orders; order++) {
    double scale = 0;
    read_kept(f, f->value_at[order], f->outputs, got);
    for (int64_t k = 0; k < f->outputs; k++) scale = fmax(scale, fabs(want[order - 1][k]));
    for (int64_t k = 0; k < f->outputs; k++)
      expect_close(f, "derivative", order, (double)got[k], want[order - 1][k], scale);
  }
}

/* Compares the gradient times a direction u with the difference along u. */
static void check_gradients(fixture *f, int k, int orders) {
  static double want[ORDERS + 1][MAX_VALUES];
  const wrt *by = &f->by[k];
  float *u = GT_NEW_N(&f->arena, float, by->count), *got = GT_NEW_N(&f->arena, float, by->count);
  for (int64_t i = 0; i < by->count; i++) u[i] = number((uint32_t)(5 * MAX_VALUES + i), -1, 1);
  differences(f, by, u, orders, want);
  run(f);
  for (int order = 0; order < orders; order++) {
    double sum = 0, expected = 0, scale = 0;
    read_kept(f, f->gradient_at[order][k], by->count, got);
    for (int64_t i = 0; i < by->count; i++) sum += (double)got[i] * (double)u[i];
    for (int64_t i = 0; i < f->outputs; i++) {
      expected += want[order][i] * (double)f->w[i];
      scale += fabs(want[order][i] * (double)f->w[i]);
    }
    expect_close(f, k ? "gradient by a parameter" : "gradient", order, sum, expected, scale);
  }
}

/* --- all layers ----------------------------------------------------------------------------------------- */

static void orders_of_layers(void **state) {
  static fixture f;
  (void)state;
  for (int i = 0; i < SUBJECTS; i++) {
    const bool built = build(&f, &subjects[i]);
    if (built != (subjects[i].orders != TAKES_INTEGERS)) fail_msg("%s: built: %d", subjects[i].model, built);
    const int orders = built ? derive(&f) : TAKES_INTEGERS;
    if (orders != subjects[i].orders)
      fail_msg("%s: derivatives up to order %d, not %d", subjects[i].model, orders, subjects[i].orders);
    if (orders > 0) {
      find_parameters(&f);
      compile(&f, orders);
      fill(&f);
      check_values(&f, orders);
      for (int k = 0; k < f.count; k++) check_gradients(&f, k, orders);
    }
    finish(&f);
  }
}

static bool has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || strchr("{ ", at[-1])) && (!at[length] || strchr(",: ", at[length]))) return true;
  return false;
}

static void no_layer_is_left_out(void **state) {
  (void)state;
  for (int t = 0; t < gt_layer_count(); t++) {
    bool found = false;
    for (int i = 0; i < SUBJECTS && !found; i++) found = has_word(subjects[i].model, gt_layer_at(t)->name);
    if (!found) fail_msg("layer %s has no line in the table", gt_layer_at(t)->name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders_of_layers),
                                     cmocka_unit_test(no_layer_is_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Normalization layers, compared with their formulas in double precision: values, gradients (central
 * differences of the formula), running statistics, evaluations, frozen layers, and padding rows, which do not
 * count. On the CPU and, if there is a device, on Vulkan. */
#include "backend/backend.h"
#include "model/model.h"
#include "op/autodiff.h"
#include "op/core.h"
#include "op/elementwise.h"
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

enum { MAX_VALUES = 4096, KEPT = 5 };

/* A layer and its input, seen as [rows, positions, groups, channels per group]. over: the axes over which
 * statistics are computed. centers: the mean is subtracted. weight, bias: the layer has one value per
 * channel. */
typedef struct norm_case {
  const char *layer; /* in the config */
  gt_shape shape;
  int64_t dim[4];
  bool over[4];
  bool centers, weight, bias;
  double eps;
} norm_case;

static int64_t value_count(const norm_case *t) { return gt_shape_count(t->shape); }
static bool is_batch_norm(const norm_case *t) { return t->over[0]; }
static int64_t channel_count(const norm_case *t) { return t->dim[2] * t->dim[3]; }

/* The index of the statistics that value i belongs to. */
static int64_t group_of(const norm_case *t, int64_t i) {
  int64_t index[4], group = 0;
  for (int d = 3; d >= 0; d--) index[d] = i % t->dim[d], i /= t->dim[d];
  for (int d = 0; d < 4; d++)
    if (!t->over[d]) group = group * t->dim[d] + index[d];
  return group;
}

/* True if value i contributes to the statistics: in batch_norm, padding rows do not. row: 1 for each row of
 * the batch, 0 for padding. */
static bool is_counted(const norm_case *t, const float *row, int64_t i) {
  return !is_batch_norm(t) || row[i / (value_count(t) / t->dim[0])] != 0;
}

/* For each group: the mean, the mean square of the differences from it, and the number of values. */
typedef struct moments {
  double mean[MAX_VALUES], square[MAX_VALUES], count[MAX_VALUES];
} moments;

static void measure(const norm_case *t, const double *x, const float *row, moments *m) {
  memset(m, 0, sizeof *m);
  for (int64_t i = 0; i < value_count(t); i++)
    if (is_counted(t, row, i)) m->mean[group_of(t, i)] += x[i], m->count[group_of(t, i)]++;
  for (int64_t g = 0; g < MAX_VALUES; g++)
    m->mean[g] = t->centers && m->count[g] ? m->mean[g] / m->count[g] : 0;
  for (int64_t i = 0; i < value_count(t); i++) {
    const int64_t g = group_of(t, i);
    if (is_counted(t, row, i)) m->square[g] += (x[i] - m->mean[g]) * (x[i] - m->mean[g]) / m->count[g];
  }
}

/* Returns Σ c y over the rows that count, where y is the layer's output; out gets y. */
static double formula(const norm_case *t, const double *x, const double *weight, const double *bias,
                      const float *row, const float *c, double *out) {
  static moments m;
  double sum = 0;
  measure(t, x, row, &m);
  for (int64_t i = 0; i < value_count(t); i++) {
    const int64_t g = group_of(t, i), k = i % channel_count(t);
    double y = (x[i] - m.mean[g]) / sqrt(m.square[g] + t->eps);
    if (t->weight) y = y * weight[k];
    if (t->bias) y = y + bias[k];
    out[i] = y;
    sum += row[i / (value_count(t) / t->dim[0])] * (double)c[i] * y;
  }
  return sum;
}

typedef struct fixture {
  gt_arena arena;
  gt_graph *graph;
  gt_model *model;
  gt_backend *backend;
  gt_plan *plan;
  gt_executable *executable;
  gt_buffers buffers;
  gt_id kept[KEPT]; /* y, and the gradients of x, weight and bias */
  int count;
} fixture;

static gt_id variable(fixture *f, const char *name, gt_shape shape) {
  return gt_variable_read(f->graph, gt_graph_variable(f->graph, name, shape, GT_F32, false));
}

static gt_id node_of(const fixture *f, const char *name) {
  const gt_slot *slot = gt_store_find(f->model->store, name);
  return slot ? f->model->node[slot->index] : GT_NONE;
}

static bool build_with(fixture *f, const norm_case *t, const char *device, bool training, bool padded,
                       const gt_optim *optim) {
  gt_error error = {0};
  gt_diagnostics diagnostics;
  char text[256];
  memset(f, 0, sizeof *f);
  f->backend = gt_backend_open(device, 2, &error);
  if (!f->backend) return false;
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&diagnostics, &f->arena);
  gt_buffers_init(&f->buffers, f->backend, &f->arena);
  snprintf(text, sizeof text, "model: [%s]", t->layer);
  const gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &diagnostics);
  gt_graph *g = f->graph = gt_graph_create(&f->arena);
  const gt_id x = variable(f, "x", t->shape), c = variable(f, "c", t->shape);
  const gt_id row = variable(f, "row", gt_shape_1(t->shape.dim[0]));
  const gt_model_mode mode = {.training = training, .weight = padded ? &row : NULL};
  f->model = gt_model_build(&f->arena, g, root, optim, (gt_model_inputs){1, &(gt_model_input){"input", x}},
                            GT_NONE, mode, &diagnostics);
  if (!f->model) gt_diagnostics_print(&diagnostics, stderr);
  assert_non_null(f->model);
  gt_shape rows = t->shape;
  for (int d = 1; d < rows.rank; d++) rows.dim[d] = 1;
  const gt_id loss = gt_sum(
      g, gt_mul(g, gt_mul(g, c, gt_reshape(g, row, rows)), gt_add(g, f->model->output, gt_constant(g, 0))), 0,
      false);
  char weight[64], bias[64];
  snprintf(weight, sizeof weight, "%s.weight", f->model->layer[0].name);
  snprintf(bias, sizeof bias, "%s.bias", f->model->layer[0].name);
  gt_id wrt[3] = {x}, gradient[3];
  int n = 1;
  if (node_of(f, weight) != GT_NONE) wrt[n++] = node_of(f, weight);
  if (node_of(f, bias) != GT_NONE) wrt[n++] = node_of(f, bias);
  assert_int_equal(n, 1 + t->weight + t->bias);
  assert_true(gt_autodiff(g, loss, wrt, n, gradient, &error));
  f->kept[f->count++] = f->model->output;
  for (int k = 0; k < n; k++) f->kept[f->count++] = gradient[k];
  gt_model_update_states(f->model, g, gt_constant(g, 1));
  const gt_plan_options options = {.target = f->backend->target, .keep = f->kept, .keep_count = f->count};
  f->plan = gt_plan_create(&f->arena, g, &options, &error);
  if (!f->plan) fail_msg("%s", error.message);
  f->executable = gt_buffers_compile(&f->buffers, f->plan, &error);
  assert_non_null(f->executable);
  return true;
}

static bool build(fixture *f, const norm_case *t, const char *device, bool training, bool padded) {
  return build_with(f, t, device, training, padded, NULL);
}

static void finish(fixture *f) {
  f->backend->api->executable_destroy(f->backend, f->executable);
  gt_buffers_finish(&f->buffers);
  gt_backend_close(f->backend);
  gt_arena_finish(&f->arena);
}

static void upload(fixture *f, const char *name, const float *values, int64_t count) {
  gt_error error = {0};
  if (gt_buffers_find(&f->buffers, name))
    assert_true(gt_buffers_upload(&f->buffers, name, 0, values, (uint64_t)count * sizeof *values, &error));
}

static void run(fixture *f) {
  gt_error error = {0};
  uint64_t ticket;
  assert_true(f->backend->api->run(f->backend, f->executable, 1, &ticket, &error) &&
              f->backend->api->wait(f->backend, ticket, &error));
}

static void read_kept(fixture *f, int which, float *out) {
  gt_error error = {0};
  assert_true(f->backend->api->inspect(f->backend, f->executable, &f->plan->kept[which], out, &error));
}

static void assert_close(const char *name, const float *got, const double *want, int64_t count,
                         double tolerance) {
  double largest = 0;
  for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(want[i]));
  for (int64_t i = 0; i < count; i++)
    if (!(fabs(got[i] - want[i]) <= tolerance * (1e-3 + largest)))
      fail_msg("%s: value %d is %.9g, not %.9g", name, (int)i, got[i], want[i]);
}

/* Pseudo-random numbers from 1 to 5. Their mean is not small, so a variance computed in one pass would be
 * inaccurate. */
static float number(int64_t i) { return 3 + 2 * sinf((float)(i * i % 1009) * 0.7f + (float)i); }

static struct {
  float x[MAX_VALUES], c[MAX_VALUES], row[MAX_VALUES];
  double xd[MAX_VALUES], weight[MAX_VALUES], bias[MAX_VALUES];
} in;

/* Sets the inputs and the parameters. The last `padding` rows are padding. */
static void fill(fixture *f, const norm_case *t, int64_t padding) {
  gt_state_dict start;
  for (int64_t i = 0; i < value_count(t); i++) {
    in.xd[i] = in.x[i] = number(i);
    in.c[i] = number(3 * i + 1) - 3;
  }
  for (int64_t r = 0; r < t->dim[0]; r++) in.row[r] = r < t->dim[0] - padding;
  gt_state_dict_init(&start, f->model->store, GT_WEIGHT_ROLES, 1);
  for (int i = 0; i < f->model->store->slots; i++) {
    const gt_slot *slot = f->model->store->slot[i];
    if (slot->role != GT_PARAMETER) continue;
    double *copy = strstr(slot->name, ".weight") ? in.weight : in.bias;
    float *value = start.variable[slot->variable_index] + slot->offset;
    for (int64_t k = 0; k < slot->count; k++)
      copy[k] = value[k] = (float)(1 + 0.25 * sin(slot->index + (double)k));
  }
  gt_error error = {0};
  assert_true(gt_state_dict_upload(&start, &f->buffers, &error));
  gt_state_dict_finish(&start);
  upload(f, "x", in.x, value_count(t));
  upload(f, "c", in.c, value_count(t));
  upload(f, "row", in.row, t->dim[0]);
}

static void check_gradient(fixture *f, const norm_case *t, int which, double *values, int64_t count,
                           const char *name) {
  static double want[MAX_VALUES], out[MAX_VALUES];
  static float got[MAX_VALUES];
  for (int64_t i = 0; i < count; i++) {
    const double original = values[i], step = 1e-5;
    values[i] = original + step;
    const double above = formula(t, in.xd, in.weight, in.bias, in.row, in.c, out);
    values[i] = original - step;
    want[i] = (above - formula(t, in.xd, in.weight, in.bias, in.row, in.c, out)) / (2 * step);
    values[i] = original;
  }
  read_kept(f, which, got);
  assert_close(name, got, want, count, 2e-5);
}

static void check_case(const norm_case *t, const char *device, int64_t padding) {
  static double y[MAX_VALUES];
  static float got[MAX_VALUES];
  fixture f;
  if (!build(&f, t, device, true, padding > 0)) return;
  fill(&f, t, padding);
  run(&f);
  formula(t, in.xd, in.weight, in.bias, in.row, in.c, y);
  read_kept(&f, 0, got);
  assert_close(t->layer, got, y, value_count(t), 4e-6);
  check_gradient(&f, t, 1, in.xd, value_count(t), "gradient of x");
  if (t->weight) check_gradient(&f, t, 2, in.weight, channel_count(t), "gradient of weight");
  if (t->bias) check_gradient(&f, t, 3, in.bias, channel_count(t), "gradient of bias");
  finish(&f);
}

static const char *const devices[] = {"cpu", "vulkan"};

static void values_and_gradients(void **state) {
  (void)state;
  const norm_case list[] = {
      {"batch_norm", {2, {7, 5}}, {7, 1, 1, 5}, {1, 1, 0, 0}, true, true, true, 1e-5},
      {"{batch_norm: {eps: 0.1}}", {4, {5, 3, 2, 6}}, {5, 6, 1, 6}, {1, 1, 0, 0}, true, true, true, 0.1},
      {"{batch_norm: {affine: false}}",
       {3, {4, 70, 1}},
       {4, 70, 1, 1},
       {1, 1, 0, 0},
       true,
       false,
       false,
       1e-5},
      {"layer_norm", {2, {7, 13}}, {7, 1, 1, 13}, {0, 0, 0, 1}, true, true, true, 1e-5},
      {"{layer_norm: {axes: 2, bias: false}}",
       {3, {3, 5, 7}},
       {3, 1, 5, 7},
       {0, 0, 1, 1},
       true,
       true,
       false,
       1e-5},
      {"{layer_norm: {elementwise_affine: false}}",
       {3, {3, 5, 67}},
       {3, 5, 1, 67},
       {0, 0, 0, 1},
       true,
       false,
       false,
       1e-5},
      {"rms_norm", {3, {3, 5, 7}}, {3, 5, 1, 7}, {0, 0, 0, 1}, false, true, false, 1.1920928955078125e-7},
      {"{group_norm: 3}", {4, {3, 2, 4, 6}}, {3, 8, 3, 2}, {0, 1, 0, 1}, true, true, true, 1e-5},
      {"{group_norm: 4}", {2, {6, 12}}, {6, 1, 4, 3}, {0, 1, 0, 1}, true, true, true, 1e-5},
      {"instance_norm", {3, {4, 11, 5}}, {4, 11, 1, 5}, {0, 1, 0, 0}, true, false, false, 1e-5},
      {"{instance_norm: {affine: true}}",
       {4, {2, 3, 3, 5}},
       {2, 9, 1, 5},
       {0, 1, 0, 0},
       true,
       true,
       true,
       1e-5},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    for (int d = 0; d < 2; d++)
      for (int64_t padding = 0; padding < 3 && padding < list[i].dim[0]; padding++)
        check_case(&list[i], devices[d], padding);
}

/* Running statistics after several batches, the last of which is not full; then an evaluation. momentum 0:
 * the average of all batches. */
static void check_batch_statistics(const char *device, const char *layer, double momentum) {
  const norm_case t = {layer, {2, {6, 3}}, {6, 1, 1, 3}, {1, 1, 0, 0}, true, true, true, 1e-5};
  enum { STEPS = 4 };
  double mean[3] = {0}, variance[3] = {1, 1, 1}, y[18];
  float got[18];
  gt_state_dict states;
  gt_error error = {0};
  fixture f, evaluation;
  static moments m;
  if (!build(&f, &t, device, true, true)) return;
  for (int s = 0; s < STEPS; s++) {
    if (!s) fill(&f, &t, 0);
    for (int i = 0; i < 18; i++) in.xd[i] = in.x[i] = number(100 * s + i);
    for (int r = 0; r < 6; r++) in.row[r] = s < STEPS - 1 || r < 2;
    upload(&f, "x", in.x, 18);
    upload(&f, "row", in.row, 6);
    run(&f);
    measure(&t, in.xd, in.row, &m);
    const double weight_of_batch = momentum > 0 ? momentum : 1.0 / (s + 1);
    for (int k = 0; k < 3; k++) {
      mean[k] += weight_of_batch * (m.mean[k] - mean[k]);
      variance[k] += weight_of_batch * (m.square[k] * m.count[k] / (m.count[k] - 1) - variance[k]);
    }
  }
  assert_true(gt_state_dict_download(&states, f.model->store, &f.buffers, GT_WEIGHT_ROLES, &error));
  const gt_store *store = f.model->store;
  assert_close("running_mean", gt_state_dict_slot(&states, gt_store_find(store, "batch_norm1.running_mean")),
               mean, 3, 2e-6);
  assert_close("running_var", gt_state_dict_slot(&states, gt_store_find(store, "batch_norm1.running_var")),
               variance, 3, 4e-6);
  const float *batches = gt_state_dict_slot(&states, gt_store_find(store, "batch_norm1.num_batches_tracked"));
  assert_true(*batches == STEPS);

  assert_true(build(&evaluation, &t, device, false, true));
  assert_true(gt_state_dict_upload(&states, &evaluation.buffers, &error));
  upload(&evaluation, "x", in.x, 18);
  run(&evaluation);
  read_kept(&evaluation, 0, got);
  for (int i = 0; i < 18; i++)
    y[i] = (in.xd[i] - mean[i % 3]) / sqrt(variance[i % 3] + 1e-5) * in.weight[i % 3] + in.bias[i % 3];
  assert_close("evaluation", got, y, 18, 4e-6);
  gt_state_dict_finish(&states);
  finish(&f);
  finish(&evaluation);
}

/* One step of instance_norm on a batch with two padding samples: the running statistics use the mean of the
 * statistics of the other samples. */
static void check_instance_statistics(const char *device) {
  const norm_case t = {"{instance_norm: {track_running_stats: true, affine: true, momentum: 0.25}}",
                       {3, {6, 4, 3}},
                       {6, 4, 1, 3},
                       {0, 1, 0, 0},
                       true,
                       true,
                       true,
                       1e-5};
  double mean[3] = {0}, variance[3] = {0.75, 0.75, 0.75}, y[72];
  float got[72];
  gt_state_dict states;
  gt_error error = {0};
  fixture f, evaluation;
  static moments m;
  if (!build(&f, &t, device, true, true)) return;
  fill(&f, &t, 2);
  run(&f);
  measure(&t, in.xd, in.row, &m);
  for (int g = 0; g < 4 * 3; g++) {
    mean[g % 3] += 0.25 * m.mean[g] / 4;
    variance[g % 3] += 0.25 * m.square[g] * 4 / 3 / 4; /* unbiased, of 4 positions; the mean of 4 samples */
  }
  assert_true(gt_state_dict_download(&states, f.model->store, &f.buffers, GT_WEIGHT_ROLES, &error));
  const gt_store *store = f.model->store;
  assert_close("running_mean",
               gt_state_dict_slot(&states, gt_store_find(store, "instance_norm1.running_mean")), mean, 3,
               2e-6);
  assert_close("running_var", gt_state_dict_slot(&states, gt_store_find(store, "instance_norm1.running_var")),
               variance, 3, 4e-6);
  assert_true(build(&evaluation, &t, device, false, true));
  assert_true(gt_state_dict_upload(&states, &evaluation.buffers, &error));
  upload(&evaluation, "x", in.x, 72);
  run(&evaluation);
  read_kept(&evaluation, 0, got);
  for (int i = 0; i < 72; i++)
    y[i] = (in.xd[i] - mean[i % 3]) / sqrt(variance[i % 3] + 1e-5) * in.weight[i % 3] + in.bias[i % 3];
  assert_close("evaluation", got, y, 72, 4e-6);
  gt_state_dict_finish(&states);
  finish(&f);
  finish(&evaluation);
}

static void running_statistics(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    check_batch_statistics(devices[d], "batch_norm", 0.1);
    check_batch_statistics(devices[d], "{batch_norm: 0.5}", 0.5);
    check_batch_statistics(devices[d], "{batch_norm: {cumulative: true}}", 0);
    check_instance_statistics(devices[d]);
  }
}

/* A training step of a frozen layer uses the running statistics, 0 and 1 at first, and keeps them. */
static void check_frozen(const char *device, const char *layer, const char *match, bool affine) {
  const norm_case t = {layer, {3, {6, 4, 3}}, {6, 4, 1, 3}, {1, 1, 0, 0}, true, affine, affine, 1e-5};
  const gt_optim_group groups[2] = {{0}, {.match = match, .frozen = true}};
  const gt_optim optim = {.group = groups, .groups = 2};
  double y[72], gradient[72];
  float got[72];
  gt_state_dict states;
  gt_error error = {0};
  fixture f;
  if (!build_with(&f, &t, device, true, true, &optim)) return;
  fill(&f, &t, 2);
  run(&f);
  for (int i = 0; i < 72; i++) {
    const double weight = (affine ? in.weight[i % 3] : 1) / sqrt(1 + 1e-5);
    y[i] = in.xd[i] * weight + (affine ? in.bias[i % 3] : 0);
    gradient[i] = in.row[i / 12] * in.c[i] * weight;
  }
  read_kept(&f, 0, got);
  assert_close("frozen", got, y, 72, 4e-6);
  read_kept(&f, 1, got);
  assert_close("gradient of x", got, gradient, 72, 4e-6);
  assert_null(f.model->updated);
  assert_true(gt_state_dict_download(&states, f.model->store, &f.buffers, GT_WEIGHT_ROLES, &error));
  for (int i = 0; i < f.model->store->slots; i++) {
    const gt_slot *slot = f.model->store->slot[i];
    for (int k = 0; slot->role == GT_STATE && k < slot->count; k++)
      assert_true(((const float *)gt_state_dict_slot(&states, slot))[k] ==
                  (strstr(slot->name, "var") ? 1 : 0));
  }
  gt_state_dict_finish(&states);
  finish(&f);
}

static void frozen_statistics(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    check_frozen(devices[d], "batch_norm", "batch_norm1.*", true);
    check_frozen(devices[d], "{batch_norm: {affine: false}}", "batch_norm1", false);
    check_frozen(devices[d], "{batch_norm: {cumulative: true}}", "*", true);
    check_frozen(devices[d], "{instance_norm: {track_running_stats: true, affine: true}}", "*", true);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_and_gradients),
                                     cmocka_unit_test(running_statistics),
                                     cmocka_unit_test(frozen_statistics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Losses on the CPU backend: values, also with padding rows and weights, derivatives, and errors with
 * positions. */
#include "loss/loss.h"
#include "backend/backend.h"
#include "op/autodiff.h"
#include "op/core.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 4, OUTPUTS = 3 };
static bool mixed;     /* each sample is mixed with another one */
static bool weighted;  /* samples have weights of their own */
static bool item_axis; /* labels are [BATCH, 1]: each is an item */

typedef struct fixture {
  gt_arena arena;
  gt_diagnostics diagnostics;
  gt_graph *graph;
  const gt_loss *loss;
  gt_loss_nodes nodes;
  bool built;
} fixture;

static void build(fixture *f, const char *text, gt_shape prediction, gt_shape targets, gt_dtype dtype,
                  int64_t classes) {
  memset(f, 0, sizeof *f);
  gt_arena_init(&f->arena);
  gt_diagnostics_init(&f->diagnostics, &f->arena);
  f->graph = gt_graph_create(&f->arena);
  gt_spec *root = gt_spec_parse(&f->arena, "config.yaml", text, strlen(text), &f->diagnostics);
  const gt_data_target target = {.classification = dtype == GT_I32};
  f->loss = gt_loss_read(&f->arena, root, &target, &f->diagnostics);
  if (!f->loss) return;
  gt_graph *g = f->graph;
  gt_loss_input input = {
      .prediction = gt_variable_read(g, gt_graph_variable(g, "prediction", prediction, GT_F32, false)),
      .targets = gt_variable_read(g, gt_graph_variable(g, "targets", targets, dtype, false)),
      .weight = gt_variable_read(g, gt_graph_variable(g, "weight", gt_shape_1(BATCH), GT_F32, false)),
      .weighted = weighted,
      .classes = classes,
      .ignores = item_axis,
      .layer = "linear3",
      .at = {.file = "config.yaml", .line = 9, .column = 5, .width = 6}};
  gt_loss_mixture mixture;
  if (mixed) {
    mixture.targets = gt_variable_read(g, gt_graph_variable(g, "others", gt_shape_1(BATCH), GT_I32, false));
    mixture.share = gt_variable_read(g, gt_graph_variable(g, "share", gt_shape_1(BATCH), GT_F32, false));
    input.mixture = &mixture;
  }
  f->built = gt_loss_build(g, f->loss, &input, &f->nodes, &f->diagnostics);
}

static const float prediction[BATCH * OUTPUTS] = {0.5f, -1, 2, 3, 0.25f, -0.5f, -2, 1.5f, 0, 9, 9, 9};
/* Targets. */
static const float bits[BATCH * OUTPUTS] = {1, 0, 1, 0, 0, 1, 1, 1, 0, 5, 5, 5};
static const float not_bits[BATCH * OUTPUTS] = {5, -3, 1, 0.4f, -7, 0.6f, 1, 1, 0.5f, 5, 5, 5};
static const float *target_values = bits; /* the targets in use */
static int32_t labels[BATCH] = {2, 1, 1, 0};
/* Mixtures: the labels of the other samples, and the weights of the labels above. */
static const int32_t others[BATCH] = {0, 1, 2, 0};
static const float share[BATCH] = {0.75f, 0.5f, 0, 1};
static float weight[BATCH] = {1, 1, 1, 0}; /* the last row is padding */

/* Runs the graph and reads the values of the nodes in `keep`. */
static void evaluate(fixture *f, bool labelled, const gt_id *keep, int count, float **got) {
  gt_error error = {0};
  gt_backend *backend = gt_cpu_open(1, &error);
  const gt_plan_options options = {.target = backend->target, .keep = keep, .keep_count = count};
  gt_plan *plan = gt_plan_create(&f->arena, f->graph, &options, &error);
  assert_non_null(plan);
  const void *content[5] = {prediction, labelled ? (const void *)labels : target_values, weight, others,
                            share};
  const size_t size[5] = {sizeof prediction, labelled ? sizeof labels : sizeof bits, sizeof weight,
                          sizeof others, sizeof share};
  const int variables = mixed ? 5 : 3;
  gt_buffer *buffer[5];
  for (int v = 0; v < variables; v++) {
    buffer[v] = backend->api->buffer_create(backend, plan->variable_bytes[v], GT_BUFFER_DEVICE, &error);
    assert_true(backend->api->upload(backend, buffer[v], 0, content[v], size[v], &error));
  }
  gt_executable *executable = backend->api->compile(backend, plan, buffer, &error);
  uint64_t ticket;
  assert_true(backend->api->run(backend, executable, 1, &ticket, &error));
  for (int k = 0; k < count; k++)
    assert_true(backend->api->inspect(backend, executable, &plan->kept[k], got[k], &error));
  backend->api->executable_destroy(backend, executable);
  for (int v = 0; v < variables; v++) backend->api->buffer_destroy(backend, buffer[v]);
  gt_backend_close(backend);
}

/* want: the sum of the losses; want_correct: that of the accuracies, or -1 for a loss without. */
static void check(const char *text, bool labelled, double want, double want_correct) {
  fixture f;
  const gt_shape rows = gt_shape_2(BATCH, OUTPUTS),
                 with_axis = gt_shape_of(3, (int64_t[]){BATCH, 1, OUTPUTS});
  double counted_weight = 0;
  for (int i = 0; i < BATCH; i++) counted_weight += !labelled || labels[i] >= 0 ? (double)weight[i] : 0;
  build(&f, text, item_axis ? with_axis : rows,
        !labelled   ? rows
        : item_axis ? gt_shape_2(BATCH, 1)
                    : gt_shape_1(BATCH),
        labelled ? GT_I32 : GT_F32, labelled ? OUTPUTS : 0);
  if (!f.built) gt_diagnostics_print(&f.diagnostics, stderr);
  assert_true(f.built);
  gt_id keep[4] = {f.nodes.sum[GT_SUM_LOSS], f.nodes.sum[GT_SUM_WEIGHT], f.nodes.mean,
                   f.nodes.sum[GT_SUM_CORRECT]};
  const bool has_correct = keep[3] != GT_NONE;
  float got[4] = {0};
  evaluate(&f, labelled, keep, has_correct ? 4 : 3, (float *[]){&got[0], &got[1], &got[2], &got[3]});
  if (fabs(got[0] - want) > 1e-5) fail_msg("%s: %.9g is not %.9g", text, got[0], want);
  assert_true(got[1] == (float)counted_weight);
  const double divisor = f.loss->type->sums_batch || counted_weight <= 0 ? 1 : counted_weight;
  assert_true(fabs(got[2] - want / divisor) < 1e-5);
  assert_int_equal(has_correct, want_correct >= 0);
  if (has_correct) assert_true(fabs(got[3] - want_correct) < 1e-6);
  gt_arena_finish(&f.arena);
}

/* The sum over the three samples of the mean over their outputs. */
static double sum(double (*each)(double x, double t)) {
  double all = 0;
  for (int i = 0; i < 3 * OUTPUTS; i++) all += each(prediction[i], target_values[i]) / OUTPUTS;
  return all;
}

static double square(double x, double t) { return (x - t) * (x - t); }
static double absolute(double x, double t) { return fabs(x - t); }
static double huber(double x, double t) {
  const double d = fabs(x - t);
  return d < 0.75 ? d * d / 2 : 0.75 * (d - 0.375);
}
static double bce(double x, double t) {
  const double p = 1 / (1 + exp(-x));
  return -t * log(p) - (1 - t) * log(1 - p);
}
static double smooth_bce(double x, double t) { return bce(x, t * 0.8 + 0.1); }
static double sum_squared(double x, double t) { return OUTPUTS * square(x, t); } /* no mean over outputs */
/* Accuracies of an output: of sum_squared, and of bce, whose predictions are logits. */
static double same_side(double x, double t) { return (x > 0.5) == (t > 0.5); }
static double same_bit(double x, double t) { return (x > 0) == (t > 0.5); }

static double cross_entropy(double smoothing) {
  double all = 0;
  for (int i = 0; i < 3; i++) {
    const float *x = prediction + i * OUTPUTS;
    double total = 0;
    if (labels[i] < 0) continue;
    for (int k = 0; k < OUTPUTS; k++) total += exp(x[k]);
    for (int k = 0; k < OUTPUTS; k++)
      all -= ((k == labels[i] ? 1 - smoothing : 0) + smoothing / OUTPUTS) * log(exp(x[k]) / total);
  }
  return all;
}

static void values(void **state) {
  (void)state;
  check("model: x", true, cross_entropy(0), 2);
  check("loss: {type: cross_entropy, label_smoothing: 0.1}", true, cross_entropy(0.1), 2);
  check("model: x", false, sum(square), -1);
  check("loss: mae", false, sum(absolute), -1);
  check("loss: {type: huber, delta: 0.75}", false, sum(huber), -1);
  check("loss: bce", false, sum(bce), sum(same_bit));
  check("loss: {type: bce, label_smoothing: 0.2}", false, sum(smooth_bce), sum(same_bit));
}

/* Labels of -1 do not count; if none counts, the loss is 0. */
static void items(void **state) {
  (void)state;
  item_axis = true;
  check("model: x", true, cross_entropy(0), 2);
  labels[0] = -1;
  check("model: x", true, cross_entropy(0), 1);
  check("loss: {type: cross_entropy, label_smoothing: 0.1}", true, cross_entropy(0.1), 1);
  labels[1] = labels[2] = -1;
  check("model: x", true, 0, 0);
  memcpy(labels, (int32_t[BATCH]){2, 1, 1, 0}, sizeof labels);
  item_axis = false;
}

/* The losses for both labels, weighted by their shares: -Σ t_c log p_c with the mixed target t. */
static double mixed_cross_entropy(void) {
  double all = 0;
  for (int i = 0; i < 3; i++) {
    const float *x = prediction + i * OUTPUTS;
    double total = 0;
    for (int k = 0; k < OUTPUTS; k++) total += exp(x[k]);
    all -= (double)share[i] * log(exp(x[labels[i]]) / total);
    all -= (1 - (double)share[i]) * log(exp(x[others[i]]) / total);
  }
  return all;
}

/* The predicted classes are 2, 0 and 1; their shares in the mixed samples are 3/4, 0 and 0. */
static void mixtures(void **state) {
  (void)state;
  mixed = true;
  check("model: x", true, mixed_cross_entropy(), 0.75);
  mixed = false;
}

/* The accuracy is also defined if targets are not bits. */
static void sums_of_squares(void **state) {
  (void)state;
  check("loss: sum_squared", false, sum(sum_squared), sum(same_side));
  target_values = not_bits;
  check("loss: sum_squared", false, sum(sum_squared), sum(same_side));
  target_values = bits;
}

/* The unweighted mse or cross-entropy of sample i, and its derivative with respect to each output. */
static void mse_of(int i, double *loss, double slope[OUTPUTS]) {
  *loss = 0;
  for (int k = 0; k < OUTPUTS; k++) {
    const double d = (double)prediction[i * OUTPUTS + k] - (double)target_values[i * OUTPUTS + k];
    *loss += d * d / OUTPUTS;
    slope[k] = 2 * d / OUTPUTS;
  }
}

static void cross_entropy_of(int i, double *loss, double slope[OUTPUTS]) {
  const float *x = prediction + i * OUTPUTS;
  double total = 0;
  for (int k = 0; k < OUTPUTS; k++) total += exp((double)x[k]);
  for (int k = 0; k < OUTPUTS; k++) slope[k] = exp((double)x[k]) / total - (k == labels[i]);
  *loss = -log(exp((double)x[labels[i]]) / total);
}

/* The mean is Σ w_i v_i l_i / Σ w_i v_i, where l are PyTorch's unreduced losses, w the weights of samples,
 * and v the weight of the label's class. If all w are 0, the mean and its derivatives are 0. */
static void check_mean(const char *text, bool labelled, void (*sample_loss)(int, double *, double *),
                       const double *v) {
  fixture f;
  double sum_of_losses = 0, sum_of_weights = 0, loss[BATCH], slope[BATCH][OUTPUTS], factor[BATCH];
  build(&f, text, gt_shape_2(BATCH, OUTPUTS), labelled ? gt_shape_1(BATCH) : gt_shape_2(BATCH, OUTPUTS),
        labelled ? GT_I32 : GT_F32, labelled ? OUTPUTS : 0);
  assert_true(f.built);
  gt_id gradient;
  gt_error error = {0};
  const gt_id input = 0; /* the prediction is read first */
  assert_true(gt_autodiff(f.graph, f.nodes.mean, &input, 1, &gradient, &error));
  float mean, got[BATCH * OUTPUTS];
  evaluate(&f, labelled, (gt_id[]){f.nodes.mean, gradient}, 2, (float *[]){&mean, got});
  for (int i = 0; i < BATCH; i++) {
    sample_loss(i, &loss[i], slope[i]);
    factor[i] = (double)weight[i] * (v ? v[labels[i]] : 1);
    sum_of_losses += factor[i] * loss[i];
    sum_of_weights += factor[i];
  }
  if (sum_of_weights <= 0) sum_of_weights = 1;
  assert_true(fabs((double)mean - sum_of_losses / sum_of_weights) < 1e-6);
  for (int i = 0; i < BATCH * OUTPUTS; i++) {
    const double want = factor[i / OUTPUTS] * slope[i / OUTPUTS][i % OUTPUTS] / sum_of_weights;
    if (fabs((double)got[i] - want) > 1e-6) fail_msg("%s: slope %d is %.9g, not %.9g", text, i, got[i], want);
  }
  gt_arena_finish(&f.arena);
}

static void weighted_means(void **state) {
  (void)state;
  static const float weights[][BATCH] = {{0.5f, 0, 3, 1.25f}, {0, 0, 0, 0}}, unweighted[BATCH] = {1, 1, 1, 0};
  static const double class_weights[OUTPUTS] = {2, 0.5, 1};
  weighted = true;
  for (int w = 0; w < 2; w++) {
    memcpy(weight, weights[w], sizeof weight);
    check_mean("loss: mse", false, mse_of, NULL);
    check_mean("loss: cross_entropy", true, cross_entropy_of, NULL);
    check_mean("loss: {type: cross_entropy, class_weights: [2, 0.5, 1]}", true, cross_entropy_of,
               class_weights);
  }
  memcpy(weight, unweighted, sizeof weight);
  weighted = false;
}

static void expect_error(const char *text, gt_shape shape, gt_dtype dtype, int line, const char *message) {
  fixture f;
  build(&f, text, shape, dtype == GT_I32 ? gt_shape_1(BATCH) : gt_shape_2(BATCH, 2), dtype, 10);
  assert_false(f.built);
  assert_int_equal(f.diagnostics.errors, 1);
  const gt_diagnostic *d = &f.diagnostics.items[0];
  if (d->at.line != line || !strstr(d->message, message)) {
    gt_diagnostics_print(&f.diagnostics, stderr);
    fail();
  }
  gt_arena_finish(&f.arena);
}

static void errors(void **state) {
  (void)state;
  expect_error("loss: cross_entropy", gt_shape_2(BATCH, 9), GT_I32, 9,
               "the last layer 'linear3' outputs 9 values per sample; the data has 10 classes");
  expect_error("loss: cross_entropy", gt_shape_of(3, (int64_t[]){BATCH, 2, 5}), GT_I32, 9,
               "one value per class");
  expect_error("loss: mse", gt_shape_2(BATCH, 10), GT_I32, 1, "the data has class labels");
  expect_error("loss: cross_entropy", gt_shape_2(BATCH, 2), GT_F32, 1, "needs class labels");
  expect_error("loss: mse", gt_shape_2(BATCH, 3), GT_F32, 9,
               "outputs 3 values per sample; the data has 2 targets");
  expect_error("loss: cros_entropy", gt_shape_2(BATCH, 10), GT_I32, 1, "unknown loss 'cros_entropy'");
  expect_error("loss: {type: huber, delta: 0}", gt_shape_2(BATCH, 2), GT_F32, 1, "delta");
}

/* gt_loss_regresses_targets is true for losses that train outputs to equal the targets. */
static void fitted_targets(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool classification, fits;
  } cases[] = {{"loss: mse\n", false, true},
               {"loss: mae\n", false, true},
               {"loss: huber\n", false, true},
               {"loss: sum_squared\n", false, true},
               {"loss: bce\n", false, false},
               {"loss: cross_entropy\n", true, false},
               {"loss: {type: pde, residual: u}\n", false, false},
               {"loss: {type: pde, residual: u, targets: 0.5}\n", false, true}};
  enum { CASES = sizeof cases / sizeof *cases };
  for (int i = 0; i < CASES; i++) {
    gt_arena arena;
    gt_diagnostics diagnostics;
    gt_arena_init(&arena);
    gt_diagnostics_init(&diagnostics, &arena);
    const gt_spec *root =
        gt_spec_parse(&arena, "config.yaml", cases[i].text, strlen(cases[i].text), &diagnostics);
    const gt_data_target target = {.classification = cases[i].classification};
    const gt_loss *loss = gt_loss_read(&arena, root, &target, &diagnostics);
    assert_non_null(loss);
    assert_int_equal(gt_loss_regresses_targets(loss), cases[i].fits);
    gt_arena_finish(&arena);
  }
  assert_int_equal(gt_loss_count(), CASES - 1); /* a new loss needs a case; pde has two */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values),         cmocka_unit_test(items),
                                     cmocka_unit_test(mixtures),       cmocka_unit_test(sums_of_squares),
                                     cmocka_unit_test(weighted_means), cmocka_unit_test(fitted_targets),
                                     cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

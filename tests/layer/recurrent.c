/* lstm, gru, rnn, sequence_pool and glu: parameters, initial values and errors; and the lengths of samples in
 * a padded batch, also behind convolutions and other layers that change the number of steps, by comparing
 * each sample with a batch of that sample only, without padding. tests/oracle compares values with PyTorch.
 */
#include "support/layer.h"
#include "op/autodiff.h"
#include "op/elementwise.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/recurrent/recurrent.h"
#include "shaders/op/recurrent/recurrent_gradient.h"
#include "support/pin.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 5, STEPS = 6, FEATURES = 3, MAX_VALUES = 4096 };
static const int32_t lengths[BATCH] = {6, 1, 4, 0, 3};
static const gt_shape padded_shape = {3, {BATCH, STEPS, FEATURES}};
static float x[BATCH * STEPS * FEATURES];

static int fill_input(void **state) {
  uint32_t seed = 3;
  (void)state;
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)layer_random(&seed, -1, 1);
  return 0;
}

static gt_shape shape_of(const layer_fixture *f, gt_id id) { return gt_node_at(f->graph, id)->shape; }

static void expect_shape(const layer_fixture *f, const char *name, int64_t a, int64_t b) {
  const gt_shape shape = shape_of(f, layer_node(f, name));
  assert_int_equal(shape.dim[0], a);
  assert_int_equal(shape.rank == 2 ? shape.dim[1] : 1, b);
}

static void test_parameters(void **state) {
  layer_fixture f;
  (void)state;
  layer_build_good(&f, "{lstm: {hidden_size: 4, num_layers: 2, bidirectional: true, forget_bias: 1}}",
                   padded_shape);
  /* Two directions; in each layer 4 gates of 4 units, with weights of the input and of the hidden state, and
   * two biases. */
  assert_int_equal(f.model->layer[0].parameters, 2 * (16 * (3 + 4 + 2) + 16 * (8 + 4 + 2)));
  expect_shape(&f, "weight_ih_l0", 16, 3);
  expect_shape(&f, "weight_hh_l0_reverse", 16, 4);
  expect_shape(&f, "weight_ih_l1_reverse", 16, 8);
  expect_shape(&f, "bias_hh_l1", 16, 1);
  const float *input = layer_values(&f, "bias_ih_l0"), *hidden = layer_values(&f, "bias_hh_l0");
  for (int u = 0; u < 16; u++) {
    /* Gate 1 is the forget gate; initial biases are at most 1 / sqrt(4) besides forget_bias. */
    assert_true(fabsf(input[u] - (u / 4 == 1)) <= 0.5f);
    assert_true(fabsf(hidden[u]) <= 0.5f);
  }
  const gt_shape shape = shape_of(&f, f.model->output);
  assert_true(shape.rank == 3 && shape.dim[1] == STEPS && shape.dim[2] == 8);
  layer_finish(&f);
}

static const char *const layers[] = {
    "{lstm: {hidden_size: 4, num_layers: 2, bidirectional: true}}",
    "{lstm: {hidden_size: 4, num_layers: 2, bidirectional: true, return: last}}",
    "{gru: {hidden_size: 3, bidirectional: true, return: last}}",
    "{rnn: {hidden_size: 3, num_layers: 2, nonlinearity: relu}}",
    "gru: 4\n  - linear: 3\n  - sequence_pool: mean",
    "lstm: 4\n  - linear: 3\n  - tanh\n  - sequence_pool: max",
    "rnn: 4\n  - layer_norm\n  - sequence_pool: last",
    /* the lengths follow */
    "{conv1d: {out_channels: 4, kernel_size: 3}}\n  - sequence_pool: mean",
    "{conv1d: {out_channels: 4, kernel_size: 2}}\n  - relu\n  - lstm: {hidden_size: 3, bidirectional: true, "
    "return: last}",
    "{conv1d: {out_channels: 4, kernel_size: 4, padding: same}}\n  - tanh\n"
    "  - conv1d: {out_channels: 2, kernel_size: 3, padding: 1}\n  - sequence_pool: max",
    "{conv1d: {out_channels: 4, kernel_size: 3, stride: 2, padding: 2}}\n  - gru: {hidden_size: 3, return: last}",
    "{conv1d: {out_channels: 4, kernel_size: 3, dilation: 2, padding: 3}}\n  - sequence_pool: last",
    "{conv_transpose1d: {out_channels: 4, kernel_size: 3, stride: 2, output_padding: 1}}\n"
    "  - sequence_pool: mean",
    "{conv_transpose1d: {out_channels: 4, kernel_size: 4, stride: 2, padding: 1}}\n  - sequence_pool: last",
    "{pad: {before: [2, 0], after: [0, 0]}}\n  - conv1d: {out_channels: 4, kernel_size: 3}\n"
    "  - sequence_pool: last",
    "{pad: {before: [0, 1], after: [2, 0], value: 0.5}}\n  - rnn: {hidden_size: 3, return: last}",
    "{stride: [2, 1]}\n  - rnn: {hidden_size: 3, return: last}",
    "{reshape: [-1, 3, 1]}\n  - conv2d: {out_channels: 2, kernel_size: 3, padding: 1}\n  - relu\n"
    "  - permute: [1, 3, 2]\n  - max_pool2d: [1, 2]\n  - global_avg_pool",
    "{conv1d: {out_channels: 4, kernel_size: 3, padding: 1}}\n  - global_max_pool: true",
    "linear: 3\n  - global_avg_pool: true",
    /* several inputs: a gate is broadcast over the steps, and causal branches end at the same step */
    "{linear: {units: 3, name: x}}\n  - {global_avg_pool: {keepdim: true}}\n  - {sigmoid: {name: gate}}\n"
    "  - mul: {from: [gate, x]}\n  - sequence_pool: mean",
    "{linear: {units: 3, name: x}}\n  - {global_avg_pool: {keepdim: true}}\n  - {sigmoid: {name: gate}}\n"
    "  - expression: {expression: \"x0 * x1\", from: [x, gate]}\n  - sequence_pool: mean",
    "{pad: {before: [4, 0], after: [0, 0]}}\n  - conv1d: {out_channels: 3, kernel_size: 3}\n"
    "  - conv1d: {out_channels: 3, kernel_size: 3, name: causal}\n  - add: {from: [causal, input]}\n"
    "  - sequence_pool: last",
    "{conv1d: {out_channels: 3, kernel_size: 2}}\n  - conv1d: {out_channels: 3, kernel_size: 2, name: two}\n"
    "  - conv1d: {out_channels: 2, kernel_size: 3, name: one, from: input}\n"
    "  - concatenate: {from: [two, one]}\n  - sequence_pool: mean",
};

/* Runs the layer on this sample only, without padding. No values if no window of the layer fits into it. */
static void run_alone(const char *layer, int sample, float *out, int64_t *values) {
  layer_fixture f;
  const gt_shape shape = {3, {1, lengths[sample], FEATURES}};
  layer_build(&f, layer, shape);
  *values = f.model ? gt_shape_count(shape_of(&f, f.model->output)) : 0;
  if (f.model) layer_run(&f, f.model->output, x + sample * STEPS * FEATURES, out);
  layer_finish(&f);
}

/* The padding of a sample does not change its outputs; the outputs of recurrent layers in the padding, and
 * those of a sample without steps, are 0. */
static void test_lengths(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    layer_fixture f;
    float together[MAX_VALUES], alone[MAX_VALUES];
    layer_build_padded(&f, layers[i], padded_shape, lengths);
    if (!f.model) fail_msg("%s: %s", layers[i], f.diagnostics.items[0].message);
    const gt_shape shape = shape_of(&f, f.model->output);
    const int64_t values_per_sample = gt_shape_count(shape) / BATCH;
    assert_true((f.model->layer[f.model->layers - 1].lengths == GT_NONE) ==
                (shape.rank == 2 || shape.dim[1] == 1));
    layer_run(&f, f.model->output, x, together);
    for (int b = 0; b < BATCH; b++) {
      int64_t values = 0;
      if (lengths[b]) run_alone(layers[i], b, alone, &values);
      for (int64_t k = 0; k < values_per_sample; k++) {
        const float want = k < values ? alone[k] : 0;
        if (fabsf(together[b * values_per_sample + k] - want) > 1e-6f)
          fail_msg("%s, sample %d: value %d is %g, alone %g", layers[i], b, (int)k,
                   (double)together[b * values_per_sample + k], (double)want);
      }
    }
    layer_finish(&f);
  }
}

/* The gradient of the first weight does not depend on the padding either. */
static void test_gradient_of_padded(void **state) {
  float gradient[2][MAX_VALUES], changed[BATCH * STEPS * FEATURES];
  (void)state;
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < STEPS * FEATURES; k++)
      changed[b * STEPS * FEATURES + k] = x[b * STEPS * FEATURES + k] + 7 * (k / FEATURES >= lengths[b]);
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    layer_fixture f;
    gt_error error = {0};
    layer_build_padded(&f, layers[i], padded_shape, lengths);
    const gt_id y = f.model->output, weight = f.model->node[0];
    const gt_id loss = gt_sum(f.graph, gt_mul(f.graph, y, y), 0, false);
    gt_id wanted;
    assert_true(gt_autodiff(f.graph, loss, &weight, 1, &wanted, &error));
    const int64_t count = gt_shape_count(shape_of(&f, wanted));
    for (int k = 0; k < 2; k++) layer_run(&f, wanted, k ? changed : x, gradient[k]);
    for (int64_t k = 0; k < count; k++)
      if (gradient[0][k] != gradient[1][k]) fail_msg("%s: gradient %d differs", layers[i], (int)k);
    layer_finish(&f);
  }
}

/* Finds the step of the plan with this kernel. Returns the arena offset of the buffer whose address is at
 * byte `argument` of the argument struct. */
static uint64_t offset_of(const gt_plan *plan, const char *kernel, size_t argument) {
  for (uint32_t s = 0; s < plan->steps; s++)
    for (int i = 0; i < plan->step[s].accesses; i++)
      if (!strcmp(plan->step[s].kernel->name, kernel) && plan->step[s].access[i].argument == argument)
        return plan->step[s].access[i].offset;
  fail_msg("no step %s with an argument at %zu", kernel, argument);
  return 0;
}

/* Computed in place: `saved` uses the memory of `gates`, and `d_gates` that of `saved`. */
static void pin_gates_in_place(void **state) {
  layer_fixture f;
  gt_error error = {0};
  gt_id wanted;
  const char *forward = "recurrent_alone", *backward = "recurrent_alone_gradient";
  (void)state;
  layer_build_good(&f, "{lstm: {hidden_size: 4, return: last}}", padded_shape);
  const gt_id weight = layer_node(&f, "weight_ih_l0"), loss = gt_sum(f.graph, f.model->output, 0, false);
  assert_true(gt_autodiff(f.graph, loss, &weight, 1, &wanted, &error));
  const gt_plan_options options = {.keep = &wanted, .keep_count = 1};
  const gt_plan *plan = gt_plan_create(&f.arena, f.graph, &options, &error);
  assert_non_null(plan);
  const uint64_t gates = offset_of(plan, forward, offsetof(struct gt_recurrent_args, gates));
  assert_int_equal(offset_of(plan, forward, offsetof(struct gt_recurrent_args, saved)), gates);
  assert_int_equal(offset_of(plan, backward, offsetof(struct gt_recurrent_gradient_args, saved)), gates);
  assert_int_equal(offset_of(plan, backward, offsetof(struct gt_recurrent_gradient_args, d_gates)), gates);
  layer_finish(&f);
}

/* A slice of the steps: each sample has those of its steps that lie in it. */
static void test_slice(void **state) {
  layer_fixture f;
  float mean[BATCH * FEATURES];
  (void)state;
  layer_build_padded(&f, "{shrink: {start: [1, 0], stop: [5, 3]}}\n  - sequence_pool: mean", padded_shape,
                     lengths);
  assert_non_null(f.model);
  layer_run(&f, f.model->output, x, mean);
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < FEATURES; k++) {
      const int end = lengths[b] < 5 ? lengths[b] : 5;
      float sum = 0;
      for (int t = 1; t < end; t++) sum += x[(b * STEPS + t) * FEATURES + k];
      assert_true(fabsf(mean[b * FEATURES + k] - (end > 1 ? sum / (float)(end - 1) : 0)) < 1e-6f);
    }
  layer_finish(&f);
}

/* The first steps of each sample: a sample that is longer has all of them. */
static void test_first_steps(void **state) {
  layer_fixture f;
  float mean[BATCH * FEATURES];
  (void)state;
  layer_build_padded(&f, "{shrink: {stop: [2, 3]}}\n  - sequence_pool: mean", padded_shape, lengths);
  assert_non_null(f.model);
  layer_run(&f, f.model->output, x, mean);
  const float want = (x[0] + x[FEATURES]) / 2; /* sample 0 has 6 steps */
  assert_true(fabsf(mean[0] - want) < 1e-6f);
  layer_finish(&f);
}

/* Samples have no lengths after a layer that moves or removes axis 1, or pools over it. Norms and pools that
 * would include padding are errors, and so are layers that go step by step behind the end of the lengths. */
static void test_where_lengths_end(void **state) {
  static const struct {
    const char *layer;
    bool keeps;          /* the samples still have lengths after the first layer */
    const char *message; /* part of the error; NULL: none */
    const char *hint;
  } rows[] = {
      {"linear: 4", true, NULL, NULL},
      {"relu", true, NULL, NULL},
      {"{conv1d: {out_channels: 2, kernel_size: 3, padding: 1}}", true, NULL, NULL},
      {"{conv1d: {out_channels: 2, kernel_size: 3}}", true, NULL, NULL},
      {"{avg_pool1d: 1}", true, NULL, NULL},
      {"flatten", false, NULL, NULL},
      {"{reshape: [6, 3]}", true, NULL, NULL},
      {"{reshape: [3, 6]}", false, NULL, NULL},
      {"{permute: [2, 1]}", false, NULL, NULL},
      {"{lstm: 6}", true, NULL, NULL},
      {"{lstm: {hidden_size: 6, return: last}}", false, NULL, NULL},
      {"{global_avg_pool: true}\n  - lstm: 6", false, NULL, NULL},
      {"flatten\n  - linear: 6\n  - {reshape: [2, 3]}\n  - lstm: 6", false, NULL, NULL},
      {"layer_norm", true, NULL, NULL},
      {"batch_norm", false, "batch_norm1' would count the padding of 'input' [5, 6, 3]", "layer_norm"},
      {"{group_norm: 3}", false, "would count the padding", "layer_norm"},
      {"instance_norm", false, "would count the padding", "layer_norm"},
      {"{layer_norm: 2}", false, "would count the padding", "layer_norm"},
      {"{avg_pool1d: {kernel_size: 3, stride: 1, padding: 1}}", false, "would count the padding",
       "`sequence_pool: mean`"},
      {"{max_pool1d: 2}", false, "would count the padding", "`sequence_pool: max`"},
      {"{adaptive_avg_pool: 2}", false, "would count the padding", "`sequence_pool: mean`"},
      {"{adaptive_max_pool: 1}", false, "would count the padding", "`sequence_pool: max`"},
      {"{conv1d: {out_channels: 2, kernel_size: 3}}\n  - {max_pool1d: 4}", true,
       "would count the padding of 'conv1d1' [5, 4, 2]", "`sequence_pool: max`"},
      {"{reshape: [3, 6]}\n  - tanh\n  - lstm: 6", false,
       "lstm1' would read the padding of 'tanh1' [5, 3, 6]: its samples had lengths of their own, which end at "
       "layer 'reshape1'",
       "no 'reshape1' before it"},
      {"{permute: [2, 1]}\n  - {sequence_pool: mean}", false, "would read the padding", "no 'permute1'"},
      {"{permute: [2, 1]}\n  - global_max_pool", false, "would read the padding", "no 'permute1'"},
      {"flatten\n  - {reshape: [3, 6]}\n  - lstm: 6", false, "end at layer 'flatten1'", "no 'flatten1'"},
      {"{upsample: 2}\n  - lstm: 6", false, "end at layer 'upsample1'", "no 'upsample1'"},
      {"{concatenate: {from: [input, input], axis: 1}}\n  - lstm: 6", false, "end at layer 'concatenate1'",
       "no 'concatenate1'"},
      {"{permute: [2, 1]}\n  - {permute: {axes: [2, 1], name: mixed}}\n  - add: {from: [input, mixed]}\n"
       "  - lstm: 6",
       false, "end at layer 'permute1'", "no 'permute1'"},
      {"{pad: {before: [0, 0], after: [2, 0], name: late}}\n  - {shrink: {start: [2, 0], stop: [8, 3]}}\n"
       "  - {shrink: {start: [1, 0], stop: [6, 3], name: early}}\n"
       "  - {shrink: {stop: [5, 3], name: first, from: input}}\n  - add: {from: [first, early]}",
       true, "add1' would join 'first' [5, 5, 3] and 'early' [5, 5, 3], whose samples have different lengths",
       "`sequence_pool` behind each"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    layer_fixture f;
    layer_build_padded(&f, rows[i].layer, padded_shape, lengths);
    if ((f.model == NULL) != (rows[i].message != NULL))
      fail_msg("%s: built: %d", rows[i].layer, f.model != NULL);
    if (f.model && (f.model->layer[0].lengths != GT_NONE) != rows[i].keeps)
      fail_msg("%s: lengths kept: %d", rows[i].layer, f.model->layer[0].lengths != GT_NONE);
    const gt_diagnostic *d = f.model ? NULL : &f.diagnostics.items[0];
    if (d && (!strstr(d->message, rows[i].message) || !strstr(d->expected, rows[i].hint)))
      fail_msg("%s: %s (%s)", rows[i].layer, d->message, d->expected);
    layer_finish(&f);
  }
}

static void expect_error(const char *layer, gt_shape shape, const char *text, const char *expected) {
  layer_fixture f;
  layer_build(&f, layer, shape);
  assert_null(f.model);
  assert_non_null(strstr(f.diagnostics.items[0].message, text));
  if (expected) assert_non_null(strstr(f.diagnostics.items[0].expected, expected));
  layer_finish(&f);
}

static void test_errors(void **state) {
  (void)state;
  expect_error("lstm: 4", gt_shape_2(5, 12),
               "needs a sequence [batch, steps, features]; its input is 'input'", "`reshape: [28, 28]`");
  expect_error("{gru: 4}", (gt_shape){4, {2, 4, 4, 1}}, "needs a sequence", "embedding");
  expect_error("sequence_pool: last", gt_shape_2(5, 12), "needs a sequence", NULL);
  expect_error("{lstm: {hidden_size: 4, bias: false, forget_bias: 1}}", padded_shape, "forget_bias", NULL);
  expect_error("glu", padded_shape, "must be even", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_gradient_of_padded),
      cmocka_unit_test(test_slice),
      cmocka_unit_test(test_first_steps),
      cmocka_unit_test(test_where_lengths_end),
      cmocka_unit_test(test_errors),
      pin_test(pin_gates_in_place),
  };
  return cmocka_run_group_tests(tests, fill_input, NULL);
}

/* Models as graphs: names, inputs of layers, shapes, layout of the parameters, initial values, and config
 * errors with their positions. */
#include "model_support.h"
#include <math.h>

static void names_and_shapes(void **state) {
  (void)state;
  fixture f;
  build(&f,
        "model:\n"
        "  - linear: 8\n"
        "  - relu\n"
        "  - linear: {units: 6, name: skip, from: input}\n"
        "  - linear: {units: 6, from: relu1}\n"
        "  - add: {from: [skip, linear2]}\n"
        "  - concatenate: {from: [add1, relu1]}\n"
        "  - reshape: [7, -1]\n"
        "  - permute: [2, 1]\n"
        "  - pad: {before: [0, 1], after: [0, 2], value: 1}\n"
        "  - shrink: {stop: [2, 4]}\n"
        "  - stride: [1, 2]\n"
        "  - flatten\n"
        "  - expression: \"x*x + 2*sin(x)\"\n"
        "  - softmax\n",
        gt_shape_2(5, 3), false);
  assert_built(&f);
  static const char *const want[][2] = {
      {"linear1", "[5, 8]"},     {"relu1", "[5, 8]"},       {"skip", "[5, 6]"},
      {"linear2", "[5, 6]"},     {"add1", "[5, 6]"},        {"concatenate1", "[5, 14]"},
      {"reshape1", "[5, 7, 2]"}, {"permute1", "[5, 2, 7]"}, {"pad1", "[5, 2, 10]"},
      {"shrink1", "[5, 2, 4]"},  {"stride1", "[5, 2, 2]"},  {"flatten1", "[5, 4]"},
      {"expression1", "[5, 4]"}, {"softmax1", "[5, 4]"}};
  assert_int_equal(f.model->layers, sizeof want / sizeof *want);
  for (int i = 0; i < f.model->layers; i++) {
    assert_string_equal(f.model->layer[i].name, want[i][0]);
    assert_shape(f.model->layer[i].output, want[i][1]);
  }
  assert_int_equal(f.model->layer[0].parameters, 3 * 8 + 8);
  assert_int_equal(f.model->layer[2].parameters, 3 * 6 + 6);
  assert_string_equal(f.model->layer[4].input[1], "linear2");
  assert_string_equal(gt_node_at(f.graph, f.model->layer[3].node)->scope, "linear2");
  assert_int_equal(f.model->output, f.model->layer[f.model->layers - 1].node);
  assert_int_equal(f.diagnostics.count, 0);
  finish(&f);
}

static void dropout_only_in_training(void **state) {
  (void)state;
  fixture f;
  build(&f, "model: [{linear: 4}, {dropout: 0.25}]", gt_shape_2(5, 3), false);
  assert_built(&f);
  assert_int_equal(f.model->layer[0].node, f.model->layer[1].node);
  const gt_store *evaluation = f.model->store;
  fixture g;
  build(&g, "model: [{linear: 4}, {dropout: 0.25}]", gt_shape_2(5, 3), true);
  assert_built(&g);
  assert_int_not_equal(g.model->layer[0].node, g.model->layer[1].node);
  assert_int_equal(evaluation->total, g.model->store->total);
  finish(&g);
  finish(&f);
}

static void layout(void **state) {
  (void)state;
  fixture f;
  build(
      &f,
      "optimizer:\n  type: adam\n  parameters: [{match: \"head.*\", frozen: true}, {match: \"*.bias\", lr: 0.5}]\n"
      "model:\n"
      "  - linear: {units: 3, name: body}\n"
      "  - linear: {units: 5}\n"
      "  - linear: {units: 1, name: head}\n",
      gt_shape_2(5, 3), true);
  assert_built(&f);
  const gt_store *p = f.model->store;
  assert_int_equal(p->parameters, 6);
  assert_string_equal(p->slot[0]->name, "body.weight");
  assert_string_equal(p->slot[5]->name, "head.bias");
  /* Each size is rounded up to a multiple of 4. Group 0: body.weight (9) and linear1.weight (15); group 2,
   * *.bias: 3 and 5; then group 1, the frozen head: 5 and 1. */
  assert_int_equal(gt_store_find(p, "body.weight")->offset, 0);
  assert_int_equal(gt_store_find(p, "linear1.weight")->offset, 12);
  assert_int_equal(p->group[0].count, 28);
  assert_int_equal(gt_store_find(p, "body.bias")->offset, 28);
  assert_int_equal(gt_store_find(p, "linear1.bias")->offset, 32);
  assert_int_equal(p->group[2].offset, 28);
  assert_int_equal(p->group[2].count, 12);
  assert_int_equal(p->trainable, 40);
  assert_int_equal(gt_store_find(p, "head.weight")->offset, 40);
  assert_int_equal(p->total, 52);
  assert_int_equal(p->values, 9 + 3 + 15 + 5 + 5 + 1);
  assert_int_equal(p->trainable_values, 9 + 3 + 15 + 5);
  assert_true(p->group[1].frozen);
  assert_true(f.optim->group[2].config->lr == 0.5 && f.optim->group[0].config->lr == 0.001);
  finish(&f);
}

/* Only parameters whose size is not a multiple of 4 are followed by a gap; they are the last ones. */
static void aligned_parameters_leave_no_gaps(void **state) {
  (void)state;
  fixture f;
  build(&f, "model: [{linear: 512}, relu, {linear: 10}]", gt_shape_2(5, 784), true);
  assert_built(&f);
  const gt_store *p = f.model->store;
  assert_int_equal(p->values, 784 * 512 + 512 + 5120 + 10);
  assert_int_equal(p->total, p->values + 2); /* linear2.bias ends with a gap: 10 is rounded up to 12 */
  assert_string_equal(p->parameter[3]->name, "linear2.bias");
  finish(&f);
}

static void statistics(const float *x, int64_t n, double *mean, double *deviation, double *largest) {
  double sum = 0, squares = 0;
  *largest = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += x[i], squares += (double)x[i] * x[i];
    if (fabsf(x[i]) > *largest) *largest = fabsf(x[i]);
  }
  *mean = sum / (double)n;
  *deviation = sqrt(squares / (double)n - *mean * *mean);
}

/* bound: all values are within ±bound; 0: they are drawn from a normal distribution. */
static void check_initial_values(const char *init, double want_deviation, double bound) {
  fixture f;
  char text[256];
  snprintf(text, sizeof text, "model: [{linear: {units: 300, bias: false%s}}]", init);
  build(&f, text, gt_shape_2(2, 400), false);
  assert_built(&f);
  gt_state_dict start, same, other;
  gt_state_dict_init(&start, f.model->store, GT_WEIGHT_ROLES, 7);
  gt_state_dict_init(&same, f.model->store, GT_WEIGHT_ROLES, 7);
  gt_state_dict_init(&other, f.model->store, GT_WEIGHT_ROLES, 8);
  const float *flat = start.variable[0];
  assert_memory_equal(flat, same.variable[0], sizeof *flat * 120000);
  assert_int_not_equal(memcmp(flat, other.variable[0], sizeof *flat * 120000), 0);
  double mean, deviation, largest;
  statistics(flat, 120000, &mean, &deviation, &largest);
  assert_true(fabs(mean) < 0.01 * want_deviation);
  assert_true(fabs(deviation / want_deviation - 1) < 0.01);
  if (bound > 0)
    assert_true(largest <= bound && largest > 0.99 * bound);
  else
    assert_true(largest > 4 * want_deviation && largest < 6.5 * want_deviation);
  gt_state_dict_finish(&start);
  gt_state_dict_finish(&same);
  gt_state_dict_finish(&other);
  finish(&f);
}

static void initial_values(void **state) {
  (void)state;
  const double uniform_std = 1 / sqrt(3.0);           /* of a uniform distribution from -1 to 1 */
  check_initial_values("", 0.05 * uniform_std, 0.05); /* 1 / sqrt(400) */
  check_initial_values(", init: {type: uniform, low: -2, high: 2}", 2 * uniform_std, 2);
  check_initial_values(", init: {type: normal, std: 3}", 3, 0);
  check_initial_values(", init: xavier_uniform", sqrt(2.0 / 700), sqrt(6.0 / 700));
  check_initial_values(", init: {type: xavier_normal, gain: 2}", 2 * sqrt(2.0 / 700), 0);
  check_initial_values(", init: kaiming_uniform", sqrt(2.0 / 400), sqrt(6.0 / 400));
  check_initial_values(", init: {type: kaiming_normal, mode: fan_out, nonlinearity: tanh}",
                       5.0 / 3 / sqrt(300.0), 0);
}

static void constant_values(void **state) {
  (void)state;
  fixture f;
  build(&f, "model: [{linear: {units: 1, init: ones, bias_init: {type: constant, value: 2.5}}}]",
        gt_shape_2(2, 3), false);
  assert_built(&f);
  gt_state_dict start;
  assert_int_equal(f.model->store->total, 8);
  gt_state_dict_init(&start, f.model->store, GT_WEIGHT_ROLES, 7);
  const float want[8] = {1, 1, 1, 0, 2.5f, 0, 0, 0}; /* each parameter is padded to four values */
  assert_memory_equal(start.variable[0], want, sizeof want);
  gt_state_dict_finish(&start);
  finish(&f);
}

static void config_errors(void **state) {
  (void)state;
  static const mistake list[] = {
      {"model: [liner: 3]\n", 1, 9, "unknown layer 'liner'", "linear"},
      {"model:\n  - linear: {unitz: 10}\n", 2, 14, "unknown key 'unitz'", "units"},
      {"model:\n  - linear: 64\n  - linear: {units: 32, from: linear11}\n", 3, 31, "reads 'linear11'", ""},
      {"model:\n  - relu: {from: relu2}\n  - relu\n", 2, 18, "comes after it", NULL},
      {"model:\n  - linear: {units: 4, name: a}\n  - linear: {units: 4, name: a}\n", 3, 30, "is already used",
       NULL},
      {"model:\n  - linear: {units: 4, name: a.b}\n", 2, 30, "cannot be the name", NULL},
      {"model:\n  - linear: {units: 4, name: a}\n  - linear: {units: 5, name: b}\n  - add: {from: [a, b]}\n",
       4, 17, "layer 'add1' cannot add 'a' [5, 4] and 'b' [5, 5]: 4 against 5 in the last axis", NULL},
      {"model:\n  - add\n", 2, 5, "needs at least 2 inputs", NULL},
      {"model:\n  - relu: {from: [input, input]}\n", 2, 18, "takes only 1", NULL},
      {"model:\n  - expression: \"x*x + y\"\n", 2, 24, "unknown name 'y'", NULL},
      {"model:\n  - expression: \"sine(x)\"\n", 2, 18, "unknown function 'sine'", "sin"},
      {"model:\n  - reshape: [4, 5]\n", 2, 14,
       "cannot reshape 'input' [5, 3], 3 values per sample, to [4, 5]", NULL},
      {"model:\n  - softmax: {axis: 0}\n", 2, 21, "is the batch", NULL},
      {"model:\n  - linear: 10\n    name: head\n", 3, 5, "a layer is one entry", NULL},
      {"model:\n  - linear: {units: 10, bias_init: xavier_normal}\n", 2, 36, "at least 2 axes", NULL},
      {"model:\n  - linear: {units: 10, init: kaiming}\n", 2, 31, "unknown init 'kaiming'", NULL},
      {"model:\n  - linear: 4\noptimizer: {type: sgd, parameters: [{match: liner1.*, lr: 1}]}\n", 3, 45,
       "no parameter is called 'liner1.*'", "linear1.*"},
      {"optimizer: adamm\nmodel: [linear: 4]\n", 1, 12, "unknown optimizer 'adamm'", "adam"},
      {"optimizer: {type: sgd, nesterov: true}\nmodel: [linear: 4]\n", 1, 12, "nesterov needs a momentum",
       NULL},
      {"model:\n  - pad: [16777216]\n  - linear: 16777216\n", 3, 5, "'linear1.weight' would have the shape",
       NULL},
      {"model:\n  - linear: 1000000\n  - linear: 1000000\n", 3, 5,
       "'linear2.weight' would have the shape [1000000, 1000000]", NULL},
      {"model:\n  - linear: 100000\n  - linear: 15000\n  - linear: 100000\n  - linear: 9\n", 4, 5,
       "with 'linear3.weight' the model has too many parameters", NULL},
      {"schedule: {type: cosine, warmupp: 5}\nmodel: [linear: 4]\n", 1, 26, "unknown key 'warmupp'",
       "warmup"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) check_mistake(&list[i]);
}

static void all_errors_in_one_pass(void **state) {
  (void)state;
  fixture f;
  build(&f,
        "optimizer: {type: sdg}\n"
        "model:\n"
        "  - liner: 3\n"
        "  - linear: {units: 0}\n"
        "  - linear: {units: 3, from: inptu}\n",
        gt_shape_2(5, 3), true);
  assert_null(f.model);
  assert_int_equal(f.diagnostics.errors, 4);
  finish(&f);
}

static void unused_layer_is_a_warning(void **state) {
  (void)state;
  fixture f;
  build(&f, "model:\n  - linear: 3\n  - linear: {units: 3, from: input}\n", gt_shape_2(5, 3), true);
  assert_built(&f);
  assert_int_equal(f.diagnostics.errors, 0);
  assert_int_equal(f.diagnostics.count, 1);
  assert_int_equal(f.diagnostics.items[0].at.line, 2);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_shapes),
      cmocka_unit_test(dropout_only_in_training),
      cmocka_unit_test(layout),
      cmocka_unit_test(aligned_parameters_leave_no_gaps),
      cmocka_unit_test(initial_values),
      cmocka_unit_test(constant_values),
      cmocka_unit_test(config_errors),
      cmocka_unit_test(all_errors_in_one_pass),
      cmocka_unit_test(unused_layer_is_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

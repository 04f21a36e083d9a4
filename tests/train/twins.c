/* Twins in checkpoints: each finds its parameter again, whatever the groups, from tensors by name and from
 * the flat form of older versions. */
#include "train/twins.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PARAMETERS = 3, MOST = 32 };

static char path[4096];
static gt_arena arena;
static const struct {
  const char *name;
  gt_shape shape;
} table[PARAMETERS] = {{"a.weight", {1, {5}}}, {"b.weight", {2, {2, 2}}}, {"c.bias", {1, {3}}}};
static const gt_training_variable moment = {.name = "optimizer.exp_avg", .twin = true};

static double value_of(int parameter, int64_t i) { return 10 * (parameter + 1) + (double)i; }

static gt_parameters lay(const char *optimizer) {
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, &arena);
  const gt_spec *root = gt_spec_parse(&arena, "config", optimizer, strlen(optimizer), &diagnostics);
  const gt_optim *optim = gt_optim_read(&arena, root, &diagnostics);
  assert_non_null(optim);
  gt_parameters parameters = {.item = GT_NEW_N(&arena, gt_parameter, PARAMETERS), .count = PARAMETERS};
  for (int i = 0; i < PARAMETERS; i++)
    parameters.item[i] = (gt_parameter){
        .name = table[i].name, .shape = table[i].shape, .count = gt_shape_count(table[i].shape)};
  gt_parameters_layout(&parameters, optim, &arena);
  return parameters;
}

static void fill(const gt_parameters *parameters, float *flat, double factor) {
  memset(flat, 0, MOST * sizeof *flat);
  for (int i = 0; i < PARAMETERS; i++)
    for (int64_t k = 0; k < parameters->item[i].count; k++)
      flat[parameters->item[i].offset + k] = (float)(factor * value_of(i, k));
}

static gt_training_variable variable(const gt_parameters *parameters, gt_start start) {
  gt_training_variable v = moment;
  v.count = parameters->trainable;
  v.start = start;
  return v;
}

/* A checkpoint of that optimizer: by name, or as one flat tensor of so many values. */
static void save(const char *optimizer, int64_t flat_count) {
  gt_stored tensors[4 * PARAMETERS];
  float weights[MOST], moments[MOST];
  gt_error error = {0};
  int count = 0;
  const gt_parameters parameters = lay(optimizer);
  fill(&parameters, weights, 1);
  fill(&parameters, moments, 100);
  for (int i = 0; i < PARAMETERS; i++)
    tensors[count++] = (gt_stored){parameters.item[i].name, GT_F32, parameters.item[i].shape,
                                   weights + parameters.item[i].offset};
  const gt_training_variable v = variable(&parameters, GT_START_ZERO);
  if (flat_count)
    tensors[count++] = (gt_stored){"state.optimizer.exp_avg", GT_F32,
                                   gt_shape_1(flat_count < 0 ? v.count : flat_count), moments};
  else
    count += gt_twins_as_tensors(&arena, &parameters, &v, moments, tensors + count);
  const gt_metadata config = {"config", optimizer};
  assert_true(gt_safetensors_write(path, tensors, count, &config, 1, &error));
}

/* Loads it for another optimizer: a digit for each parameter, 1 if it has its moments, 0 if it begins anew;
 * "-" if it is refused. */
static const char *load(const char *optimizer, gt_start start) {
  static char text[PARAMETERS + 1];
  float weights[MOST], values[MOST];
  gt_container file;
  gt_error error = {0};
  const gt_parameters parameters = lay(optimizer);
  const gt_training_variable v = variable(&parameters, start);
  fill(&parameters, weights, 1);
  assert_true(gt_safetensors_read(path, &file, &error));
  const bool ok = gt_twins_from_container(&file, path, &parameters, &v, weights, values, &error);
  gt_container_finish(&file);
  if (!ok) {
    assert_int_equal(error.status, GT_ERR_DATA);
    return "-";
  }
  int64_t used = 0;
  for (int i = 0; i < PARAMETERS; i++) {
    const gt_parameter *p = &parameters.item[i];
    const bool frozen = p->offset >= parameters.trainable;
    const double begin = start == GT_START_PARAMETERS ? 1 : 0;
    text[i] = frozen ? '.' : values[p->offset] == (float)(100 * value_of(i, 0)) ? '1' : '0';
    for (int64_t k = 0; k < p->count && !frozen; k++)
      assert_true(values[p->offset + k] == (float)((text[i] == '1' ? 100 : begin) * value_of(i, k)));
    for (int64_t k = 0; k < p->count && !frozen; k++) values[p->offset + k] = 0, used++;
  }
  for (int64_t k = 0; k < v.count; k++) assert_true(values[k] == 0); /* gaps */
  assert_true(used > 0);
  return text;
}

static const char plain[] = "optimizer: adam\n";
static const char *const groups[] = {
    plain, "optimizer: {type: adam, parameters: [{match: \"b.*\", lr: 0.5}]}\n",
    "optimizer: {type: adam, parameters: [{match: \"c.*\", lr: 0.1}, {match: \"a.*\", lr: 0.5}]}\n",
    "optimizer: {type: adamw, parameters: [{match: \"*.bias\", weight_decay: 0}]}\n"};
static const char freezes[] = "optimizer: {type: adam, parameters: [{match: \"a.*\", frozen: true}]}\n";

static void moments_follow_their_parameters(void **unused) {
  (void)unused;
  for (int form = 0; form < 2; form++)
    for (size_t from = 0; from < sizeof groups / sizeof *groups; from++) {
      save(groups[from], -form);
      for (size_t to = 0; to < sizeof groups / sizeof *groups; to++)
        assert_string_equal(load(groups[to], GT_START_ZERO), "111");
      assert_string_equal(load(freezes, GT_START_ZERO), ".11");
    }
}

static void what_was_frozen_begins_anew(void **unused) {
  (void)unused;
  for (int form = 0; form < 2; form++) {
    save(freezes, -form);
    for (size_t to = 0; to < sizeof groups / sizeof *groups; to++) {
      assert_string_equal(load(groups[to], GT_START_ZERO), "011");
      assert_string_equal(load(groups[to], GT_START_PARAMETERS), "011");
    }
    assert_string_equal(load(freezes, GT_START_ZERO), ".11");
  }
}

static void what_does_not_fit_is_refused(void **unused) {
  (void)unused;
  save(plain, 15);
  assert_string_equal(load(plain, GT_START_ZERO), "-");
  save(freezes, 16); /* as long as what all would take, but it covers two */
  assert_string_equal(load(plain, GT_START_ZERO), "-");
  gt_error error = {0};
  const float values[5] = {0};
  const gt_metadata config = {"config", "optimizer: no_such_optimizer\n"};
  const gt_stored unreadable[] = {{"a.weight", GT_F32, {1, {5}}, values},
                                  {"state.optimizer.exp_avg", GT_F32, {1, {5}}, values}};
  assert_true(gt_safetensors_write(path, unreadable, 2, &config, 1, &error));
  assert_string_equal(load(plain, GT_START_ZERO), "-");
  assert_true(gt_safetensors_write(path, unreadable, 1, &config, 1, &error)); /* none at all */
  assert_string_equal(load(plain, GT_START_ZERO), "-");
  const gt_stored another = {"optimizer.exp_avg/a.weight", GT_F32, {1, {4}}, values};
  assert_true(gt_safetensors_write(path, &another, 1, &config, 1, &error));
  assert_string_equal(load(plain, GT_START_ZERO), "-");
}

int main(void) {
  const char *folder = getenv("TEST_TMP");
  snprintf(path, sizeof path, "%s/twins-%ld", folder ? folder : "/tmp", (long)getpid());
  gt_arena_init(&arena);
  const struct CMUnitTest tests[] = {cmocka_unit_test(moments_follow_their_parameters),
                                     cmocka_unit_test(what_was_frozen_begins_anew),
                                     cmocka_unit_test(what_does_not_fit_is_refused)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  gt_arena_finish(&arena);
  return failed;
}

/* model.bin: the scaling of inputs and targets is restored, also from files of older versions, which had no
 * centers; impossible numbers, and a signature that does not match the tensors, are errors. */
#include "train/eval/model_use.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[4096];
static const float center[2] = {1, 2}, scale[2] = {3, 4}, shift[2] = {5, 6};

/* Writes a model file with these tensors and reads it to *file. False if it is rejected. */
static bool try_format(const char *format, const char *signature, const gt_stored *tensors, int count,
                       gt_model_file *file) {
  const gt_metadata metadata[] = {{"format", format}, {"config", "seed: 1\n"}, {"signature", signature}};
  gt_error error = {0};
  assert_true(gt_safetensors_write(path, tensors, count, metadata, 3, &error));
  const bool ok = gt_model_file_read(file, path, &error);
  assert_int_equal(error.status, ok ? GT_OK : GT_ERR_DATA);
  return ok;
}

static bool try_model(const char *signature, const gt_stored *tensors, int count, gt_model_file *file) {
  return try_format(GT_MODEL_FORMAT, signature, tensors, count, file);
}

#define SIGNATURE "{\"input_shape\": [2], \"input_dtype\": \"f32\", \"classes\": 0}"

static bool try_tensors(const gt_stored *tensors, int count, gt_model_file *file) {
  return try_model(SIGNATURE, tensors, count, file);
}

static void reads_old_files(void **unused) {
  (void)unused;
  gt_model_file file;
  const gt_stored old[] = {{"data.scale", GT_F32, {1, {2}}, scale}, {"data.shift", GT_F32, {1, {2}}, shift}};
  static const float expected[6] = {0, 0, 3, 4, 5, 6}; /* centers, scales, offsets */
  assert_true(try_tensors(old, 2, &file));
  assert_int_equal(file.signature.input[0].scaling.count, 2);
  assert_memory_equal(file.signature.input[0].scaling.values, expected, sizeof expected);
  gt_model_file_finish(&file);
  assert_true(try_tensors(old, 0, &file));
  assert_int_equal(file.signature.input[0].scaling.count, 0);
  gt_model_file_finish(&file);
  assert_false(try_tensors(old, 1, &file));
  assert_false(try_tensors(old + 1, 1, &file));
  /* Class names were once stored in the Unicode normalization form of the data. */
  assert_true(try_model("{\"input_shape\": [2], \"input_dtype\": \"f32\", \"classes\": 2, "
                        "\"class_names\": [\"cafe\u0301\", \"tea\"]}",
                        old, 0, &file));
  assert_string_equal(file.signature.target[0].class_names[0], "caf\u00e9");
  assert_string_equal(file.signature.target[0].class_names[1], "tea");
  gt_model_file_finish(&file);
}

static void reads_centers(void **unused) {
  (void)unused;
  gt_model_file file;
  gt_stored tensors[] = {{"data.scale", GT_F32, {1, {2}}, scale},
                         {"data.offset", GT_F32, {1, {2}}, shift},
                         {"data.center", GT_F32, {1, {2}}, center}};
  static const float expected[6] = {1, 2, 3, 4, 5, 6}; /* centers, scales, offsets */
  assert_true(try_tensors(tensors, 3, &file));
  assert_memory_equal(file.signature.input[0].scaling.values, expected, sizeof expected);
  gt_model_file_finish(&file);
  assert_false(try_tensors(tensors, 2, &file));
  assert_false(try_tensors(tensors + 1, 2, &file));
  tensors[1].name = "data.shift"; /* center and scale with the old name data.shift instead of data.offset */
  assert_false(try_tensors(tensors, 3, &file));
  tensors[1] = (gt_stored){"data.offset", GT_I32, {1, {2}}, shift};
  assert_false(try_tensors(tensors, 3, &file));
  tensors[1] = (gt_stored){"data.offset", GT_F32, {1, {1}}, shift};
  assert_false(try_tensors(tensors, 3, &file));
}

/* Scaled targets need both their format and their tensors; only one of the two is an error. */
static void reads_scaled_targets(void **unused) {
  (void)unused;
  gt_model_file file;
  static const float expected[4] = {1, 2, 3, 4}, zero_scale[2] = {1, 0};
  gt_stored tensors[] = {{"data.target_center", GT_F32, {1, {2}}, center},
                         {"data.target_scale", GT_F32, {1, {2}}, scale}};
  assert_true(try_format(GT_MODEL_FORMAT_SCALED, SIGNATURE, tensors, 2, &file));
  assert_int_equal(file.signature.target[0].scaling.count, 2);
  assert_memory_equal(file.signature.target[0].scaling.values, expected, sizeof expected);
  gt_model_file_finish(&file);
  assert_false(try_tensors(tensors, 2, &file));
  for (int i = 0; i < 3; i++) /* with only one of the two tensors, or none */
    assert_false(try_format(GT_MODEL_FORMAT_SCALED, SIGNATURE, tensors + i % 2, i < 2, &file));
  tensors[1].data = zero_scale;
  assert_false(try_format(GT_MODEL_FORMAT_SCALED, SIGNATURE, tensors, 2, &file));
  tensors[1] = (gt_stored){"data.target_scale", GT_F32, {1, {1}}, scale};
  assert_false(try_format(GT_MODEL_FORMAT_SCALED, SIGNATURE, tensors, 2, &file));
  tensors[1] = (gt_stored){"data.target_scale", GT_I32, {1, {2}}, scale};
  assert_false(try_format(GT_MODEL_FORMAT_SCALED, SIGNATURE, tensors, 2, &file));
  assert_false(try_format("gtrain-model-3", SIGNATURE, tensors, 0, &file));
}

static void impossible_numbers_are_rejected(void **unused) {
  (void)unused;
  gt_model_file file;
  static const char *const bad[] = {
      /* follows "input_shape": in the signature */
      "[-1], \"input_dtype\": \"f32\", \"classes\": 0",
      "[0], \"input_dtype\": \"f32\", \"classes\": 0",
      "[1.5], \"input_dtype\": \"f32\", \"classes\": 0",
      "[65536, 65536], \"input_dtype\": \"f32\", \"classes\": 0",
      "[9223372036854775807, 2], \"input_dtype\": \"f32\", \"classes\": 0",
      "[1, 1, 1, 1, 1, 1, 1, 1], \"input_dtype\": \"f32\", \"classes\": 0",
      "[2], \"input_dtype\": \"f32\", \"classes\": -1",
      "[2], \"input_dtype\": \"f32\", \"classes\": 1000001",
      "[3], \"input_dtype\": \"f32\", \"classes\": 0", /* the scaling has two values */
  };
  const gt_stored scaling[] = {{"data.scale", GT_F32, {1, {2}}, scale},
                               {"data.shift", GT_F32, {1, {2}}, shift}};
  char signature[256];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(signature, sizeof signature, "{\"input_shape\": %s}", bad[i]);
    if (try_model(signature, scaling, 2, &file)) fail_msg("%s", bad[i]);
  }
  const float not_finite[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    const float values[2] = {1, not_finite[i]};
    const gt_stored weight = {"linear1.weight", GT_F32, {1, {2}}, values};
    const gt_stored bad_scaling[] = {{"data.scale", GT_F32, {1, {2}}, values}, scaling[1]};
    assert_false(try_tensors(&weight, 1, &file));
    assert_false(try_tensors(bad_scaling, 2, &file));
  }
}

/* Names, words, fills and thresholds of a wrong number, value or type are errors; they are not treated as
 * absent. */
static void lists_of_the_signature_are_checked(void **unused) {
  (void)unused;
  static const struct {
    const char *keys;
    bool valid;
  } cases[] = {
      {"\"target_names\": [\"a\", \"b\"]", true},
      {"\"target_names\": []", true},
      {"\"target_names\": \"a\"", false},
      {"\"target_names\": [\"a\", 1]", false},
      {"\"target_names\": [\"a\"], \"target_words\": [\"no\", \"yes\"]", true},
      {"\"target_names\": [\"a\", \"b\"], \"target_words\": [\"no\", \"yes\", \"\", \"\"]", true},
      {"\"target_names\": [\"a\"], \"target_words\": [\"no\"]", false},
      {"\"target_names\": [\"a\"], \"target_words\": [\"no\", \"\"]", false},
      {"\"target_names\": [\"a\"], \"target_words\": [\"no\", null]", false},
      {"\"target_names\": [\"a\"], \"target_words\": {}", false},
      {"\"target_words\": [\"no\", \"yes\"]", false},
      {"\"class_names\": [\"no\", \"yes\"]", false},
      {"\"input_names\": [\"x\"]", false},
      {"\"input_names\": [\"x\", 2]", false},
      {"\"fills\": [1, null]", true},
      {"\"fills\": [1]", false},
      {"\"fills\": [1, \"2\"]", false},
      {"\"threshold\": 0.3", true},
      {"\"threshold\": 1", false},
      {"\"threshold\": [0.3]", false},
      {"\"target_names\": [\"a\", \"b\"], \"thresholds\": [0.3, 0.4]", true},
      {"\"target_names\": [\"a\", \"b\"], \"thresholds\": [0.3, 1.5]", false},
      {"\"target_names\": [\"a\"], \"thresholds\": [0.3, 0.4]", false},
      {"\"thresholds\": 0.3", false},
  };
  char signature[256];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gt_model_file file;
    snprintf(signature, sizeof signature,
             "{\"input_shape\": [2], \"input_dtype\": \"f32\", \"classes\": 0, %s}", cases[i].keys);
    const bool valid = try_model(signature, NULL, 0, &file);
    if (valid != cases[i].valid) fail_msg("%s", cases[i].keys);
    if (valid) gt_model_file_finish(&file);
  }
}

/* A signature that does not match the tensors is rejected before a sample of its shape is allocated. */
static void signature_is_checked_against_tensors(void **unused) {
  (void)unused;
  static const float weight[2] = {1, 2};
  static const struct {
    const char *config;
    const char *shape;   /* the signature's input shape, possibly followed by "]" and more keys */
    const char *message; /* the expected error; NULL: none */
    int64_t scaled;      /* number of scaled targets */
    int classes;
  } model[] = {
      {"[{linear: 1}]", "2", NULL, 0, 0},
      {"[{linear: 1}]", "2", NULL, 1, 0},
      {"[{linear: 1}]", "2", "its scaling is for 2 targets, and its model has 1 outputs", 2, 0},
      {"[{linear: 1}]", "2], \"target_names\": [\"a\"", NULL, 0, 0},
      {"[{linear: 1}]", "2], \"target_names\": [\"a\", \"b\"",
       "it names 2 targets, and its model has 1 outputs", 0, 0},
      {"[{linear: 1}]", "2147483647", "with 'linear1.weight' the model has too many parameters", 0, 0},
      {"[{linear: 1}]", "3", "its 'linear1.weight' is f32 [1, 2], the config's is f32 [1, 3]", 0, 0},
      {"[{linear: 2}]", "2", "is from another model", 0, 0},
      {"[{linear: 1}, {reshape: [7]}]", "2", "its model cannot be built", 0, 0},
      {"[{linear: -1}]", "2", "its model cannot be built", 0, 0},
      {"[{linear: 1}]", "2", NULL, 0, 1},
      {"[{linear: 1}]", "2", "it has 2 classes, and its model has 1 outputs", 0, 2},
      {"[{linear: 1}]", "2", "it has 1 classes, and its model has 1 outputs, which are scaled", 1, 1},
      {"[{linear: 1}]\nloss: mse", "2", "its targets are classes, and its loss is 'mse'", 0, 1},
      {"[{linear: 1}]\nloss: cross_entropy", "2", "its targets are numbers, and its loss is 'cross_entropy'",
       0, 0},
  };
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    char config[128], signature[128];
    snprintf(config, sizeof config, "data: {}\nmodel: %s\n", model[i].config);
    snprintf(signature, sizeof signature,
             "{\"input_shape\": [%s], \"input_dtype\": \"f32\", \"classes\": %d}", model[i].shape,
             model[i].classes);
    const gt_metadata metadata[] = {{"format", model[i].scaled ? GT_MODEL_FORMAT_SCALED : GT_MODEL_FORMAT},
                                    {"config", config},
                                    {"signature", signature}};
    const gt_stored tensors[] = {{"linear1.weight", GT_F32, {2, {1, 2}}, weight},
                                 {"linear1.bias", GT_F32, {1, {1}}, weight},
                                 {"data.target_center", GT_F32, {1, {model[i].scaled}}, center},
                                 {"data.target_scale", GT_F32, {1, {model[i].scaled}}, scale}};
    gt_error error = {0};
    gt_model_file file;
    assert_true(gt_safetensors_write(path, tensors, model[i].scaled ? 4 : 2, metadata, 3, &error));
    assert_true(gt_model_file_read(&file, path, &error));
    const bool ok = gt_model_file_check(&file, &error);
    if (ok != !model[i].message || (!ok && !strstr(error.message, model[i].message)))
      fail_msg("%zu: %s", i, error.message);
    assert_int_equal(error.status, ok ? GT_OK : GT_ERR_DATA);
    gt_model_file_finish(&file);
  }
}

int main(void) {
  const char *folder = getenv("TEST_TMP");
  snprintf(path, sizeof path, "%s/model-%ld.bin", folder ? folder : "/tmp", (long)getpid());
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_old_files),
                                     cmocka_unit_test(reads_centers),
                                     cmocka_unit_test(reads_scaled_targets),
                                     cmocka_unit_test(impossible_numbers_are_rejected),
                                     cmocka_unit_test(lists_of_the_signature_are_checked),
                                     cmocka_unit_test(signature_is_checked_against_tensors)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}

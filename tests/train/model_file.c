/* model.bin: the scaling of inputs and targets is restored; other formats, impossible numbers, and a
 * signature that does not match the tensors, are errors. */
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
static bool try_model(const char *signature, const gt_stored *tensors, int count, gt_model_file *file) {
  const gt_metadata metadata[] = {
      {"format", GT_MODEL_FORMAT}, {"config", "seed: 1\n"}, {"signature", signature}};
  gt_error error = {0};
  assert_true(gt_safetensors_write(path, tensors, count, metadata, 3, &error));
  const bool ok = gt_model_file_read(file, path, &error);
  assert_int_equal(error.status, ok ? GT_OK : GT_ERR_DATA);
  return ok;
}

/* A signature of one input and one target. shape: may be followed by further keys of the input; target: the
 * target's keys. */
static const char *signature_of(const char *shape, const char *target, const char *thresholds) {
  static char text[512];
  snprintf(text, sizeof text,
           "{\"inputs\": [{\"name\": \"input\", \"dtype\": \"f32\", \"shape\": %s}], "
           "\"targets\": [{%s}], \"thresholds\": %s}",
           shape, target, thresholds);
  return text;
}
#define NUMBERS   "\"classes\": 0"
#define SIGNATURE signature_of("[2]", NUMBERS, "[]")

static bool try_tensors(const gt_stored *tensors, int count, gt_model_file *file) {
  return try_model(SIGNATURE, tensors, count, file);
}

static void reads_scaled_inputs(void **unused) {
  (void)unused;
  gt_model_file file;
  gt_stored tensors[] = {{"data.input.center", GT_F32, {1, {2}}, center},
                         {"data.input.scale", GT_F32, {1, {2}}, scale},
                         {"data.input.offset", GT_F32, {1, {2}}, shift}};
  static const float expected[6] = {1, 2, 3, 4, 5, 6}; /* centers, scales, offsets */
  assert_true(try_tensors(tensors, 3, &file));
  assert_int_equal(file.signature.input[0].scaling.count, 2);
  assert_memory_equal(file.signature.input[0].scaling.values, expected, sizeof expected);
  gt_model_file_finish(&file);
  assert_true(try_tensors(tensors, 0, &file));
  assert_int_equal(file.signature.input[0].scaling.count, 0);
  gt_model_file_finish(&file);
  assert_false(try_tensors(tensors, 2, &file));
  assert_false(try_tensors(tensors + 1, 2, &file));
  tensors[2] = (gt_stored){"data.input.offset", GT_I32, {1, {2}}, shift};
  assert_false(try_tensors(tensors, 3, &file));
  tensors[2] = (gt_stored){"data.input.offset", GT_F32, {1, {1}}, shift};
  assert_false(try_tensors(tensors, 3, &file));
}

static void reads_scaled_targets(void **unused) {
  (void)unused;
  gt_model_file file;
  static const float expected[4] = {1, 2, 3, 4}, zero_scale[2] = {1, 0};
  gt_stored tensors[] = {{"data.target_center", GT_F32, {1, {2}}, center},
                         {"data.target_scale", GT_F32, {1, {2}}, scale}};
  assert_true(try_tensors(tensors, 2, &file));
  assert_int_equal(file.signature.target[0].scaling.count, 2);
  assert_memory_equal(file.signature.target[0].scaling.values, expected, sizeof expected);
  gt_model_file_finish(&file);
  assert_false(try_tensors(tensors, 1, &file));
  assert_false(try_tensors(tensors + 1, 1, &file));
  tensors[1].data = zero_scale;
  assert_false(try_tensors(tensors, 2, &file));
  tensors[1] = (gt_stored){"data.target_scale", GT_F32, {1, {1}}, scale};
  assert_false(try_tensors(tensors, 2, &file));
  tensors[1] = (gt_stored){"data.target_scale", GT_I32, {1, {2}}, scale};
  assert_false(try_tensors(tensors, 2, &file));
}

/* The reason says what to do. */
static void other_formats_are_refused(void **unused) {
  (void)unused;
  static const char *const formats[][2] = {
      {"gtrain-model-1", "its format is gtrain-model-1, not gtrain-model-4; train the model again, or use"},
      {"gtrain-model-3", "; train the model again, or use the version that wrote it"},
      {"gtrain-model-5", "; train the model again, or use the version that wrote it"},
      {"gtrain-checkpoint-2", "its format is gtrain-checkpoint-2, not gtrain-model-4"}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const gt_metadata metadata[] = {
        {"format", formats[i][0]}, {"config", "seed: 1\n"}, {"signature", SIGNATURE}};
    gt_error error = {0};
    gt_model_file file;
    assert_true(gt_safetensors_write(path, NULL, 0, metadata, 3, &error));
    assert_false(gt_model_file_read(&file, path, &error));
    assert_int_equal(error.status, GT_ERR_DATA);
    assert_non_null(strstr(error.message, formats[i][1]));
  }
}

/* One target needs no name; several have different ones. Inputs always have different names. */
static void lists_of_inputs_and_targets_are_checked(void **unused) {
  (void)unused;
#define INPUT(name)  "{\"name\": \"" name "\", \"dtype\": \"f32\", \"shape\": [2]}"
#define TARGET(name) "{\"name\": \"" name "\", \"classes\": 0}"
  static const struct {
    const char *inputs, *targets;
    bool valid;
  } cases[] = {
      {INPUT("a"), "{\"classes\": 0}", true},
      {INPUT("a") ", " INPUT("b"), TARGET("y") ", " TARGET("z"), true},
      {INPUT("a") ", " INPUT("a"), "{\"classes\": 0}", false},
      {INPUT(""), "{\"classes\": 0}", false},
      {"", "{\"classes\": 0}", false},
      {INPUT("a"), "", false},
      {INPUT("a"), TARGET("y"), false},
      {INPUT("a"), TARGET("y") ", " TARGET("y"), false},
      {INPUT("a"), TARGET("y") ", " TARGET(""), false},
      {INPUT("a"), TARGET("y") ", {\"classes\": 0}", false},
      {"7", "{\"classes\": 0}", false},
      {INPUT("a"), "7", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gt_model_file file;
    char signature[512];
    snprintf(signature, sizeof signature, "{\"inputs\": [%s], \"targets\": [%s], \"thresholds\": []}",
             cases[i].inputs, cases[i].targets);
    const bool valid = try_model(signature, NULL, 0, &file);
    if (valid != cases[i].valid) fail_msg("%s", signature);
    if (valid) gt_model_file_finish(&file);
  }
}

static void impossible_numbers_are_rejected(void **unused) {
  (void)unused;
  gt_model_file file;
  static const char *const bad[][2] = {
      /* the shape of the input, and the number of classes */
      {"[-1]", "0"},
      {"[0]", "0"},
      {"[1.5]", "0"},
      {"[65536, 65536]", "0"},
      {"[9223372036854775807, 2]", "0"},
      {"[1, 1, 1, 1, 1, 1, 1, 1]", "0"},
      {"[2]", "-1"},
      {"[2]", "1000001"},
      {"[3]", "0"}, /* the scaling has two values */
  };
  const gt_stored scaling[] = {{"data.input.center", GT_F32, {1, {2}}, center},
                               {"data.input.offset", GT_F32, {1, {2}}, shift},
                               {"data.input.scale", GT_F32, {1, {2}}, scale}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char target[64];
    snprintf(target, sizeof target, "\"classes\": %s", bad[i][1]);
    if (try_model(signature_of(bad[i][0], target, "[]"), scaling, 3, &file))
      fail_msg("%s, %s", bad[i][0], bad[i][1]);
  }
  const float not_finite[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    const float values[2] = {1, not_finite[i]};
    const gt_stored weight = {"linear1.weight", GT_F32, {1, {2}}, values};
    const gt_stored bad_scaling[] = {scaling[0], scaling[1], {"data.input.scale", GT_F32, {1, {2}}, values}};
    assert_false(try_tensors(&weight, 1, &file));
    assert_false(try_tensors(bad_scaling, 3, &file));
  }
}

/* Names, words, fills and thresholds of a wrong number, value or type are errors; they are not treated as
 * absent. */
static void lists_of_the_signature_are_checked(void **unused) {
  (void)unused;
  static const struct {
    const char *shape, *target, *thresholds;
    bool valid;
  } cases[] = {
      {"[2]", NUMBERS ", \"names\": [\"a\", \"b\"]", "[]", true},
      {"[2]", NUMBERS ", \"names\": []", "[]", true},
      {"[2]", NUMBERS ", \"names\": \"a\"", "[]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\", 1]", "[]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\"], \"words\": [\"no\", \"yes\"]", "[]", true},
      {"[2]", NUMBERS ", \"names\": [\"a\", \"b\"], \"words\": [\"no\", \"yes\", \"\", \"\"]", "[]", true},
      {"[2]", NUMBERS ", \"names\": [\"a\"], \"words\": [\"no\"]", "[]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\"], \"words\": [\"no\", \"\"]", "[]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\"], \"words\": [\"no\", null]", "[]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\"], \"words\": {}", "[]", false},
      {"[2]", NUMBERS ", \"words\": [\"no\", \"yes\"]", "[]", false},
      {"[2]", NUMBERS ", \"training\": [0.5, -2]", "[]", true},
      {"[2]", NUMBERS ", \"training\": []", "[]", false},
      {"[2]", NUMBERS ", \"training\": 3", "[]", false},
      {"[2]", NUMBERS ", \"training\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[]", false},
      {"[2]", "\"classes\": 2, \"training\": [7, 5]", "[]", true},
      {"[2]", "\"classes\": 3, \"training\": [7, 5]", "[]", false},
      {"[2]", NUMBERS ", \"class_names\": [\"no\", \"yes\"]", "[]", false},
      {"[2], \"names\": [\"x\"]", NUMBERS, "[]", false},
      {"[2], \"names\": [\"x\", 2]", NUMBERS, "[]", false},
      {"[2], \"fills\": [1, null]", NUMBERS, "[]", true},
      {"[2], \"fills\": [1]", NUMBERS, "[]", false},
      {"[2], \"fills\": [1, \"2\"]", NUMBERS, "[]", false},
      {"[2], \"window\": true", NUMBERS, "[]", false},
      {"[2, 1], \"window\": true", NUMBERS, "[]", true},
      {"[2]", NUMBERS, "[0.3]", true},
      {"[2]", NUMBERS, "[1]", false},
      {"[2]", NUMBERS, "[[0.3]]", false},
      {"[2]", NUMBERS, "0.3", false},
      {"[2]", NUMBERS ", \"names\": [\"a\", \"b\"]", "[0.3, 0.4]", true},
      {"[2]", NUMBERS ", \"names\": [\"a\", \"b\"]", "[0.3, 1.5]", false},
      {"[2]", NUMBERS ", \"names\": [\"a\"]", "[0.3, 0.4]", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gt_model_file file;
    const char *signature = signature_of(cases[i].shape, cases[i].target, cases[i].thresholds);
    const bool valid = try_model(signature, NULL, 0, &file);
    if (valid != cases[i].valid) fail_msg("%s", signature);
    if (valid) gt_model_file_finish(&file);
  }
}

/* A signature that does not match the tensors is rejected before a sample of its shape is allocated. */
static void signature_is_checked_against_tensors(void **unused) {
  (void)unused;
  static const float weight[2] = {1, 2};
  static const struct {
    const char *config;
    const char *shape, *names; /* of the input; of the target columns */
    const char *message;       /* the expected error; NULL: none */
    int64_t scaled;            /* number of scaled targets */
    int classes;
  } model[] = {
      {"[{linear: 1}]", "2", "[]", NULL, 0, 0},
      {"[{linear: 1}]", "2", "[]", NULL, 1, 0},
      {"[{linear: 1}]", "2", "[]", "its scaling is for 2 targets, and its model has 1 outputs", 2, 0},
      {"[{linear: 1}]", "2", "[\"a\"]", NULL, 0, 0},
      {"[{linear: 1}]", "2", "[\"a\", \"b\"]", "it names 2 targets, and its model has 1 outputs", 0, 0},
      {"[{linear: 1}]", "2147483647", "[]", "with 'linear1.weight' the model has too many parameters", 0, 0},
      {"[{linear: 1}]", "3", "[]", "its 'linear1.weight' is f32 [1, 2], the config's is f32 [1, 3]", 0, 0},
      {"[{linear: 2}]", "2", "[]", "is from another model", 0, 0},
      {"[{linear: 1}, {reshape: [7]}]", "2", "[]", "its model cannot be built", 0, 0},
      {"[{linear: -1}]", "2", "[]", "its model cannot be built", 0, 0},
      {"[{linear: 1}]", "2", "[]", NULL, 0, 1},
      {"[{linear: 1}]", "2", "[]", "it has 2 classes, and its model has 1 outputs", 0, 2},
      {"[{linear: 1}]", "2", "[]", "it has 1 classes, and its model has 1 outputs, which are scaled", 1, 1},
      {"[{linear: 1}]\nloss: mse", "2", "[]", "its targets are classes, and its loss is 'mse'", 0, 1},
      {"[{linear: 1}]\nloss: cross_entropy", "2", "[]",
       "its targets are numbers, and its loss is 'cross_entropy'", 0, 0},
  };
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    char config[128], shape[32], target[64];
    snprintf(config, sizeof config, "data: {}\nmodel: %s\n", model[i].config);
    snprintf(shape, sizeof shape, "[%s]", model[i].shape);
    snprintf(target, sizeof target, "\"classes\": %d, \"names\": %s", model[i].classes, model[i].names);
    const gt_metadata metadata[] = {
        {"format", GT_MODEL_FORMAT}, {"config", config}, {"signature", signature_of(shape, target, "[]")}};
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_scaled_inputs),
                                     cmocka_unit_test(reads_scaled_targets),
                                     cmocka_unit_test(other_formats_are_refused),
                                     cmocka_unit_test(lists_of_inputs_and_targets_are_checked),
                                     cmocka_unit_test(impossible_numbers_are_rejected),
                                     cmocka_unit_test(lists_of_the_signature_are_checked),
                                     cmocka_unit_test(signature_is_checked_against_tensors)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}

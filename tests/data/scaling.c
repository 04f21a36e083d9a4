/* Scaling of inputs and targets. It is accurate for values that are far from 0 and close together. */
#include "data_support.h"
#include <math.h>

enum { N = 64 };

/* Value i of the training inputs as the network gets it (gt_scaling). */
static float network_input(const gt_dataset *data, int64_t i) {
  const int64_t n = data->input[0].scaling.count,
                features = gt_tensor_features(gt_split_input(&data->split[GT_PART_TRAIN], 0));
  const float *center = data->input[0].scaling.values + i % features % n;
  return (((const float *)gt_split_input(&data->split[GT_PART_TRAIN], 0)->data)[i] - center[0]) * center[n] +
         center[2 * n];
}

/* Two features, around 1e6 and -3e4. */
static const char *far_values(float *x) {
  gt_error error = {0};
  for (int i = 0; i < N; i++) {
    x[2 * i] = 1e6f + (float)(i % 9 - 4);
    x[2 * i + 1] = -3e4f + 0.25f * (float)(i % 7);
  }
  const gt_tensor tensor = {.element = GT_ELEMENT_F32, .rank = 2, .dim = {N, 2}, .data = x};
  assert_true(gt_data_write_npy(path_of("far.npy"), &tensor, &error));
  return path_of("far.npy");
}

static void no_cancellation(void **state) {
  (void)state;
  opened o;
  float x[2 * N];
  double mean[2] = {0}, variance[2] = {0};
  const char *path = far_values(x);
  for (int i = 0; i < 2 * N; i++) mean[i % 2] += (double)x[i] / N;
  for (int i = 0; i < 2 * N; i++) variance[i % 2] += pow((double)x[i] - mean[i % 2], 2) / N;
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: standard}", path, path);
  expect_open(&o);
  for (int i = 0; i < 2 * N; i++) {
    const double want = ((double)x[i] - mean[i % 2]) / sqrt(variance[i % 2]);
    if (fabs((double)network_input(&o.data, i) - want) > 2e-7)
      fail_msg("%d: %.9g is not %.9g", i, (double)network_input(&o.data, i), want);
  }
  close_data(&o);
  open_data(
      &o, "{train: {inputs: %s, targets: %s}, normalize: {mean: [5.00000003e+5, -3e+4], std: 2, scale: 0.5}}",
      path, path);
  expect_open(&o);
  for (int i = 0; i < 2 * N; i++) {
    const double want = (0.5 * (double)x[i] - (i % 2 ? -3e4 : 5.00000003e5)) / 2;
    assert_true(fabs((double)network_input(&o.data, i) - want) <= 2e-7 * fabs(want));
  }
  close_data(&o);
  unlink(path);
}

/* Without a mean, bytes are only multiplied: center and shift are 0. */
static void bytes_are_divided(void **state) {
  (void)state;
  static const uint8_t images[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 255, 3, 128};
  opened o;
  const char *path = write_bytes("i-ubyte", images, sizeof images);
  open_data(&o, "{train: {inputs: %s, targets: %s}}", path, path);
  expect_open(&o);
  assert_int_equal(o.data.input[0].scaling.count, 1);
  assert_true(o.data.input[0].scaling.values[0] == 0 &&
              o.data.input[0].scaling.values[1] == (float)(1.0 / 255) &&
              o.data.input[0].scaling.values[2] == 0);
  close_data(&o);
  unlink(path);
}

/* Statistics of each channel over all samples and positions. */
static void channels_are_measured(void **state) {
  (void)state;
  enum { POSITIONS = 2 * 3 };
  opened o;
  float x[POSITIONS * 2];
  double mean[2] = {0}, variance[2] = {0};
  gt_error error = {0};
  for (int i = 0; i < POSITIONS * 2; i++) x[i] = i % 2 ? (float)(i * i) : -0.25f * (float)i;
  for (int i = 0; i < POSITIONS * 2; i++) mean[i % 2] += (double)x[i] / POSITIONS;
  for (int i = 0; i < POSITIONS * 2; i++) variance[i % 2] += pow((double)x[i] - mean[i % 2], 2) / POSITIONS;
  const gt_tensor tensor = {.element = GT_ELEMENT_F32, .rank = 3, .dim = {2, 3, 2}, .data = x};
  assert_true(gt_data_write_npy(path_of("places.npy"), &tensor, &error));
  const char *path = path_of("places.npy");
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: channel}", path, path);
  expect_open(&o);
  assert_int_equal(o.data.input[0].scaling.count, 2);
  for (int i = 0; i < POSITIONS * 2; i++)
    assert_true(fabs((double)network_input(&o.data, i) -
                     ((double)x[i] - mean[i % 2]) / sqrt(variance[i % 2])) < 1e-6);
  close_data(&o);
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: {method: channel, mean: 1}}", path, path);
  expect_bad_config(&o, 0, "the method measures them");
  unlink(path);
}

/* Evaluations use the scaling of the trained model, not of the data. */
static void scaling_of_the_model_is_used(void **state) {
  (void)state;
  static const float scaling[] = {1, 2, 3, 4, 5, 6};
  gt_data_signature signature = {
      .inputs = 1,
      .targets = 1,
      .input = {
          {.name = "input", .rank = 1, .dim = {2}, .element = GT_ELEMENT_F32, .scaling = {2, scaling}}}};
  const gt_data_requirements model = {.signature = &signature};
  opened o;
  float x[2 * N];
  const char *path = far_values(x);
  requirements = &model;
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: standard}", path, path);
  expect_open(&o);
  assert_true(o.data.input[0].scaling.count == 2 && o.data.input[0].scaling.values == scaling);
  close_data(&o);
  signature.input[0].scaling.count = 3;
  open_data(&o, "{train: {inputs: %s, targets: %s}, normalize: standard}", path, path);
  expect_bad_file(&o, "normalization does not match");
  requirements = NULL;
  unlink(path);
}

/* Statistics of targets come only from training samples: the test file has a value that would change all of
 * them. */
static void targets_are_measured(void **state) {
  (void)state;
  opened o;
  gt_arena arena;
  gt_arena_init(&arena);
  const char *train = write_text("t.csv", "x,load,same,w\n1,1000,7,1\n2,3000,7,0\n3,2000,7,5\n"),
             *test = write_text("u.csv", "x,load,same,w\n1,1e9,7,1\n");
  open_data(&o, "{train: %s, test: %s, target: [load, same], weight: w, task: regression}", train, test);
  expect_open(&o);
  assert_int_equal(o.data.target[0].scaling.count, 0); /* not scaled unless the config says so */
  const gt_target_scaling s =
      gt_data_measure_target(gt_split_target(&o.data.split[GT_PART_TRAIN], 0), 0, &arena);
  assert_int_equal(s.count, 2);
  assert_true(s.values[0] == 2000 && s.values[2] == (float)sqrt(2e6 / 3));
  assert_true(s.values[1] == 7 && s.values[3] == 1); /* a constant */
  assert_true(gt_target_scaled(&s, 0, 2000) == 0 && gt_target_scaled(&s, 1, 9) == 2);
  assert_true(gt_target_scaled(&(gt_target_scaling){0}, 1, 9) == 9);
  close_data(&o);
  gt_arena_finish(&arena);
  unlink(path_of("t.csv"));
  unlink(path_of("u.csv"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_cancellation), cmocka_unit_test(bytes_are_divided),
                                     cmocka_unit_test(channels_are_measured),
                                     cmocka_unit_test(scaling_of_the_model_is_used),
                                     cmocka_unit_test(targets_are_measured)};
  return cmocka_run_group_tests_name("data: scaling", tests, NULL, NULL);
}

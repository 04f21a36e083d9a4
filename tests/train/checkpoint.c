/* Checkpoints: the host's state is restored bit for bit, impossible numbers are errors, only the newest
 * checkpoints are kept, and metrics are truncated on resume. */
#include "train/run/checkpoint.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[4000];
static gt_arena arena;

static const float values[3] = {1, 2, 3};
static const gt_stored tensor = {"parameters", GT_F32, {1, {3}}, values};

static void write_at(int64_t step) {
  /* A negative place is not written, and read as 0. */
  const gt_host_state state = {.step = step,
                               .first_step = -200,
                               .optimizer_step = -180,
                               .epoch_steps = 15,
                               .best = NAN,
                               .schedule = {INFINITY, -1, 0.1},
                               .epoch = {7, {{1.0 / 3, 128, 100}, {-0.25, 64, 0, 32}}},
                               .place = {[GT_SINK_metrics] = 1234567890123, [GT_SINK_timing] = -1}};
  gt_error error = {0};
  assert_true(gt_checkpoint_write(gt_checkpoint_path(&arena, folder, step), &tensor, 1, UINT64_MAX, "a: 1\n",
                                  NULL, 0, &state, &error));
}

static void state_is_restored(void **unused) {
  (void)unused;
  gt_container file;
  gt_host_state state;
  gt_error error = {0};
  uint64_t seed;
  const char *config;
  write_at(42);
  assert_true(
      gt_checkpoint_read(gt_checkpoint_path(&arena, folder, 42), &file, &seed, &config, &state, &error));
  assert_true(seed == UINT64_MAX && !strcmp(config, "a: 1\n") && state.step == 42);
  assert_true(isnan(state.best) && isinf(state.schedule.best));
  assert_true(state.schedule.factor == 0.1 && state.epoch.sum[0][GT_SUM_LOSS] == 1.0 / 3 &&
              state.epoch.sum[1][GT_SUM_LOSS] == -0.25 && state.epoch.sum[1][GT_SUM_DIVISOR] == 32 &&
              state.first_step == -200 && state.optimizer_step == -180 && state.epoch_steps == 15 &&
              state.place[GT_SINK_metrics] == 1234567890123 && !state.place[GT_SINK_timing]);
  assert_memory_equal(gt_container_tensor(&file, "parameters")->data, values, sizeof values);
  gt_container_finish(&file);
}

/* gt_checkpoint_prune keeps the newest; gt_remove_temporaries removes only temporary files of names that
 * gtrain writes: the number of a checkpoint has nine digits. */
static void newest_are_kept(void **unused) {
  (void)unused;
  gt_error error = {0};
  int64_t *steps;
  int count;
  for (int64_t step = 100; step <= 1000; step += 100) write_at(step);
  char *temporary = gt_arena_printf(&arena, "%s/checkpoints/step-000000007.safetensors.tmp-99", folder);
  char *foreign = gt_arena_printf(&arena, "%s/checkpoints/step-7.safetensors.tmp-99", folder);
  fclose(fopen(temporary, "w"));
  fclose(fopen(foreign, "w"));
  gt_checkpoint_prune(folder, 3);
  assert_true(gt_checkpoint_list(&arena, folder, &steps, &count, &error));
  assert_int_equal(count, 3);
  assert_true(steps[0] == 1000 && steps[1] == 900 && steps[2] == 800);
  gt_remove_temporaries(gt_arena_printf(&arena, "%s/checkpoints", folder));
  assert_int_not_equal(access(temporary, F_OK), 0);
  assert_int_equal(access(foreign, F_OK), 0);
  unlink(foreign);
}

static void other_files_are_rejected(void **unused) {
  (void)unused;
  gt_container file;
  gt_host_state state;
  gt_error error = {0};
  uint64_t seed;
  const char *config, *path = gt_checkpoint_path(&arena, folder, 5);
  const gt_metadata metadata = {"format", "something else"};
  assert_true(gt_safetensors_write(path, &tensor, 1, &metadata, 1, &error));
  assert_false(gt_checkpoint_read(path, &file, &seed, &config, &state, &error));
  assert_int_equal(error.status, GT_ERR_DATA);
  assert_false(file.damaged);
  const gt_metadata old_format = {"format", "gtrain-checkpoint-1"};
  error = (gt_error){0};
  assert_true(gt_safetensors_write(path, &tensor, 1, &old_format, 1, &error));
  assert_false(gt_checkpoint_read(path, &file, &seed, &config, &state, &error));
  assert_true(error.status == GT_ERR_DATA && strstr(error.message, "finish the run with that version"));
  assert_false(file.damaged);
}

/* Only a file that has no valid header or does not match its hash counts as damaged, and may be renamed; a
 * file that is missing or cannot be read does not. */
static void only_bad_content_is_damage(void **unused) {
  (void)unused;
  gt_container file;
  gt_host_state state;
  uint64_t seed;
  const char *config, *path = gt_checkpoint_path(&arena, folder, 6);
  static const struct {
    const char *text;
    int size;
  } damaged[] = {{"", 0}, {"short", 5}, {"\x1f\x8b no gzip file", 16}, {"text that is no container", 25}};
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    gt_error error = {0};
    FILE *out = fopen(path, "wb");
    fwrite(damaged[i].text, 1, (size_t)damaged[i].size, out);
    fclose(out);
    assert_false(gt_checkpoint_read(path, &file, &seed, &config, &state, &error));
    assert_int_equal(error.status, GT_ERR_DATA);
    assert_true(file.damaged);
  }
  unlink(path);
  gt_error error = {0};
  assert_false(gt_checkpoint_read(path, &file, &seed, &config, &state, &error));
  assert_int_equal(error.status, GT_ERR_IO);
  assert_false(file.damaged);
  error = (gt_error){0};
  assert_false(gt_checkpoint_read(folder, &file, &seed, &config, &state, &error));
  assert_int_equal(error.status, GT_ERR_IO);
  assert_false(file.damaged);
}

/* True if a checkpoint can be read after one value of its metadata was changed (NULL: removed), with a
 * correct hash. */
static bool is_valid_with(const char *key, const char *value) {
  gt_container file;
  gt_error error = {0};
  gt_host_state state;
  uint64_t seed;
  const char *config, *path = gt_checkpoint_path(&arena, folder, 42);
  gt_metadata metadata[64];
  int entries = 0;
  write_at(42);
  assert_true(gt_safetensors_read(path, &file, &error));
  bool found = false;
  for (int i = 0; i < file.entries; i++) {
    if (!strcmp(file.metadata[i].key, "gtrain.xxh3")) continue;
    const bool matches = !strcmp(file.metadata[i].key, key);
    found |= matches;
    if (matches && !value) continue;
    metadata[entries++] = (gt_metadata){file.metadata[i].key, matches ? value : file.metadata[i].value};
  }
  assert_true(found);
  assert_true(gt_safetensors_write(path, file.tensor, file.tensors, metadata, entries, &error));
  gt_container_finish(&file);
  const bool ok = gt_checkpoint_read(path, &file, &seed, &config, &state, &error);
  assert_int_equal(error.status, ok ? GT_OK : GT_ERR_DATA);
  if (!ok) assert_non_null(strstr(error.message, path));
  if (ok) gt_container_finish(&file);
  return ok;
}

static void impossible_numbers_are_rejected(void **unused) {
  (void)unused;
  static const struct {
    const char *key, *valid, *invalid[8];
  } rows[] = {
      {"state.step",
       "42",
       {"-1", "-5", "-9223372036854775808", "9223372036854775807", "41", "", "42x", "1e1"}},
      {"state.window.steps", "42", {"-1", "43"}},
      {"state.epoch.steps", "0", {"-1", "43"}},
      {"state.last.steps", "42", {"-1", "43"}},
      {"state.epoch.loss", "-0x1p+3", {"nan", "inf", "-inf", "x"}},
      {"state.epoch.weight", "7", {"-1", "nan", "inf"}},
      {"state.window.correct", "7", {"-1", "nan"}},
      {"state.best", "nan", {"", "best"}},
      {"state.best_step", "42", {"-1", "43", "9223372036854775807"}},
      {"state.bad_evaluations", "42", {"-1", "43"}},
      {"state.stopped", "2", {"-1", "3"}},
      {"state.phase", "7", {"-1", "x"}},
      {"state.first_step", "42", {"-2000000000000000000", "43"}}, /* negative: see restore.c */
      {"state.epoch_steps", "15", {"0", "-1"}},
      {"state.first_epoch", "42", {"-2000000000000000000", "43"}},
      {"state.optimizer_step", "42", {"-2000000000000000000", "43"}},
      {"state.best_epoch", "42", {"-1", "43"}},
      {"state.init", "ff", {"-1", ""}},
      {"state.schedule.bad", "-1", {"-2", "43"}},
      {"state.schedule.factor", "0x1p-3", {"-1", "nan", "inf", "1.5"}},
      {"state.metrics_bytes", "0", {"-1", "9223372036854775807", "99999999999999999999"}},
      {"state.draw", "00000000000000ff", {"-1", "", "xyz", "10000000000000000", "0x1"}},
      {"state.wiring", "ffffffffffffffff", {"-1", "", " 1"}},
      {"state.data.train", "1", {"-1", "1.5"}},
      {"seed", "0", {"-1", "", "x", "18446744073709551616"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!is_valid_with(rows[i].key, rows[i].valid)) fail_msg("%s: %s", rows[i].key, rows[i].valid);
    for (int k = 0; k < 8 && rows[i].invalid[k]; k++)
      if (is_valid_with(rows[i].key, rows[i].invalid[k])) fail_msg("%s: %s", rows[i].key, rows[i].invalid[k]);
  }
  static const char *const required_keys[] = {"state.step",       "state.last.loss",    "state.draw",
                                              "state.wiring",     "state.data.meaning", "state.phase",
                                              "state.first_step", "state.init",         "state.best_phase"};
  for (size_t i = 0; i < sizeof required_keys / sizeof *required_keys; i++)
    assert_false(is_valid_with(required_keys[i], NULL));
}

/* Reopened at the saved place, metrics.jsonl loses the row that was written after it. */
static void metrics_are_truncated(void **unused) {
  (void)unused;
  static const gt_dataset data = {.targets = 1};
  static const gt_result_form form = {&data, {{1, true}}};
  gt_results results = gt_training_result(&(gt_sums){1, {{2, 4, 3}}}, &form, false);
  gt_sinks sinks;
  int64_t place[GT_SINKS] = {0};
  const gt_sink_start start = {.directory = folder, .device = "cpu", .quiet = true};
  gt_error error = {0};
  gt_bytes written, resumed;
  char *path = gt_arena_printf(&arena, "%s/metrics.jsonl", folder);
  gt_metric_row row = {
      .step = 1, .epoch = 1, .split = "train", .result = &results, .lr = 0.001, .grad_norm = NAN};
  assert_true(gt_sinks_open(&sinks, &start, place, &error));
  assert_true(gt_sinks_row(&sinks, &row, &error));
  assert_true(gt_sinks_save(&sinks, place, &error));
  assert_true(place[GT_SINK_metrics] > 0 && place[GT_SINK_timing] == -1);
  results.item[0].value = NAN;
  assert_true(gt_sinks_row(&sinks, &row, &error));
  gt_sinks_close(&sinks);
  assert_true(gt_read_file(path, 1 << 20, &written, &error));
  assert_non_null(strstr((char *)written.data,
                         "{\"step\":1,\"epoch\":1,\"split\":\"train\",\"steps\":1,\"loss\":0.5,"
                         "\"accuracy\":0.75,\"lr\":0.001}\n"));
  assert_non_null(strstr((char *)written.data, "\"loss\":null"));

  assert_true(gt_sinks_open(&sinks, &start, place, &error));
  assert_true(gt_sinks_row(&sinks, &row, &error));
  gt_sinks_close(&sinks);
  assert_true(gt_read_file(path, 1 << 20, &resumed, &error));
  assert_int_equal(resumed.size, written.size);
  assert_memory_equal(resumed.data, written.data, written.size);
  gt_bytes_finish(&written);
  gt_bytes_finish(&resumed);
}

int main(void) {
  const char *given = getenv("TEST_TMP");
  char name[4096];
  gt_error error = {0};
  snprintf(folder, sizeof folder, "%s", given ? given : "/tmp/gtrain-checkpoint-test");
  snprintf(name, sizeof name, "%s/checkpoints", folder);
  if (!gt_make_directories(name, &error)) return 1;
  gt_arena_init(&arena);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_is_restored),          cmocka_unit_test(newest_are_kept),
      cmocka_unit_test(other_files_are_rejected),   cmocka_unit_test(impossible_numbers_are_rejected),
      cmocka_unit_test(only_bad_content_is_damage), cmocka_unit_test(metrics_are_truncated)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gt_arena_finish(&arena);
  return failed;
}

/* The device that `auto` chooses depends on the work of a training step and on the properties of the devices,
 * which are made up here. */
#include "train/net/choose.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char path[4096];

#define GPU(made_up_name, kind, multiprocessors, memory_gib)                                            \
  {                                                                                                     \
    .id = "vulkan:0", .name = made_up_name, .type = kind, .memory_bytes = (uint64_t)(memory_gib) << 30, \
    .usable = true, .target = {                                                                         \
      .device = true,                                                                                   \
      .subgroup = 32,                                                                                   \
      .max_workgroup = 1024,                                                                            \
      .shared_bytes = 48 << 10,                                                                         \
      .units = multiprocessors,                                                                         \
      .max_grid = 65535                                                                                 \
    }                                                                                                   \
  }
static const gt_device_info large = GPU("large", "discrete", 132, 80),
                            small = GPU("small", "integrated", 16, 4),
                            software = GPU("software", "software", 2, 16);

/* This machine's CPU, but with these features. */
static gt_device_info cpu_with(const char *features) {
  gt_device_info info;
  gt_cpu_describe(&info);
  snprintf(info.features, sizeof info.features, "%s", features);
  return info;
}

/* The device chosen for this config, whose data are samples of a formula. `text`: the config without
 * `data:`. */
static gt_device_choice choose(const char *text, const gt_device_info *devices, int count) {
  gt_arena arena;
  gt_config config;
  gt_error error = {0};
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "data: {formula: x0 * x1, range: [-1, 1], samples: 4096}\n%s\n", text);
  fclose(file);
  gt_arena_init(&arena);
  if (!gt_config_read(&config, &arena, path, false, NULL, 0, &error)) {
    gt_config_report(&config, &error);
    fail();
  }
  const gt_device_choice choice = gt_choose_device(&config, GT_PART_NONE, devices, count);
  assert_int_equal(config.diagnostics.errors, 0);
  gt_config_finish(&config);
  gt_arena_finish(&arena);
  return choice;
}

/* Models and train: sections, to which the test adds more keys or the closing brace. */
#define TINY "model: [{linear: 16}, tanh, {linear: 1}]\ntrain: {epochs: 1, batch_size: 16"
#define MEDIUM \
  "model: [{linear: 512}, relu, {linear: 512}, relu, {linear: 1}]\ntrain: {epochs: 1, batch_size: 1024"
#define KAN "model: [{kan: 8}, {kan: 1}]\ntrain: {epochs: 1, batch_size: 32"

static void work_decides(void **unused) {
  (void)unused;
  const gt_device_info devices[] = {cpu_with("avx2,fma"), large};
  const gt_device_choice tiny = choose(TINY "}", devices, 2), medium = choose(MEDIUM "}", devices, 2),
                         kan = choose(KAN "}", devices, 2);
  assert_int_equal(tiny.device, 0);
  assert_true(tiny.cpu > 0 && tiny.gpu > 2 * tiny.cpu);
  assert_non_null(strstr(tiny.why, "too small for the GPU: a step takes about "));
  assert_non_null(strstr(tiny.why, " us on large; --device vulkan overrides"));
  assert_int_equal(medium.device, 1);
  assert_string_equal(medium.why, "");
  assert_true(medium.gpu < medium.cpu);
  /* A KAN needs few FLOPs, but contains transcendental functions, which are slow on a CPU. */
  assert_int_equal(kan.device, 1);
}

static void devices_decide(void **unused) {
  (void)unused;
  const gt_device_info cpu_only[] = {cpu_with("avx2,fma")},
                       with_software[] = {cpu_with("avx2,fma"), software},
                       with_gpus[] = {cpu_with("avx2,fma"), software, small, large},
                       slow_cpu[] = {cpu_with(""), large};
  assert_int_equal(choose(MEDIUM "}", cpu_only, 1).device, 0);
  assert_int_equal(choose(MEDIUM "}", with_software, 2).device, 0);
  const gt_device_choice best = choose(MEDIUM "}", with_gpus, 4);
  assert_int_equal(best.device, 3);
  gt_device_info small_gpu[] = {cpu_with("avx2,fma"), small};
  assert_true(choose(MEDIUM "}", small_gpu, 2).gpu > best.gpu);
  assert_true(choose(MEDIUM "}", slow_cpu, 2).cpu > best.cpu);
}

/* Estimates are computed, not measured: they are the same each time, also with another number of threads. */
static void choice_is_repeatable(void **unused) {
  (void)unused;
  const gt_device_info devices[] = {cpu_with("avx2,fma"), large};
  const gt_device_choice first = choose(TINY "}", devices, 2),
                         again = choose(TINY ", threads: 64}", devices, 2);
  assert_int_equal(first.device, again.device);
  assert_true(first.cpu == again.cpu && first.gpu == again.gpu);
}

static int setup(void **unused) {
  (void)unused;
  snprintf(path, sizeof path, "%s/config.yaml", getenv("TEST_TMP"));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_decides),
      cmocka_unit_test(devices_decide),
      cmocka_unit_test(choice_is_repeatable),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}

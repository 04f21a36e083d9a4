/* The Vulkan batch kernel on data with more elements than a 32-bit index can address. */
#include "support/steps.h"
#include "shaders/op/batch.h"
#include "step/program.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static gt_backend *backend;

/* Reads the last rows of a dataset with more than 2^32 elements. `mode` is GT_BATCH_U8, GT_BATCH_F32 or
 * GT_BATCH_I32. Only these rows are in memory: the data address is the address of their buffer minus the size
 * of the rows before them. */
static void batch_far(uint32_t mode, uint32_t features) {
  enum { BATCH = 8 };
  const uint32_t samples = 2147483640, steps_before = samples / BATCH - 1;
  const uint64_t element_bytes = mode == GT_BATCH_U8 ? 1 : 4,
                 bytes_before = (uint64_t)steps_before * BATCH * features * element_bytes,
                 lead = bytes_before % 4; /* bytes before the first row in its 4-byte word */
  const uint32_t clock[4] = {steps_before, 0, 0, 0}, count = BATCH * features;
  uint32_t *words = calloc(count + 1, 4), *y = malloc(4 * count);
  steps s;
  steps_init(&s, backend);
  for (uint32_t i = 0; i < count; i++) {
    const float value = (float)(i * 7 % 256);
    if (mode != GT_BATCH_U8)
      memcpy(&words[i], &value, 4); /* I32, too: the kernel copies the bits */
    else
      ((uint8_t *)words)[lead + i] = (uint8_t)value;
  }
  assert_true((uint64_t)samples * features > UINT32_MAX);
  const int data = steps_buffer(&s, words, count + 1), out = steps_buffer(&s, NULL, count);
  const int state = steps_buffer(&s, clock, 4);
  struct gt_batch_args args = {.batch = BATCH,
                               .samples = samples,
                               .features = features,
                               .period = 1,
                               .steps = (samples + BATCH - 1) / BATCH};
  const gt_program no_epilogue = {.outputs = 1, .output = {GT_OPERAND_LEADER}};
  gt_step *step = steps_add(&s, "batch", &args, sizeof args, 64, 1);
  steps_bind(&s, offsetof(struct gt_batch_args, data), data, 0);
  step->access[0].offset = -(bytes_before - lead);
  step->access[0].bytes = bytes_before - lead; /* offset + bytes wraps to 0, which the backend accepts */
  steps_bind(&s, offsetof(struct gt_batch_args, y), out, 0);
  steps_bind(&s, offsetof(struct gt_batch_args, batch_clock), state, 0);
  gt_program_to_spec(&no_epilogue, step->spec);
  step->spec[GT_BATCH_SPEC_MODE] = mode;
  step->spec[GT_BATCH_SPEC_ORDER] = GT_BATCH_SEQUENTIAL;
  step->spec[GT_BATCH_SPEC_ROWS] = 1;
  steps_run(&s, 1);
  steps_read(&s, out, y, count);
  for (uint32_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, &y[i], 4);
    assert_true(value == (float)(i * 7 % 256));
  }
  free(words), free(y);
  steps_finish(&s);
}

static void test_batch_far(void **state) {
  (void)state;
  for (uint32_t mode = GT_BATCH_U8; mode <= GT_BATCH_I32; mode++) {
    batch_far(mode, 3);
    batch_far(mode, 37);
    batch_far(mode, 1024);
  }
}

static void test_no_messages(void **state) {
  (void)state;
  assert_int_equal(gt_vulkan_validation_messages(), 0);
}

int main(void) {
  backend = steps_open_vulkan();
  if (!backend) return 77;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch_far), cmocka_unit_test(test_no_messages)};
  const int failed = cmocka_run_group_tests_name("vulkan: far data", tests, NULL, NULL);
  gt_backend_close(backend);
  return failed;
}

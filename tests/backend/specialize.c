/* gtrain folds specialization constants into the embedded shaders. All shaders are supported; a module with
 * an unknown instruction is not changed, and the driver specializes it. */
#include "backend/vulkan/internal.h"
#include "backend/vulkan/shader.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
  HEADER = 5,
  OP_SELECT = 169,
  OP_OUTER_PRODUCT = 147,
  OP_MATRIX_MULTIPLY_ADD = 4459,
  OP_SPEC_CONSTANT = 50,
  OP_F_ADD = 129
};

/* Folds these constants: a workgroup of 64 x 1 x 1, 32 for the kernel's own constants (ids 3 to 14), 0 for
 * the others. *size: number of words of the result. */
static uint32_t *specialize(const uint32_t *words, size_t count, size_t *size) {
  uint32_t spec[GT_SPEC_COUNT] = {64, 1, 1};
  for (uint32_t i = 3; i < 15; i++) spec[i] = 32;
  return gt_spirv_specialize(words, count, spec, GT_SPEC_COUNT, size);
}

/* The number of instructions with this opcode. */
static size_t count_instructions(const uint32_t *words, size_t count, uint32_t op) {
  size_t found = 0;
  for (size_t at = HEADER; at < count; at += words[at] >> 16) found += (words[at] & 0xffff) == op;
  return found;
}

static uint32_t *inflate(const gt_shader_blob *shader) {
  gt_error error = {0};
  uint32_t *words = gt_shader_inflate(shader, &error);
  if (!words) fail_msg("%s", error.message);
  return words;
}

static void test_all_shaders(void **state) {
  (void)state;
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++) {
    size_t size;
    uint32_t *original = inflate(shader), *words = specialize(original, shader->size / 4, &size);
    if (!words) fail_msg("%s is not supported", shader->name);
    if (count_instructions(words, size, OP_SPEC_CONSTANT))
      fail_msg("%s still has specialization constants", shader->name);
    free(words);
    free(original);
  }
}

static void test_matrix_units(void **state) {
  (void)state;
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++) {
    if (strcmp(shader->name, "product_matrix")) continue;
    size_t size;
    uint32_t *original = inflate(shader), *words = specialize(original, shader->size / 4, &size);
    assert_non_null(words);
    assert_true(count_instructions(words, size, OP_MATRIX_MULTIPLY_ADD) > 0);
    assert_true(size < shader->size / 4 / 2); /* without the branches that the constants exclude */
    free(words);
    free(original);
    return;
  }
  fail_msg("no kernel for matrix units");
}

/* Replaces one instruction, of 6 or 5 words, by an unsupported one of the same length. */
static void test_unknown(void **state) {
  (void)state;
  const gt_shader_blob *shader = gt_shader_blobs;
  size_t count = shader->size / 4, size, at = HEADER;
  uint32_t *words = inflate(shader);
  while (at < count && words[at] != (6u << 16 | OP_SELECT) && words[at] != (5u << 16 | OP_F_ADD))
    at += words[at] >> 16;
  assert_true(at < count);
  words[at] = (words[at] & 0xffff0000) | OP_OUTER_PRODUCT;
  assert_null(specialize(words, count, &size));
  free(words);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_shaders), cmocka_unit_test(test_matrix_units),
                                     cmocka_unit_test(test_unknown)};
  return cmocka_run_group_tests_name("specialize", tests, NULL, NULL);
}

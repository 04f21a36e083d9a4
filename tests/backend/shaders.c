/* What every embedded shader keeps to, whatever the driver: read from its SPIR-V ("SPIR-V
 * Specification", 2.3). */
#include "base/memory.h"
#include "shader_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <cmocka.h>

enum { HEADER = 5, OP_CAPABILITY = 17, OP_TYPE_POINTER = 32, OP_BITCAST = 124 };
enum {
  CAPABILITY_SHADER = 1,
  CAPABILITY_HALF = 9,
  CAPABILITY_SUBGROUPS = 61,
  CAPABILITY_BFLOAT = 5116,
  CAPABILITY_BFLOAT_MATRIX = 5118,
  CAPABILITY_MEMORY_MODEL = 5345,
  CAPABILITY_ADDRESSES = 5347,
  CAPABILITY_MATRIX = 6022
};

static bool has_capability(const uint32_t *words, size_t count, uint32_t capability) {
  for (size_t at = HEADER; at < count && (words[at] & 0xffff) == OP_CAPABILITY; at += words[at] >> 16)
    if (words[at + 1] == capability) return true;
  return false;
}

/* Does the words' every capability belong to those that a device is opened with (device.c; matrix.c where it
 * has matrix units)? */
static bool modest(const uint32_t *words, size_t count) {
  const bool matrix = has_capability(words, count, CAPABILITY_MATRIX);
  for (size_t at = HEADER; at < count && (words[at] & 0xffff) == OP_CAPABILITY; at += words[at] >> 16)
    switch (words[at + 1]) {
    case CAPABILITY_SHADER:
    case CAPABILITY_ADDRESSES: break;
    case CAPABILITY_HALF:
    case CAPABILITY_SUBGROUPS:
    case CAPABILITY_BFLOAT:
    case CAPABILITY_BFLOAT_MATRIX:
    case CAPABILITY_MEMORY_MODEL:
    case CAPABILITY_MATRIX:
      if (!matrix) return false;
      break;
    default: return false;
    }
  return true;
}

/* Addresses that are cast to another type of address directly: GT_CAST (lib/args.h) goes by way of two words.
 */
static int direct_casts(const uint32_t *words, size_t count) {
  const uint32_t bound = words[3];
  bool *pointer = gt_alloc(bound); /* is this type an address? */
  uint32_t *type =
      gt_alloc(4ull * bound); /* of the result of a bitcast's operand: any instruction's word 1 */
  int casts = 0;
  for (size_t at = HEADER; at < count; at += words[at] >> 16) {
    const uint32_t *w = words + at, op = w[0] & 0xffff, size = w[0] >> 16;
    if (op == OP_TYPE_POINTER) pointer[w[1]] = true;
    if (op == OP_BITCAST && pointer[w[1]] && pointer[type[w[3]]]) casts++;
    if (size > 2 && w[1] < bound && w[2] < bound) type[w[2]] = w[1];
  }
  free(pointer);
  free(type);
  return casts;
}

static void test_capabilities(void **state) {
  (void)state;
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++)
    if (!modest(shader->words, shader->size / 4))
      fail_msg("%s asks for more than device.c enables", shader->name);
}

static void test_casts(void **state) {
  (void)state;
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++)
    if (direct_casts(shader->words, shader->size / 4))
      fail_msg("%s casts an address without GT_CAST", shader->name);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_capabilities), cmocka_unit_test(test_casts)};
  return cmocka_run_group_tests_name("shaders", tests, NULL, NULL);
}

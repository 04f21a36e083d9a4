/* Checks the SPIR-V of every embedded shader ("SPIR-V Specification", 2.3) against rules that hold for all
 * drivers, and tests how shaders are decompressed. */
#include "backend/vulkan/shader.h"
#include "base/memory.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* HEADER: words before the first instruction. */
enum { MAGIC = 0x07230203, HEADER = 5, OP_CAPABILITY = 17, OP_TYPE_POINTER = 32, OP_BITCAST = 124 };
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

/* True if gtrain enables every capability that the module declares: device.c the first two below, matrix.c
 * the others, which only modules for matrix units may declare. */
static bool needs_only_enabled_capabilities(const uint32_t *words, size_t count) {
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

/* Counts bitcasts from one pointer type directly to another: GT_CAST (lib/args.h) converts through two
 * words. */
static int direct_casts(const uint32_t *words, size_t count) {
  const uint32_t bound = words[3];
  bool *pointer = gt_alloc(bound); /* true if this id is a pointer type */
  uint32_t *type =
      gt_alloc(4ull * bound); /* the type of each id: word 1 of the instruction that defines it */
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

static void for_each(void (*check)(const char *name, const uint32_t *words, size_t count)) {
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++) {
    gt_error error = {0};
    uint32_t *words = gt_shader_inflate(shader, &error);
    if (!words) fail_msg("%s", error.message);
    if (shader->size % 4) fail_msg("%s has %zu bytes", shader->name, shader->size);
    check(shader->name, words, shader->size / 4);
    free(words);
  }
}

static void check_structure(const char *name, const uint32_t *words, size_t count) {
  size_t at = HEADER;
  if (count <= HEADER || words[0] != MAGIC) fail_msg("%s is no SPIR-V", name);
  while (at < count && words[at] >> 16) at += words[at] >> 16;
  if (at != count) fail_msg("%s does not end with an instruction", name);
}

static void test_structure(void **state) {
  (void)state;
  assert_true(gt_shader_blob_count > 0);
  for_each(check_structure);
}

static void check_capabilities(const char *name, const uint32_t *words, size_t count) {
  if (!needs_only_enabled_capabilities(words, count))
    fail_msg("%s asks for more than device.c enables", name);
}

static void test_capabilities(void **state) {
  (void)state;
  for_each(check_capabilities);
}

static void check_casts(const char *name, const uint32_t *words, size_t count) {
  if (direct_casts(words, count)) fail_msg("%s casts an address without GT_CAST", name);
}

static void test_casts(void **state) {
  (void)state;
  for_each(check_casts);
}

static const gt_shader_blob *smallest(void) {
  const gt_shader_blob *best = gt_shader_blobs;
  for (const gt_shader_blob *shader = gt_shader_blobs; shader->name; shader++)
    if (shader->gzip_size < best->gzip_size) best = shader;
  return best;
}

static void assert_rejected(const gt_shader_blob *blob) {
  gt_error error = {0};
  assert_null(gt_shader_inflate(blob, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  assert_non_null(strstr(error.message, blob->name));
}

/* Each copy has the exact size, so that a sanitizer detects reads past the end. */
static void test_truncated(void **state) {
  (void)state;
  const gt_shader_blob *whole = smallest();
  for (size_t size = 0; size < whole->gzip_size; size++) {
    uint8_t *bytes = gt_alloc(size);
    memcpy(bytes, whole->gzip, size);
    assert_rejected(&(gt_shader_blob){whole->name, bytes, size, whole->size});
    free(bytes);
  }
}

/* Every altered byte after the header is detected. */
static void test_altered(void **state) {
  (void)state;
  enum { GZIP_HEADER = 10 }; /* zlib ignores most of the gzip header, so damage there is not detected */
  const gt_shader_blob *whole = smallest();
  uint8_t *bytes = gt_alloc(whole->gzip_size);
  const gt_shader_blob copy = {whole->name, bytes, whole->gzip_size, whole->size};
  gt_error error = {0};
  memcpy(bytes, whole->gzip, whole->gzip_size);
  for (size_t i = GZIP_HEADER; i < whole->gzip_size; i++) {
    bytes[i] ^= 0xff;
    assert_rejected(&copy);
    bytes[i] ^= 0xff;
  }
  uint32_t *words = gt_shader_inflate(&copy, &error);
  assert_non_null(words);
  free(words);
  free(bytes);
}

static void test_wrong_size(void **state) {
  (void)state;
  const gt_shader_blob *whole = smallest();
  const size_t wrong[] = {0, 4, whole->size - 4, whole->size + 4, 2 * whole->size};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_rejected(&(gt_shader_blob){whole->name, whole->gzip, whole->gzip_size, wrong[i]});

  uint8_t *bytes = gt_alloc(whole->gzip_size + 1); /* one byte after the end of the stream */
  memcpy(bytes, whole->gzip, whole->gzip_size);
  assert_rejected(&(gt_shader_blob){whole->name, bytes, whole->gzip_size + 1, whole->size});
  free(bytes);
}

enum { THREADS = 4 };

typedef struct reader {
  pthread_t thread;
  gt_shaders *shaders;
  size_t first;           /* index of the shader that this thread requests first */
  const uint32_t **words; /* one for each shader */
  bool failed;
} reader;

static void *read_all(void *context) {
  reader *r = context;
  gt_error error = {0};
  for (size_t n = 0; n < gt_shader_blob_count; n++) {
    const size_t i = (r->first + n) % gt_shader_blob_count;
    size_t count = 0;
    r->words[i] = gt_shaders_words(r->shaders, gt_shader_blobs[i].name, &count, &error);
    r->failed |= !r->words[i] || count != gt_shader_blobs[i].size / 4;
  }
  return NULL;
}

/* Several threads request all shaders, and each shader is inflated once. Two threads start with the first
 * shader, two in the middle, so each pair requests the same shaders at the same time. */
static void test_inflated_once(void **state) {
  (void)state;
  gt_shaders *shaders = gt_shaders_create();
  reader readers[THREADS];
  for (size_t t = 0; t < THREADS; t++) {
    readers[t].shaders = shaders;
    readers[t].first = t / 2 * gt_shader_blob_count / 2;
    readers[t].words = gt_alloc(gt_shader_blob_count * sizeof *readers[t].words);
    readers[t].failed = false;
    assert_int_equal(pthread_create(&readers[t].thread, NULL, read_all, &readers[t]), 0);
  }
  for (size_t t = 0; t < THREADS; t++) assert_int_equal(pthread_join(readers[t].thread, NULL), 0);
  for (size_t t = 0; t < THREADS; t++) assert_false(readers[t].failed);
  for (size_t i = 0; i < gt_shader_blob_count; i++) {
    gt_error error = {0};
    uint32_t *expected = gt_shader_inflate(&gt_shader_blobs[i], &error);
    assert_non_null(expected);
    assert_memory_equal(readers[0].words[i], expected, gt_shader_blobs[i].size);
    for (size_t t = 0; t < THREADS; t++) assert_ptr_equal(readers[t].words[i], readers[0].words[i]);
    free(expected);
  }
  for (size_t t = 0; t < THREADS; t++) free(readers[t].words);
  gt_shaders_destroy(shaders);
}

static void test_no_such_name(void **state) {
  (void)state;
  gt_shaders *shaders = gt_shaders_create();
  gt_error error = {0};
  size_t count;
  assert_null(gt_shaders_words(shaders, "no_such_kernel", &count, &error));
  assert_int_equal(error.status, GT_ERR_INTERNAL);
  gt_shaders_destroy(shaders);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structure),     cmocka_unit_test(test_capabilities),
      cmocka_unit_test(test_casts),         cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_altered),       cmocka_unit_test(test_wrong_size),
      cmocka_unit_test(test_inflated_once), cmocka_unit_test(test_no_such_name)};
  return cmocka_run_group_tests_name("shaders", tests, NULL, NULL);
}

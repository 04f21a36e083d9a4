/* The container of models and checkpoints: its published layout; damaged and malicious files are rejected:
 * truncated to every length, with each byte changed, or with a bad header but a correct hash. */
#include "base/fingerprint.h"
#include "store/safetensors.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[4096];

static const float weight[6] = {1, -2, 3.5f, 4, 5, 6};
static const int32_t clock_words[4] = {7, -1, 3, 0};
static const uint8_t bytes[3] = {1, 2, 3};

static void write_sample(void) {
  const gt_stored tensors[] = {
      {"linear1.weight", GT_F32, {2, {2, 3}}, weight},
      {"clock", GT_I32, {1, {4}}, clock_words},
      {"empty", GT_F32, {2, {0, 3}}, weight},
      {"scalar", GT_F32, {0, {0}}, weight + 2},
      {"bytes", GT_U8, {1, {3}}, bytes},
  };
  const gt_metadata metadata[] = {{"format", "test"}, {"config", "seed: 1\nname: \"\xc3\xa9\"\n"}};
  gt_error error = {0};
  assert_true(gt_safetensors_write(path, tensors, 5, metadata, 2, &error));
}

static gt_bytes read_file(void) {
  gt_bytes out;
  gt_error error = {0};
  assert_true(gt_read_file(path, 1 << 20, &out, &error));
  return out;
}

static void write_file(const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void round_trip(void **unused) {
  (void)unused;
  gt_container file;
  gt_error error = {0};
  write_sample();
  assert_true(gt_safetensors_read(path, &file, &error));
  assert_int_equal(file.tensors, 5);
  const gt_stored *found = gt_container_tensor(&file, "linear1.weight");
  assert_true(found && found->dtype == GT_F32 && found->shape.rank == 2 && found->shape.dim[1] == 3);
  assert_memory_equal(found->data, weight, sizeof weight);
  assert_int_equal((uintptr_t)found->data % 4, 0);
  assert_memory_equal(gt_container_tensor(&file, "clock")->data, clock_words, sizeof clock_words);
  assert_memory_equal(gt_container_tensor(&file, "scalar")->data, weight + 2, 4);
  assert_memory_equal(gt_container_tensor(&file, "bytes")->data, bytes, 3);
  assert_string_equal(gt_container_metadata(&file, "config"), "seed: 1\nname: \"\xc3\xa9\"\n");
  assert_null(gt_container_metadata(&file, "absent"));
  gt_container_finish(&file);
}

/* The published layout, which Python's reader requires: length, '{', padding, offsets that start at 0. */
static void layout_is_as_published(void **unused) {
  (void)unused;
  write_sample();
  gt_bytes file = read_file();
  uint64_t length = 0;
  for (int i = 7; i >= 0; i--) length = length << 8 | file.data[i];
  assert_int_equal(length % 8, 0);
  assert_int_equal(file.data[8], '{');
  assert_int_equal(file.size, 8 + length + 24 + 16 + 0 + 4 + 3);
  char *header = strndup((const char *)file.data + 8, length);
  assert_non_null(strstr(header, "{\"__metadata__\":{\"gtrain.xxh3\":\""));
  assert_non_null(
      strstr(header, "\"linear1.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"));
  assert_non_null(strstr(header, "\"scalar\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[40,44]}"));
  assert_memory_equal(file.data + 8 + length, weight, sizeof weight);
  free(header);
  gt_bytes_finish(&file);
}

static void expect_rejected(const char *why) {
  gt_container file;
  gt_error error = {0};
  if (gt_safetensors_read(path, &file, &error)) fail_msg("accepted: %s", why);
  if (error.status != GT_ERR_DATA) fail_msg("status %d for: %s (%s)", error.status, why, error.message);
  if (!strstr(error.message, path)) fail_msg("message does not name the file: %s", error.message);
  gt_container_finish(&file);
}

static void every_truncation_is_rejected(void **unused) {
  (void)unused;
  write_sample();
  gt_bytes file = read_file();
  for (size_t size = 0; size < file.size; size++) {
    write_file(file.data, size);
    expect_rejected("truncated");
  }
  uint8_t *longer = malloc(file.size + 1);
  memcpy(longer, file.data, file.size);
  longer[file.size] = 0;
  write_file(longer, file.size + 1);
  expect_rejected("one byte too long");
  free(longer);
  gt_bytes_finish(&file);
}

static void every_flip_is_rejected(void **unused) {
  (void)unused;
  static const uint8_t masks[] = {1, 0x20, 0x80, 0xff};
  write_sample();
  gt_bytes file = read_file();
  for (size_t i = 0; i < file.size; i++)
    for (size_t m = 0; m < sizeof masks; m++) {
      file.data[i] ^= masks[m];
      write_file(file.data, file.size);
      expect_rejected("flipped");
      file.data[i] ^= masks[m];
    }
  gt_bytes_finish(&file);
}

/* Writes a file with this header, `data` zero bytes as data, and the correct hash in place of the header's 16
 * zeros. */
static void write_forged(const char *header, size_t data) {
  const size_t length = (strlen(header) + 7) / 8 * 8, size = 8 + length + data;
  uint8_t *file = calloc(1, size + 1);
  for (int i = 0; i < 8; i++) file[i] = (uint8_t)((uint64_t)length >> (8 * i));
  memset(file + 8, ' ', length);
  memcpy(file + 8, header, strlen(header));
  char digits[17], *hash_digits = strstr((char *)file + 8, "0000000000000000");
  if (hash_digits) {
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)gt_fingerprint(0, file, size));
    memcpy(hash_digits, digits, 16);
  }
  write_file(file, size);
  free(file);
}

#define META "\"__metadata__\":{\"gtrain.xxh3\":\"0000000000000000\"}"
#define ENTRY(dtype, shape, offsets) \
  "{" META ",\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void bad_headers_are_rejected(void **unused) {
  (void)unused;
  static const char *const bad_headers[] = {
      "{}",
      "[]",
      "{" META "}x",
      "{\"__metadata__\":{\"gtrain.xxh3\":\"0000000000000000\",\"k\":1}}",
      "{\"__metadata__\":{\"gtrain.xxh3\":\"00000000\"}}",
      "{" META ",\"__metadata__\":{}}",
      ENTRY("F32", "[2]", "[0,4]"),
      ENTRY("F32", "[1]", "[4,8]"),
      ENTRY("F32", "[-1]", "[0,8]"),
      ENTRY("F64", "[1]", "[0,8]"),
      ENTRY("F32", "[2]", "[8,0]"),
      ENTRY("F32", "[3]", "[0,12]"),
      ENTRY("F32", "[2]", "[-8,0]"),
      ENTRY("F32", "[9223372036854775807,2]", "[0,8]"),
      ENTRY("F32", "[4611686018427387904,4]", "[0,0]"),
      ENTRY("F32", "[99999999999999999999]", "[0,8]"),
      ENTRY("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]"),
      ENTRY("F32", "[2.0]", "[0,8]"),
      ENTRY("F32", "2", "[0,8]"),
      ENTRY("F32", "[2]", "[0,8,8]"),
      ENTRY("F32", "[2]", "[0,\"8\"]"),
      ENTRY("F32", "[2]", "{}"),
      ENTRY("F32", "[0]", "[0,0]"),
      "{" META ",\"a\":[]}",
      "{" META ",\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}",
      "{" META ",\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
      "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
      "{" META ",\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
      "{" META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]},"
      "\"c\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[5,8]}}",
  };
  for (size_t i = 0; i < sizeof bad_headers / sizeof *bad_headers; i++) {
    write_forged(bad_headers[i], 8);
    expect_rejected(bad_headers[i]);
  }
  gt_container file;
  gt_error error = {0};
  write_forged(ENTRY("F32", "[2]", "[0,8]"), 8);
  assert_true(gt_safetensors_read(path, &file, &error)); /* the unchanged file is valid */
  gt_container_finish(&file);
}

static void deep_nesting_is_rejected(void **unused) {
  (void)unused;
  enum { DEPTH = 100000 };
  char *header = malloc(2 * DEPTH + 200), *at = header;
  at += sprintf(at, "{" META ",\"a\":");
  memset(at, '[', DEPTH), at += DEPTH;
  memset(at, ']', DEPTH), at += DEPTH;
  strcpy(at, "}");
  write_forged(header, 8);
  expect_rejected("deep");
  free(header);
}

static void wrong_header_length_is_rejected(void **unused) {
  (void)unused;
  static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 7, 1ull << 63, 1ull << 40, 9, 1};
  uint8_t file[16] = {0};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    for (int b = 0; b < 8; b++) file[b] = (uint8_t)(lengths[i] >> (8 * b));
    file[8] = '{';
    write_file(file, sizeof file);
    expect_rejected("wrong header length");
  }
}

static void absent_file_is_an_io_error(void **unused) {
  (void)unused;
  gt_container file;
  gt_error error = {0};
  unlink(path);
  assert_false(gt_safetensors_read(path, &file, &error));
  assert_int_equal(error.status, GT_ERR_IO);
}

int main(void) {
  const char *folder = getenv("TEST_TMP");
  snprintf(path, sizeof path, "%s/file.safetensors", folder ? folder : "/tmp");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(layout_is_as_published),
      cmocka_unit_test(bad_headers_are_rejected),
      cmocka_unit_test(deep_nesting_is_rejected),
      cmocka_unit_test(wrong_header_length_is_rejected),
      cmocka_unit_test(every_truncation_is_rejected),
      cmocka_unit_test(every_flip_is_rejected),
      cmocka_unit_test(absent_file_is_an_io_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

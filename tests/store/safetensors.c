/* The container of models and checkpoints: its published layout; damaged and malicious files are rejected:
 * truncated to every length, with each byte changed, or with a bad header but a correct hash. Files of other
 * programs, which have no hash, are read on request, with their types, and are checked in the same way. */
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
  const gt_metadata metadata[] = {{"format", "gtrain-test"}, {"config", "seed: 1\nname: \"\xc3\xa9\"\n"}};
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

/* --- files of other programs --- */

/* Writes a file with this header as it is and this data. */
static void write_foreign(const char *header, const void *data, size_t size) {
  const size_t length = strlen(header);
  uint8_t *file = calloc(1, 8 + length + size);
  for (int i = 0; i < 8; i++) file[i] = (uint8_t)((uint64_t)length >> (8 * i));
  memcpy(file + 8, header, length);
  memcpy(file + 8 + length, data, size);
  write_file(file, 8 + length + size);
  free(file);
}

/* 42 bytes: f64, bf16, f16, i64 and bool, not in the order of the header, which is not padded either. */
static const char foreign_header[] =
    "{\"step\": {\"dtype\": \"I64\", \"shape\": [], \"data_offsets\": [24, 32]},"
    "\"wide\": {\"dtype\": \"F64\", \"shape\": [2], \"data_offsets\": [0, 16]},"
    "\"bf\": {\"dtype\": \"BF16\", \"shape\": [1, 2], \"data_offsets\": [16, 20]},"
    "\"half\": {\"dtype\": \"F16\", \"shape\": [2], \"data_offsets\": [20, 24]},"
    "\"ids\": {\"dtype\": \"I64\", \"shape\": [1, 1], \"data_offsets\": [34, 42]},"
    "\"mask\": {\"dtype\": \"BOOL\", \"shape\": [2], \"data_offsets\": [32, 34]},"
    "\"__metadata__\": {\"format\": \"pt\"}}";

static void write_foreign_sample(void) {
  const double wide[2] = {0.1, -3};
  const uint16_t halves[4] = {0x3fc0, 0xc000, 0x3800, 0x0001}; /* bf16 1.5, -2; f16 0.5, 2^-24 */
  const int64_t step = 7, id = 9;
  uint8_t data[42] = {0};
  memcpy(data, wide, 16);
  memcpy(data + 16, halves, 8);
  memcpy(data + 24, &step, 8);
  memcpy(data + 34, &id, 8);
  write_foreign(foreign_header, data, sizeof data);
}

static const float *converted(const gt_container *file, const char *name, int rank) {
  const gt_stored *tensor = gt_container_tensor(file, name);
  assert_true(tensor && tensor->dtype == GT_F32 && !tensor->foreign_type && tensor->shape.rank == rank);
  return tensor->data;
}

static void foreign_files_are_read_and_converted(void **unused) {
  (void)unused;
  gt_container file;
  gt_error error = {0};
  write_foreign_sample();
  expect_rejected("a file of another program");
  assert_true(gt_safetensors_read_any(path, &file, &error));
  assert_true(file.foreign && file.tensors == 6 && file.hash);
  assert_string_equal(file.tensor[0].name, "step");
  assert_string_equal(gt_container_metadata(&file, "format"), "pt");
  assert_string_equal(gt_stored_type_name(&file.tensor[0], &file.arena), "i64");
  assert_string_equal(gt_stored_type_name(gt_container_tensor(&file, "bf"), &file.arena), "bf16");
  assert_int_equal(gt_stored_bytes(gt_container_tensor(&file, "mask")), 2);
  gt_container_convert(&file);
  assert_true(converted(&file, "wide", 1)[0] == 0.1f && converted(&file, "wide", 1)[1] == -3);
  assert_true(converted(&file, "bf", 2)[0] == 1.5f && converted(&file, "bf", 2)[1] == -2);
  assert_true(converted(&file, "half", 1)[0] == 0.5f && converted(&file, "half", 1)[1] == 0x1p-24f);
  assert_true(converted(&file, "step", 1)[0] == 7 && converted(&file, "ids", 2)[0] == 9);
  assert_string_equal(gt_container_tensor(&file, "mask")->foreign_type, "BOOL");
  gt_container_finish(&file);
}

static bool is_read(void) {
  gt_container file;
  gt_error error = {0};
  const bool ok = gt_safetensors_read_any(path, &file, &error);
  if (!ok) assert_int_equal(error.status, GT_ERR_DATA);
  gt_container_finish(&file);
  return ok;
}

/* A hash that is missing or wrong means damage only if gtrain wrote the file. */
static void damaged_models_are_not_foreign(void **unused) {
  (void)unused;
  write_sample();
  gt_bytes file = read_file();
  for (size_t i = 8; i < 80; i++) {
    file.data[i] ^= 1;
    write_file(file.data, file.size);
    if (is_read()) fail_msg("accepted with byte %zu changed", i);
    file.data[i] ^= 1;
  }
  write_file(file.data, file.size);
  assert_true(is_read());
  gt_bytes_finish(&file);
}

static void bad_foreign_files_are_rejected(void **unused) {
  (void)unused;
#define FOREIGN(dtype, shape, offsets) \
  "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
#define SECOND(begin, end)                                          \
  "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}," \
  "\"b\":{\"dtype\":\"U8\",\"shape\":[" end "],\"data_offsets\":[" begin "," end "]}}"
  static const char *const bad[] = {
      "{",
      "[]",
      "{}",
      FOREIGN("F65", "[1]", "[0,8]"),
      FOREIGN("F64", "[2]", "[0,8]"),
      FOREIGN("F64", "[0]", "[0,8]"),
      FOREIGN("F4", "[15]", "[0,8]"),
      FOREIGN("F4", "[4611686018427387904,4]", "[0,8]"),
      FOREIGN("C128", "[1152921504606846976]", "[0,0]"),
      FOREIGN("F32", "[1]", "[4,8]"),
      SECOND("0", "3"),
      SECOND("0", "5"),
  };
  const uint8_t zeros[8] = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_foreign(bad[i], zeros, 8);
    if (is_read()) fail_msg("accepted: %s", bad[i]);
  }
  static const char *const good[] = {FOREIGN("F64", "[1]", "[0,8]"), FOREIGN("F4", "[16]", "[0,8]"),
                                     FOREIGN("C64", "[1]", "[0,8]"), SECOND("0", "4")};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    write_foreign(good[i], zeros, 8);
    if (!is_read()) fail_msg("not accepted: %s", good[i]);
  }
  write_foreign_sample();
  gt_bytes file = read_file();
  for (size_t size = 0; size < file.size; size++) {
    write_file(file.data, size);
    if (is_read()) fail_msg("accepted with %zu bytes", size);
  }
  gt_bytes_finish(&file);
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
      cmocka_unit_test(foreign_files_are_read_and_converted),
      cmocka_unit_test(damaged_models_are_not_foreign),
      cmocka_unit_test(bad_foreign_files_are_rejected),
      cmocka_unit_test(absent_file_is_an_io_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

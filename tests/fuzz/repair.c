/* Mutators that correct checksums; see repair.h. */
#include "repair.h"
#include "base/fingerprint.h"
#include "fuzz.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void repair_png(uint8_t *data, size_t size) {
  for (size_t at = 8; at + 12 <= size;) {
    const uint32_t length =
        (uint32_t)data[at] << 24 | (uint32_t)data[at + 1] << 16 | (uint32_t)data[at + 2] << 8 | data[at + 3];
    if (length > size - at - 12) return;
    const uLong crc = crc32(0, data + at + 4, length + 4);
    uint8_t *to = data + at + 8 + length;
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(crc >> (24 - 8 * i));
    at += 12 + length;
  }
}

/* --- model files and checkpoints --- */

static const char hash_key[] = "\"gtrain.xxh3\":\"";
enum { HASH_KEY = sizeof hash_key - 1, DIGITS = 16 };

static size_t header_size(const uint8_t *data, size_t size) {
  uint64_t length = 0;
  for (int i = 7; i >= 0 && size >= 8; i--) length = length << 8 | data[i];
  return size < 8 || length > size - 8 ? 0 : (size_t)length;
}

static void write_length(uint8_t *data, size_t length) {
  for (int i = 0; i < 8; i++) data[i] = (uint8_t)((uint64_t)length >> (8 * i));
}

static void write_hash(uint8_t *data, size_t size) {
  const size_t end = 8 + header_size(data, size);
  for (size_t at = 8; at + HASH_KEY + DIGITS <= end; at++) {
    char digits[DIGITS + 1];
    if (memcmp(data + at, hash_key, HASH_KEY)) continue;
    memset(data + at + HASH_KEY, '0', DIGITS);
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)gt_fingerprint(0, data, size));
    memcpy(data + at + HASH_KEY, digits, DIGITS);
    return;
  }
}

/* Replaces the header, padded to 8 bytes; returns the new size, or 0 if it would exceed max_size. */
static size_t replace_header(uint8_t *data, size_t size, size_t max_size, const char *text, size_t length) {
  const size_t old = 8 + header_size(data, size), padded = (length + 7) / 8 * 8, rest = size - old;
  if (size < 8 || 8 + padded + rest > max_size) return 0;
  memmove(data + 8 + padded, data + old, rest);
  memcpy(data + 8, text, length);
  memset(data + 8 + length, ' ', padded - length);
  write_length(data, padded);
  return 8 + padded + rest;
}

size_t repair_safetensors(uint8_t *data, size_t size, size_t max_size) {
  const size_t length = header_size(data, size);
  char *text = malloc(length + 1);
  if (length) memcpy(text, data + 8, length);
  const size_t repaired = length % 8 ? replace_header(data, size, max_size, text, length) : size;
  free(text);
  if (!repaired) return size;
  write_hash(data, repaired);
  return repaired;
}

/* --- mutations --- */

/* Mutates the text of one value. A result that is not UTF-8 is discarded. */
static void mutate_value(json_t *map, const char *key) {
  const char *old = json_string_value(json_object_get(map, key));
  const size_t length = old ? strlen(old) : 0, max_size = 2 * length + 64;
  char *text = calloc(1, max_size + 1);
  if (length) memcpy(text, old, length);
  const size_t n = LLVMFuzzerMutate((uint8_t *)text, length, max_size);
  json_t *value = json_stringn(text, n);
  if (old && value) json_object_set(map, key, value);
  json_decref(value);
  free(text);
}

static const char *key_at(json_t *map, size_t index) {
  const char *key;
  json_t *value;
  json_object_foreach(map, key, value) if (!index--) return key;
  return NULL;
}

static size_t mutate_metadata(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  const size_t length = header_size(data, size);
  json_t *header = length ? json_loadb((const char *)data + 8, length, 0, NULL) : NULL;
  json_t *metadata = json_object_get(header, "__metadata__");
  const size_t count = json_object_size(metadata);
  size_t result = 0;
  /* Half of the mutations change the config, which is the longest value. */
  const char *key = seed % 2 ? "config" : count ? key_at(metadata, seed / 2 % count) : NULL;
  if (key && json_object_get(metadata, key)) {
    mutate_value(metadata, key);
    char *text = json_dumps(header, JSON_COMPACT);
    if (text) result = replace_header(data, size, max_size, text, strlen(text));
    free(text);
  }
  json_decref(header);
  return result ? result : LLVMFuzzerMutate(data, size, max_size);
}

static size_t mutate_header(uint8_t *data, size_t size, size_t max_size) {
  const size_t length = header_size(data, size), space = max_size - size;
  char *text = malloc(length + space + 1);
  memcpy(text, data + 8, length);
  const size_t n = LLVMFuzzerMutate((uint8_t *)text, length, length + space);
  const size_t result = replace_header(data, size, max_size, text, n);
  free(text);
  return result ? result : size;
}

static size_t mutate_data(uint8_t *data, size_t size, size_t max_size) {
  const size_t begin = 8 + header_size(data, size);
  return begin < size ? begin + LLVMFuzzerMutate(data + begin, size - begin, max_size - begin) : size;
}

size_t mutate_safetensors(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  const unsigned int how = seed % 16, detail = seed / 16;
  if (!header_size(data, size) || how == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (how < 4)
    size = mutate_data(data, size, max_size);
  else if (how < 8)
    size = mutate_header(data, size, max_size);
  else
    size = mutate_metadata(data, size, max_size, detail);
  return repair_safetensors(data, size, max_size);
}

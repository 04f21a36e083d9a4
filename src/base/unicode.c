#include "base/unicode.h"
#include "base/arena.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static const utf8proc_option_t compose = UTF8PROC_STABLE | UTF8PROC_COMPOSE;

static bool is_ascii(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] >= 0x80) return false;
  return true;
}

char *gt_nfc(const char *text, size_t length) {
  const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
  if (is_ascii(text, length) || memchr(text, 0, length)) return NULL;
  /* utf8proc_map does the same, but its allocation may fail: that would look like text without changes. */
  const utf8proc_ssize_t size = (utf8proc_ssize_t)length,
                         codes = utf8proc_decompose(bytes, size, NULL, 0, compose);
  if (codes < 0) return NULL;
  utf8proc_int32_t *code = gt_alloc(((size_t)codes + 1) * sizeof *code);
  utf8proc_decompose(bytes, size, code, codes, compose);
  const utf8proc_ssize_t written = utf8proc_reencode(code, codes, compose);
  char *composed = (char *)code;
  if (written >= 0 && ((size_t)written != length || memcmp(composed, text, length))) return composed;
  free(code);
  return NULL;
}

const char *gt_nfc_in(gt_arena *arena, const char *text) {
  char *composed = gt_nfc(text, strlen(text));
  if (composed) text = gt_arena_strdup(arena, composed);
  free(composed);
  return text;
}

size_t gt_utf8_read(const uint8_t *text, size_t length, uint32_t *code) {
  utf8proc_int32_t found;
  const utf8proc_ssize_t used = utf8proc_iterate(text, (utf8proc_ssize_t)length, &found);
  *code = (uint32_t)found;
  return used > 0 ? (size_t)used : 0;
}

size_t gt_utf8_write(uint32_t code, uint8_t out[4]) {
  return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, out);
}

uint32_t gt_lower_case(uint32_t code) { return (uint32_t)utf8proc_tolower((utf8proc_int32_t)code); }

int gt_character_width(uint32_t code) { return utf8proc_charwidth((utf8proc_int32_t)code); }

static bool has_category(uint32_t code, const utf8proc_category_t *list, size_t count) {
  const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
  for (size_t i = 0; i < count; i++)
    if (category == list[i]) return true;
  return false;
}
#define HAS_CATEGORY(code, ...)                                  \
  has_category(code, (const utf8proc_category_t[]){__VA_ARGS__}, \
               sizeof(const utf8proc_category_t[]){__VA_ARGS__} / sizeof(utf8proc_category_t))

bool gt_is_word_character(uint32_t code) {
  return HAS_CATEGORY(code, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT,
                      UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC,
                      UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NL, UTF8PROC_CATEGORY_NO);
}

bool gt_is_invisible(uint32_t code) {
  return HAS_CATEGORY(code, UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_ZL,
                      UTF8PROC_CATEGORY_ZP);
}

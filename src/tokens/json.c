/* Vocabularies as JSON, for model.bin. JSON strings are UTF-8, but tokens need not be: bytes that are not
 * UTF-8, control characters and backslashes are written as \xHH. */
#include "base/fingerprint.h"
#include "base/memory.h"
#include "base/unicode.h"
#include "tokens/tokens.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPED = 4 }; /* the length of \xHH */

static json_t *token_json(const gt_token *token) {
  static const char digit[] = "0123456789abcdef";
  char *text = gt_alloc(ESCAPED * (size_t)token->length + 1);
  size_t n = 0, used;
  uint32_t code;
  for (size_t i = 0; i < token->length; i += used) {
    used = gt_utf8_read(token->text + i, token->length - i, &code);
    if (used && code >= ' ' && code != '\\' && code != 0x7F) {
      memcpy(text + n, token->text + i, used);
      n += used;
      continue;
    }
    used = 1;
    memcpy(text + n, (char[]){'\\', 'x', digit[token->text[i] >> 4], digit[token->text[i] & 15]}, ESCAPED);
    n += ESCAPED;
  }
  json_t *json = json_stringn(text, n);
  free(text);
  return json;
}

json_t *gt_vocabulary_json(const gt_vocabulary *vocabulary) {
  json_t *root = json_pack("{s:s}", "kind", vocabulary->type->name), *tokens = json_array();
  if (vocabulary->lower) json_object_set_new(root, "lower", json_true());
  for (int32_t i = 0; i < vocabulary->size && !vocabulary->type->any_bytes; i++)
    json_array_append_new(tokens, token_json(&vocabulary->token[i]));
  json_object_set_new(root, "tokens", tokens);
  return root;
}

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_token(const json_t *json, gt_token *token, gt_arena *arena) {
  const char *text = json_string_value(json);
  const size_t length = json_string_length(json);
  if (!text || !length || length > UINT32_MAX) return false;
  uint8_t *out = GT_NEW_N(arena, uint8_t, length);
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '\\') {
      out[n++] = (uint8_t)text[i];
      continue;
    }
    const int high = i + 3 < length && text[i + 1] == 'x' ? digit_of(text[i + 2]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 3]) : -1;
    if (low < 0) return false;
    out[n++] = (uint8_t)(high << 4 | low);
    i += 3;
  }
  *token = (gt_token){out, (uint32_t)n};
  return true;
}

const gt_vocabulary *gt_vocabulary_from_json(const json_t *json, gt_arena *arena) {
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const json_t *tokens = json_object_get(json, "tokens");
  const size_t size = json_array_size(tokens);
  gt_vocabulary *v = GT_NEW(arena, gt_vocabulary);
  *v = (gt_vocabulary){.type = kind ? gt_tokenizer_find(kind) : NULL,
                       .unknown = -1,
                       .lower = json_is_true(json_object_get(json, "lower"))};
  if (!v->type || !json_is_array(tokens) || size > GT_VOCABULARY_MAX) return NULL;
  gt_token *token = GT_NEW_N(arena, gt_token, size);
  for (size_t i = 0; i < size; i++)
    if (!read_token(json_array_get(tokens, i), &token[i], arena)) return NULL;
  v->token = token;
  v->size = (int32_t)size;
  return v->type->restore(v, arena) ? v : NULL;
}

uint64_t gt_vocabulary_fingerprint(const gt_vocabulary *vocabulary, uint64_t hash) {
  const gt_vocabulary *v = vocabulary;
  const int32_t numbers[] = {v->size, v->lower, v->unknown};
  hash = gt_fingerprint(hash, v->type->name, strlen(v->type->name) + 1);
  hash = gt_fingerprint(hash, numbers, sizeof numbers);
  for (int32_t i = 0; i < v->size; i++) {
    hash = gt_fingerprint(hash, &v->token[i].length, sizeof v->token[i].length);
    hash = gt_fingerprint(hash, v->token[i].text, v->token[i].length);
  }
  return hash;
}

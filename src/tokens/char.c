/* The char tokenizer: each code point is a token; ids are in the order of code points. The vocabulary has the
 * code points of the whole file of data.train, also of the validation and test splits cut from it (with
 * data.text.column or labels, of all files): the alphabet alone reveals nothing about the text that a model
 * is tested on. */
#include "base/unicode.h"
#include "tokens/tokens.h"
#include <inttypes.h>
#include <stdlib.h>

enum { ASCII = 128, CODES = 0x110000 };

typedef struct table {
  int32_t ascii[ASCII]; /* id by code point; -1: not in the vocabulary */
  const uint32_t *code; /* [size] code points in ascending order; the index is the id */
} table;

static int by_code(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Fails unless tokens are single characters, without NUL, in ascending order of code points. */
static bool restore(gt_vocabulary *vocabulary, gt_arena *arena) {
  table *t = GT_NEW(arena, table);
  uint32_t *code = GT_NEW_N(arena, uint32_t, vocabulary->size);
  for (int i = 0; i < ASCII; i++) t->ascii[i] = -1;
  for (int32_t i = 0; i < vocabulary->size; i++) {
    const gt_token *token = &vocabulary->token[i];
    if (gt_utf8_read(token->text, token->length, &code[i]) != token->length || !code[i] ||
        (i && code[i] <= code[i - 1]))
      return false;
    if (code[i] < ASCII) t->ascii[code[i]] = i;
  }
  t->code = code;
  vocabulary->lookup = t;
  return vocabulary->size > 0;
}

/* Sets seen[c] = 1 for every code point c of the text. */
static void mark_characters(const gt_text_view *text, uint8_t *seen) {
  uint32_t code;
  for (size_t i = 0; i < text->size; i += gt_utf8_read(text->data + i, text->size - i, &code), seen[code] = 1)
    ;
}

static bool learn(gt_vocabulary *vocabulary, gt_vocabulary_options options, const gt_text_view *text,
                  gt_arena *arena, gt_error *error) {
  (void)options;
  uint8_t *seen = GT_NEW_N(arena, uint8_t, CODES);
  if (!text->size) return gt_fail(error, GT_ERR_DATA, "%s holds no text", text->name);
  mark_characters(text, seen);
  int32_t size = 0;
  for (uint32_t c = 0; c < CODES; c++) size += seen[c];
  gt_token *token = GT_NEW_N(arena, gt_token, size);
  uint8_t(*bytes)[4] = gt_arena_alloc_n(arena, (size_t)size, sizeof *bytes);
  for (uint32_t c = 0, i = 0; c < CODES; c++) {
    if (!seen[c]) continue;
    token[i] = (gt_token){bytes[i], (uint32_t)gt_utf8_write(c, bytes[i])};
    i++;
  }
  vocabulary->token = token;
  vocabulary->size = size;
  return restore(vocabulary, arena);
}

static bool fail_unknown(const gt_vocabulary *vocabulary, const gt_text_view *text, size_t at, size_t length,
                         uint32_t code, gt_error *error) {
  int64_t line, column;
  gt_text_place(text, at, &line, &column);
  const bool shown = code >= ' ' && !gt_is_invisible(code);
  return gt_fail(error, GT_ERR_DATA,
                 "%s:%" PRId64 ":%" PRId64
                 ": the character %s%.*s%sU+%04X%s is not in the vocabulary of %d characters",
                 text->name, line, column, shown ? "'" : "", shown ? (int)length : 0,
                 (const char *)text->data + at, shown ? "' (" : "", code, shown ? ")" : "", vocabulary->size);
}

static bool encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out, gt_error *error) {
  const table *t = vocabulary->lookup;
  size_t length;
  for (size_t i = 0; i < text->size; i += length) {
    uint32_t code = text->data[i];
    int32_t id;
    length = 1;
    if (code < ASCII) {
      id = t->ascii[code];
    } else {
      length = gt_utf8_read(text->data + i, text->size - i, &code);
      const uint32_t *found = bsearch(&code, t->code, (size_t)vocabulary->size, sizeof code, by_code);
      id = found ? (int32_t)(found - t->code) : -1;
    }
    if (id < 0) return fail_unknown(vocabulary, text, i, length, code, error);
    gt_ids_push(vocabulary, out, id);
  }
  return true;
}

GT_DEFINE(tokenizer, char) = {.name = "char",
                              .help = "the characters of the training file, with the splits cut from it",
                              .is_exact = true,
                              .learn = learn,
                              .restore = restore,
                              .encode = encode};

/* Lookup of tokenizers, preparation of text, and functions for all kinds of vocabulary. */
#include "tokens/tokens.h"
#include "base/unicode.h"
#include <inttypes.h>
#include <string.h>

#define GT_KIND tokenizer
#include "base/registered.h"

const gt_tokenizer_type *gt_tokenizer_find(const char *name) {
  for (int i = 0; i < TYPES; i++)
    if (!strcmp(types[i]->name, name)) return types[i];
  return NULL;
}

/* --- text --- */

void gt_text_place(const gt_text_view *text, size_t byte, int64_t *line, int64_t *column) {
  *line = 1;
  *column = 1;
  for (const uint8_t *at = text->start ? text->start : text->data; at < text->data + byte; at++)
    if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
      ++*line, *column = 1;
    else if (*at)
      ++*column;
}

/* Reports the byte at offset `byte`, which is NUL or not UTF-8. */
static bool fail_at(const gt_text_view *text, size_t byte, gt_error *error) {
  const unsigned value = text->data[byte];
  int64_t line, column;
  gt_text_place(text, byte, &line, &column);
  if (!value)
    return gt_fail(error, GT_ERR_DATA,
                   "%s:%" PRId64 ":%" PRId64
                   ": a NUL byte in a text; expected UTF-8. `vocabulary: byte` reads any file, and iconv "
                   "converts from UTF-16",
                   text->name, line, column);
  return gt_fail(error, GT_ERR_DATA,
                 "%s:%" PRId64 ":%" PRId64
                 ": byte 0x%02x is not valid UTF-8; `vocabulary: byte` reads any file, and iconv "
                 "converts to UTF-8",
                 text->name, line, column, value);
}

/* Offset of the first character that is NUL or not valid UTF-8; `size` if there is none. */
static size_t find_bad(const uint8_t *data, size_t size) {
  uint32_t code;
  size_t i = 0;
  while (i < size) {
    if (data[i] && data[i] < 0x80) {
      i++;
      continue;
    }
    const size_t length = gt_utf8_read(data + i, size - i, &code);
    if (!length || !code) return i;
    i += length;
  }
  return size;
}

bool gt_text_clean(const gt_tokenizer_type *type, gt_text_view *text, gt_error *error) {
  static const uint8_t byte_order_mark[] = {0xEF, 0xBB, 0xBF};
  if (type->any_bytes) return true;
  const size_t bad = find_bad(text->data, text->size);
  if (bad < text->size) return fail_at(text, bad, error);
  if (text->size >= sizeof byte_order_mark && !memcmp(text->data, byte_order_mark, sizeof byte_order_mark))
    text->data += sizeof byte_order_mark, text->size -= sizeof byte_order_mark;
  uint8_t *to = memchr(text->data, '\r', text->size);
  if (!to) return true;
  const uint8_t *end = text->data + text->size;
  for (const uint8_t *from = to; from < end; from++)
    if (*from != '\r' || from + 1 == end || from[1] != '\n') *to++ = *from;
  /* The text is shorter now. gt_text_place reads these bytes when it counts the lines before a later text of
   * the same file, and skips NUL. */
  memset(to, 0, (size_t)(end - to));
  text->size = (size_t)(to - text->data);
  return true;
}

/* --- vocabularies --- */

const gt_vocabulary *gt_vocabulary_learn(const gt_tokenizer_type *type, gt_vocabulary_options options,
                                         const gt_text_view *text, gt_arena *arena, gt_error *error) {
  gt_vocabulary *vocabulary = GT_NEW(arena, gt_vocabulary);
  *vocabulary = (gt_vocabulary){.type = type, .unknown = -1, .lower = options.lower};
  return type->learn(vocabulary, options, text, arena, error) ? vocabulary : NULL;
}

bool gt_vocabulary_encode(const gt_vocabulary *vocabulary, const gt_text_view *text, gt_ids *out,
                          gt_error *error) {
  return vocabulary->type->encode(vocabulary, text, out, error);
}

size_t gt_vocabulary_decode(const gt_vocabulary *vocabulary, int32_t before, int32_t id, uint8_t *out) {
  const gt_token *token = &vocabulary->token[id];
  const gt_tokenizer_type *type = vocabulary->type;
  const bool has_space = before >= 0 && type->needs_space && type->needs_space(vocabulary, before, id);
  if (has_space) *out = ' ';
  memcpy(out + has_space, token->text, token->length);
  return token->length + has_space;
}

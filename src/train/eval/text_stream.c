#include "train/eval/text_stream.h"
#include "base/memory.h"
#include "base/unicode.h"
#include <stdlib.h>
#include <string.h>

void gt_text_stream_open(gt_text_stream *stream, const gt_vocabulary *vocabulary, const char *stop,
                         gt_text_sink sink, void *context) {
  *stream =
      (gt_text_stream){.vocabulary = vocabulary, .stop = stop ? stop : "", .sink = sink, .context = context};
}

void gt_text_stream_close(gt_text_stream *stream) { free(stream->items); }

/* Length of a UTF-8 character, from its first byte. */
static size_t length_of(uint8_t first) { return first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

/* True if these bytes are the incomplete beginning of a character. */
static bool is_cut(const uint8_t *text, size_t size) {
  if (size >= length_of(*text) || *text >= 0xF5) return false;
  for (size_t i = 1; i < size; i++)
    if ((text[i] & 0xC0) != 0x80) return false;
  return true;
}

/* The number of bytes at the start that are complete characters. */
static size_t complete_bytes(const uint8_t *text, size_t size) {
  uint32_t code;
  size_t at = 0, used;
  while (at < size && (used = gt_utf8_read(text + at, size - at, &code))) at += used;
  return at;
}

/* Writes the complete characters in the first `size` buffered bytes; all: also an incomplete last one. */
static bool write_characters(gt_text_stream *s, size_t size, bool all, gt_error *error) {
  static const uint8_t replacement[] = {0xEF, 0xBF, 0xBD};
  size_t at = 0, used;
  bool ok = true;
  for (; at < size && ok; at += used) {
    used = complete_bytes(s->items + at, size - at);
    if (used) {
      ok = s->sink(s->context, s->items + at, used, error);
      continue;
    }
    used = 1;
    const bool cut = is_cut(s->items + at, size - at);
    if (cut && !all) break;
    if (cut) used = size - at;
    ok = s->sink(s->context, replacement, sizeof replacement, error);
  }
  s->count -= at;
  if (at) memmove(s->items, s->items + at, s->count);
  return ok;
}

/* The position of the stop text; the number of bytes if it is absent. */
static size_t find_stop(const gt_text_stream *s) {
  const size_t length = strlen(s->stop);
  for (size_t i = 0; length && i + length <= s->count; i++)
    if (!memcmp(s->items + i, s->stop, length)) return i;
  return s->count;
}

/* The length of the longest end of the buffered text that is a start of the stop text. */
static size_t stop_prefix_length(const gt_text_stream *s) {
  const size_t length = strlen(s->stop);
  size_t n = length && s->count >= length ? length - 1 : length ? s->count : 0;
  while (n && memcmp(s->items + s->count - n, s->stop, n) != 0) n--;
  return n;
}

bool gt_text_stream_add(gt_text_stream *s, int32_t previous, int32_t id, gt_error *error) {
  const size_t needed = s->count + s->vocabulary->token[id].length + 1;
  if (needed > s->capacity) s->items = gt_realloc(s->items, s->capacity = 2 * needed);
  s->count += gt_vocabulary_decode(s->vocabulary, previous, id, s->items + s->count);
  const size_t end = find_stop(s);
  s->stopped = end < s->count;
  if (!s->stopped) return write_characters(s, s->count - stop_prefix_length(s), false, error);
  s->count = end;
  return gt_text_stream_end(s, error);
}

bool gt_text_stream_end(gt_text_stream *s, gt_error *error) {
  return write_characters(s, s->count, true, error);
}

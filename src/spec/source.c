#include "spec/source.h"
#include "spec/schema.h"
#include <stdint.h>
#include <string.h>

/* Length in bytes of the UTF-8 sequence at text, or 0 if it is invalid. */
static size_t sequence_size(const unsigned char *text, size_t size) {
  static const struct {
    unsigned char mask, lead;
    uint32_t min; /* the smallest code point that needs this many bytes */
  } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
  for (size_t n = 1; n <= 4; n++) {
    if ((text[0] & forms[n - 1].mask) != forms[n - 1].lead) continue;
    if (n > size) return 0;
    uint32_t code = text[0] & (unsigned char)~forms[n - 1].mask;
    for (size_t i = 1; i < n; i++) {
      if ((text[i] & 0xC0) != 0x80) return 0;
      code = code << 6 | (text[i] & 0x3F);
    }
    return code < forms[n - 1].min || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : n;
  }
  return 0;
}

size_t gt_character_count(const char *text, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return count;
}

/* True for control characters that YAML forbids, and for U+FFFE and U+FFFF. */
static bool is_forbidden(const unsigned char *c, size_t n) {
  if (n == 1) return (*c < 0x20 && *c != '\t' && *c != '\n' && *c != '\r') || *c == 0x7f;
  if (n == 2) return c[0] == 0xC2 && c[1] < 0xA0 && c[1] != 0x85;
  return n == 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE;
}

/* Splits into lines like an editor (\n, \r\n, \r), unlike libyaml, which also splits at U+2028. Each byte
 * that is not UTF-8 counts as one character. *bad: offset of the first byte that is not allowed, and
 * *bad_character that of its character; *bad is SIZE_MAX if there is none. */
static void split(gt_arena *arena, gt_source *source, size_t *bad, size_t *bad_character) {
  const unsigned char *text = (const unsigned char *)source->text;
  size_t count = 1;
  for (size_t i = 0; i < source->size; i++)
    count += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < source->size && text[i + 1] == '\n'));
  source->line = GT_NEW_N(arena, gt_source_line, count);
  size_t start = 0, character = 0;
  *bad = SIZE_MAX;
  for (size_t i = 0; i <= source->size;) {
    if (i == source->size || text[i] == '\n' || text[i] == '\r') {
      gt_source_line *line = &source->line[source->lines++];
      line->text = gt_arena_strndup(arena, source->text + start, i - start);
      line->length = character - line->character;
      if (i == source->size) break;
      if (text[i] == '\r' && i + 1 < source->size && text[i + 1] == '\n') i++, character++;
      start = ++i;
      source->line[source->lines] = (gt_source_line){.byte = start, .character = ++character};
      continue;
    }
    const size_t n = sequence_size(text + i, source->size - i);
    if ((!n || is_forbidden(text + i, n)) && *bad == SIZE_MAX) *bad = i, *bad_character = character;
    i += n ? n : 1;
    character++;
  }
}

static void report_bad(const gt_source *source, size_t byte, size_t character, gt_diagnostics *diagnostics) {
  const unsigned char *c = (const unsigned char *)source->text + byte;
  const size_t n = sequence_size(c, source->size - byte);
  const gt_position at = gt_source_at(source, character, 1);
  if (!n) {
    const bool utf16 =
        byte == 0 && source->size >= 2 && (c[0] == 0xFF || c[0] == 0xFE) && c[0] + c[1] == 0x1FD;
    gt_error_at(diagnostics, at, utf16 ? "this file is UTF-16" : "byte 0x%02x is not valid UTF-8", *c)
        ->expected = "text in UTF-8";
  } else if (!*c) {
    gt_error_at(diagnostics, at, "NUL byte")->expected = "text; is this a binary file?";
  } else {
    gt_error_at(diagnostics, at, "control character 0x%02x", c[n - 1])->expected = "printable text";
  }
}

gt_source *gt_source_new(gt_arena *arena, const char *file, const char *text, size_t size,
                         gt_diagnostics *diagnostics) {
  if (size > GT_SPEC_MAX_BYTES) {
    gt_error_at(diagnostics, (gt_position){.file = file}, "the file is too large (%zu bytes)", size)
        ->expected = "at most 1 MiB";
    return NULL;
  }
  if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
    text += 3, size -= 3; /* a byte order mark is not a column */
  gt_source *source = GT_NEW(arena, gt_source);
  source->file = gt_arena_strdup(arena, file);
  source->text = gt_arena_strndup(arena, text, size);
  source->size = size;
  size_t bad, character = 0;
  split(arena, source, &bad, &character);
  if (bad == SIZE_MAX) return source;
  report_bad(source, bad, character, diagnostics);
  return NULL;
}

gt_position gt_source_at(const gt_source *source, size_t character, size_t width) {
  size_t low = 0, high = source->lines;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (source->line[middle].character <= character)
      low = middle;
    else
      high = middle;
  }
  const gt_source_line *line = &source->line[low];
  const size_t offset = character - line->character, room = offset < line->length ? line->length - offset : 1;
  if (width > room) width = room;
  return (gt_position){.file = source->file,
                       .line_text = line->text,
                       .line = (int)low + 1,
                       .column = (int)offset + 1,
                       .width = width ? (int)width : 1};
}

/* Returns the number of source bytes of the next character of a scalar. *decoded: its bytes after decoding of
 * escapes. quote: 0, '\'' or '"'. */
static size_t character_size(const char *at, char quote, size_t *decoded) {
  size_t n = sequence_size((const unsigned char *)at, strlen(at));
  *decoded = n;
  if (quote == '\'' && *at == '\'') {
    *decoded = 1;
    return at[1] == '\'' ? 2 : 1;
  }
  if (quote != '"' || *at != '\\' || !at[1]) return n ? n : 1;
  const size_t digits = at[1] == 'x' ? 2 : at[1] == 'u' ? 4 : at[1] == 'U' ? 8 : 0;
  unsigned long code = 0;
  for (size_t i = 0; i < digits && at[2 + i]; i++) {
    const char c = at[2 + i];
    code = code * 16 + (unsigned long)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
  }
  *decoded = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  n = strlen(at);
  return 2 + digits < n ? 2 + digits : n;
}

gt_position gt_position_within(const gt_spec *scalar, int offset, int width) {
  gt_position at = scalar->at;
  if (!at.line_text || offset < 0) return at;
  const char *c = at.line_text;
  for (int i = 1; i < at.column && *c; i++)
    for (c++; ((unsigned char)*c & 0xC0) == 0x80;) c++;
  const char *start = c;
  const char quote = scalar->quoted ? *c : 0;
  if (quote == '|' || quote == '>') return at; /* the text starts on a later line */
  c += quote != 0;
  for (size_t done = 0; done < (size_t)offset;) {
    size_t decoded;
    if (!*c) return at; /* folded over several lines */
    c += character_size(c, quote, &decoded);
    done += decoded ? decoded : 1;
  }
  at.column += (int)gt_character_count(start, (size_t)(c - start));
  const int room = (int)gt_character_count(c, strlen(c));
  at.width = width < room ? width : room;
  if (at.width < 1) at.width = 1;
  return at;
}

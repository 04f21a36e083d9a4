#include "base/text.h"
#include "base/arena.h"
#include "base/unicode.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *gt_human_count(double value, char buffer[32]) {
  static const char units[][3] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  double shown = value;
  while (fabs(shown) >= 999.95 && unit + 1 < sizeof units / sizeof *units) shown /= 1000, unit++;
  if (!unit && value == floor(value))
    snprintf(buffer, 32, "%.0f", value);
  else
    snprintf(buffer, 32, "%.1f%s", shown, units[unit]);
  return buffer;
}

const char *gt_human_bytes(double bytes, char buffer[32]) {
  static const char units[][4] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (fabs(bytes) >= 1023.95 && unit + 1 < sizeof units / sizeof *units) bytes /= 1024, unit++;
  snprintf(buffer, 32, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return buffer;
}

/* Decodes the character at c and its length in bytes. False if it is not UTF-8: then one byte. */
static bool decode(const unsigned char *c, size_t *length, uint32_t *code) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* code point of each length */
  const size_t n = *c < 0x80 ? 1 : *c >> 5 == 6 ? 2 : *c >> 4 == 14 ? 3 : *c >> 3 == 30 ? 4 : 0;
  *length = 1;
  *code = *c;
  if (!n) return false;
  uint32_t value = n == 1 ? *c : *c & (0x7Fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((c[i] & 0xC0) != 0x80) return false;
    value = value << 6 | (c[i] & 0x3F);
  }
  if (value < smallest[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  *length = n;
  *code = value;
  return true;
}

/* True for control characters, except newline and tab, and for bidirectional controls. */
static bool controls_terminal(uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

size_t gt_displayable_length(const char *text, size_t *length, uint32_t *code) {
  return decode((const unsigned char *)text, length, code) && !controls_terminal(*code) ? *length : 0;
}

void gt_put_text(FILE *stream, const char *text) {
  while (*text) {
    size_t length;
    uint32_t code;
    if (gt_displayable_length(text, &length, &code))
      fwrite(text, 1, length, stream);
    else
      fprintf(stream, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
    text += length;
  }
}

const char *gt_escape_name(gt_arena *arena, const char *name) {
  char *text = gt_arena_alloc(arena, 6 * strlen(name) + 1), *to = text;
  while (*name) {
    size_t length;
    uint32_t code;
    if (gt_displayable_length(name, &length, &code) && !gt_is_invisible(code))
      to = (char *)memcpy(to, name, length) + length;
    else
      to += sprintf(to, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
    name += length;
  }
  *to = 0;
  return text;
}

uint64_t gt_hash(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

int gt_text_width(const char *text) {
  int width = 0;
  while (*text) {
    size_t length;
    uint32_t code;
    const bool shown = gt_displayable_length(text, &length, &code);
    width += shown ? gt_character_width(code) : code < 0x100 ? 4 : 6; /* escaped as \x1b or \u202e */
    text += length;
  }
  return width;
}

const char *gt_text_prefix(gt_arena *arena, const char *text, int columns) {
  size_t kept = 0;
  for (size_t length; text[kept]; kept += length) {
    uint32_t code;
    const bool shown = gt_displayable_length(text + kept, &length, &code);
    columns -= shown ? gt_character_width(code) : code < 0x100 ? 4 : 6;
    if (columns < 0) break;
  }
  return gt_arena_strndup(arena, text, kept);
}

const char *gt_text_cut(gt_arena *arena, const char *text, int columns) {
  if (gt_text_width(text) <= columns) return text;
  return gt_arena_printf(arena, "%s…", gt_text_prefix(arena, text, columns - 1));
}

int gt_padding(int width, const char *text) {
  const int length = gt_text_width(text);
  return length < width ? width - length : 0;
}

static int wrapping_width(FILE *stream) {
  struct winsize size;
  const int descriptor = fileno(stream); /* -1 for a stream in memory */
  if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) || !size.ws_col) return 80;
  return size.ws_col < 40 ? 40 : size.ws_col > 100 ? 100 : size.ws_col;
}

void gt_print_wrapped(FILE *stream, const char *text, int indent) {
  const int max_width = wrapping_width(stream);
  gt_arena arena;
  gt_arena_init(&arena);
  int column = 0;
  while (*text) {
    const size_t spaces = strspn(text, " "), letters = strcspn(text + spaces, " ");
    const char *word = gt_arena_strndup(&arena, text + spaces, letters);
    const int word_width = gt_text_width(word);
    if (column > indent && column + (int)spaces + word_width > max_width) {
      fprintf(stream, "\n%*s", indent, "");
      column = indent;
    } else {
      fprintf(stream, "%*s", (int)spaces, "");
      column += (int)spaces;
    }
    gt_put_text(stream, word);
    column += word_width;
    text += spaces + letters;
  }
  gt_arena_finish(&arena);
  fprintf(stream, "\n");
}

const char *gt_shell_word(gt_arena *arena, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  size_t quotes = 0;
  if (*word && !word[strspn(word, plain)]) return gt_arena_strdup(arena, word);
  for (const char *c = word; *c; c++) quotes += *c == '\'';
  char *text = gt_arena_alloc(arena, strlen(word) + 3 * quotes + 3), *at = text;
  *at++ = '\'';
  for (; *word; word++) {
    if (*word == '\'') at = memcpy(at, "'\\'", 3), at += 3;
    *at++ = *word;
  }
  *at++ = '\'';
  *at = 0;
  return text;
}

const char *gt_shell_option(gt_arena *arena, const char *name, const char *value) {
  return gt_arena_printf(arena, "--%s%c%s", name, strncmp(value, "--", 2) ? ' ' : '=',
                         gt_shell_word(arena, value));
}

void gt_list_add(gt_list *list, const char *format, ...) {
  va_list arguments;
  if (list->count++ >= list->most) return;
  va_start(arguments, format);
  const char *item = gt_arena_vprintf(list->arena, format, arguments);
  va_end(arguments);
  list->text =
      list->count > 1 ? gt_arena_printf(list->arena, "%s%s%s", list->text, list->separator, item) : item;
}

const char *gt_list_text(const gt_list *list, const char *rest) {
  return list->count > list->most ? gt_arena_printf(list->arena, "%s%s", list->text, rest) : list->text;
}

const char *gt_list_more(const gt_list *list) {
  return gt_list_text(list, gt_arena_printf(list->arena, " and %d more", list->count - list->most));
}

const char *gt_list_of(gt_arena *arena, const char *const *items, int count) {
  gt_list list = gt_list_open(arena, count);
  for (int i = 0; i < count; i++) gt_list_add(&list, "%s", items[i]);
  return list.text;
}

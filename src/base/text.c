#include "base/text.h"
#include "base/arena.h"
#include "base/count.h"
#include "base/unicode.h"
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static int fold(char c) { return c == '-' ? '_' : tolower((unsigned char)c); }

/* Damerau-Levenshtein distance (restricted: a transposed pair is not edited again). Both at most LONGEST
 * long. */
static size_t distance(const char *a, const char *b) {
  size_t row[3][LONGEST + 1];
  const size_t m = strlen(a), n = strlen(b);
  for (size_t j = 0; j <= n; j++) row[0][j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t cost = fold(a[i - 1]) != fold(b[j - 1]);
      now[j] = gt_least(gt_least(above[j] + 1, now[j - 1] + 1), above[j - 1] + cost);
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
        now[j] = gt_least(now[j], before[j - 2] + 1);
    }
  }
  return row[m % 3][n];
}

static bool begins(const char *text, const char *prefix, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!text[i] || fold(text[i]) != fold(prefix[i])) return false;
  return true;
}

/* Is `shorter` the initials of the parts of `full`? "wd" of "weight_decay". */
static bool initials(const char *shorter, const char *full) {
  if (!strpbrk(full, "_-")) return false;
  bool start = true;
  for (; *full; full++) {
    if (start && fold(*full) != fold(*shorter++)) return false;
    start = fold(*full) == '_';
  }
  return !*shorter;
}

/* Is `part` one of the '_'-separated parts of `full`, or the beginning of it? "size" and "batch" of
 * "batch_size". */
static bool is_part(const char *part, const char *full) {
  const size_t length = strlen(part);
  if (length < 3) return false;
  if (begins(full, part, length)) return true;
  for (const char *p = full; *p; p++)
    if (fold(*p) == '_' && begins(p + 1, part, length) && (!p[1 + length] || fold(p[1 + length]) == '_'))
      return true;
  return false;
}

static bool related(const char *word, const char *candidate) {
  return is_part(word, candidate) || is_part(candidate, word) || initials(word, candidate) ||
         initials(candidate, word);
}

const char *gt_nearest(const char *word, const char *const *candidates, size_t count) {
  const size_t length = strlen(word);
  if (!length || length > LONGEST) return NULL;
  const char *best = NULL;
  size_t least = 1 + length / 3 + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t other = strlen(candidates[i]);
    if (other > LONGEST || (other > length ? other - length : length - other) >= least) continue;
    const size_t d = distance(word, candidates[i]);
    if (d < least && d < length) least = d, best = candidates[i];
  }
  if (best) return best;
  /* Not a slip of the keys, but perhaps a shorter or longer form, if only one fits. */
  for (size_t i = 0; i < count; i++) {
    if (!related(word, candidates[i])) continue;
    if (best) return NULL;
    best = candidates[i];
  }
  return best;
}

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

/* The character at c and its length in bytes; false where the bytes are not UTF-8. */
static bool decode(const unsigned char *c, size_t *length, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t n = *c < 0x80 ? 1 : *c >> 5 == 6 ? 2 : *c >> 4 == 14 ? 3 : *c >> 3 == 30 ? 4 : 0;
  *length = 1;
  *code = *c;
  if (!n) return false;
  uint32_t value = n == 1 ? *c : *c & (0x7Fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((c[i] & 0xC0) != 0x80) return false;
    value = value << 6 | (c[i] & 0x3F);
  }
  if (value < least[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  *length = n;
  *code = value;
  return true;
}

static bool steers(uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

size_t gt_shown(const char *text, size_t *length, uint32_t *code) {
  return decode((const unsigned char *)text, length, code) && !steers(*code) ? *length : 0;
}

void gt_put_text(FILE *stream, const char *text) {
  while (*text) {
    size_t length;
    uint32_t code;
    if (gt_shown(text, &length, &code))
      fwrite(text, 1, length, stream);
    else
      fprintf(stream, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
    text += length;
  }
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
    const bool shown = gt_shown(text, &length, &code);
    width += shown ? gt_character_width(code) : code < 0x100 ? 4 : 6;
    text += length;
  }
  return width;
}

int gt_padding(int width, const char *text) {
  const int length = gt_text_width(text);
  return length < width ? width - length : 0;
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

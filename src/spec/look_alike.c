#include "spec/look_alike.h"
#include "base/text.h"
#include <string.h>

typedef struct range {
  uint32_t first, last;
  char plain;       /* equivalent of the first code; 0: none */
  bool consecutive; /* the equivalents of first … last are consecutive characters; false: all are `plain` */
  const char *name;
} range;

static const range ranges[] = {
    {0xA0, 0xA0, ' ', false, "no-break space"},
    {0xAB, 0xAB, '"', false, "typographic quote"},
    {0xAD, 0xAD, 0, false, "soft hyphen"},
    {0xBB, 0xBB, '"', false, "typographic quote"},
    {0x430, 0x430, 'a', false, "Cyrillic letter"},
    {0x435, 0x435, 'e', false, "Cyrillic letter"},
    {0x43E, 0x43E, 'o', false, "Cyrillic letter"},
    {0x440, 0x440, 'p', false, "Cyrillic letter"},
    {0x441, 0x441, 'c', false, "Cyrillic letter"},
    {0x445, 0x445, 'x', false, "Cyrillic letter"},
    {0x456, 0x456, 'i', false, "Cyrillic letter"},
    {0x660, 0x669, '0', true, "Arabic-Indic digit"},
    {0x66B, 0x66B, '.', false, "Arabic decimal separator"},
    {0x6F0, 0x6F9, '0', true, "Arabic-Indic digit"},
    {0x1680, 0x1680, ' ', false, "Unicode space"},
    {0x2000, 0x200A, ' ', false, "Unicode space"},
    {0x200B, 0x200D, 0, false, "zero-width character"},
    {0x2010, 0x2011, '-', false, "typographic hyphen"},
    {0x2012, 0x2012, '-', false, "figure dash"},
    {0x2013, 0x2013, '-', false, "en dash"},
    {0x2014, 0x2015, '-', false, "em dash"},
    {0x2018, 0x201B, '\'', false, "typographic quote"},
    {0x201C, 0x201F, '"', false, "typographic quote"},
    {0x2022, 0x2022, '-', false, "bullet"},
    {0x202F, 0x202F, ' ', false, "narrow no-break space"},
    {0x205F, 0x205F, ' ', false, "Unicode space"},
    {0x2060, 0x2060, 0, false, "zero-width character"},
    {0x2212, 0x2212, '-', false, "minus sign"},
    {0x3000, 0x3000, ' ', false, "full-width space"},
    {0x3001, 0x3001, ',', false, "full-width comma"},
    {0xFEFF, 0xFEFF, 0, false, "zero-width character"},
    {0xFF01, 0xFF0F, '!', true, "full-width character"},
    {0xFF10, 0xFF19, '0', true, "full-width digit"},
    {0xFF1A, 0xFF5E, ':', true, "full-width character"},
};
/* Looks up the character at a byte; false: no look-alike. *size: its length in bytes, always set. */
static bool read_at(const char *text, size_t byte, size_t *size, gt_look_alike *found) {
  uint32_t code;
  gt_displayable_length(text + byte, size, &code);
  for (size_t i = 0; code >= 0x80 && i < sizeof ranges / sizeof *ranges; i++)
    if (code >= ranges[i].first && code <= ranges[i].last) {
      const range *r = &ranges[i];
      *found = (gt_look_alike){.code = code, .name = r->name, .byte = byte, .size = *size};
      found->plain[0] = (char)(r->plain + (r->consecutive ? code - r->first : 0));
      memcpy(found->text, text + byte, *size);
      return true;
    }
  return false;
}

bool gt_look_alike_find(const char *text, size_t start, gt_look_alike *found) {
  size_t size = 0;
  for (size_t i = start; text[i]; i += size)
    if (read_at(text, i, &size, found)) return true;
  return false;
}

char *gt_look_alike_plain(gt_arena *arena, const char *text) {
  char *out = gt_arena_alloc(arena, strlen(text) + 1);
  size_t n = 0, size = 0;
  gt_look_alike found;
  for (size_t i = 0; text[i]; i += size) {
    if (read_at(text, i, &size, &found)) {
      memcpy(out + n, found.plain, strlen(found.plain));
      n += strlen(found.plain);
    } else {
      memcpy(out + n, text + i, size);
      n += size;
    }
  }
  out[n] = 0;
  return out;
}

const char *gt_look_alike_describe(gt_arena *arena, const gt_look_alike *found) {
  const unsigned code = found->code;
  const char *article = strchr("aeiouA", *found->name) ? "an" : "a";
  if (!*found->plain) return gt_arena_printf(arena, "%s %s (U+%04X): remove it", article, found->name, code);
  if (*found->plain == ' ')
    return gt_arena_printf(arena, "%s %s (U+%04X): write an ordinary space", article, found->name, code);
  return gt_arena_printf(arena, "'%s' is %s %s (U+%04X): write '%s'", found->text, article, found->name, code,
                         found->plain);
}

static bool is_blank(const gt_look_alike *c) { return *c->plain == ' ' || !*c->plain; }
static bool is_quote(const gt_look_alike *c) { return *c->plain == '"' || *c->plain == '\''; }

/* True for a dash followed by a space, meant to start a list item. */
static bool is_item(const char *text, const gt_look_alike *c) {
  gt_look_alike next;
  size_t size;
  const size_t end = c->byte + c->size;
  return *c->plain == '-' &&
         (text[end] == ' ' || (text[end] && read_at(text, end, &size, &next) && is_blank(&next)));
}

bool gt_look_alike_as_syntax(const char *text, gt_look_alike *found) {
  for (size_t i = 0; gt_look_alike_find(text, i, found); i = found->byte + found->size) {
    const bool first = found->byte == 0, last = !text[found->byte + found->size];
    if (is_blank(found) && (first || last || text[found->byte - 1] == ':')) return true;
    if (first && (is_quote(found) || is_item(text, found))) return true;
  }
  return false;
}

bool gt_look_alike_in_line(const char *line, gt_look_alike *found) {
  char quote = 0;
  size_t size = 0;
  bool start = true;
  for (size_t i = 0; line[i]; i += size) {
    if (read_at(line, i, &size, found) && !quote) {
      const bool punctuation = *found->plain && strchr(":,[]{}#", *found->plain);
      if (punctuation || is_blank(found) || is_quote(found) || (start && is_item(line, found))) return true;
    }
    if (line[i] == '#' && !quote && (!i || line[i - 1] == ' ')) return false;
    if (line[i] == quote)
      quote = 0;
    else if (!quote && (line[i] == '"' || line[i] == '\''))
      quote = line[i];
    start &= line[i] == ' ' || line[i] == '-';
  }
  return false;
}

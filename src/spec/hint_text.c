/* Hints about the characters of a text: look-alikes of ASCII, and texts that are almost numbers. */
#include "base/formula.h"
#include "base/text.h"
#include "spec/hint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Characters that look like ASCII, or are invisible. */
static const struct {
  const char *codes; /* codes and ranges of codes, in hexadecimal */
  const char *plain; /* the ASCII character that it looks like, or a range of them, or "" */
  const char *name;
} look_alikes[] = {
    {"a0", " ", "no-break space"},
    {"ab bb 201c-201f", "\"", "typographic quote"},
    {"ad", "", "soft hyphen"},
    {"430", "a", "Cyrillic letter"},
    {"435", "e", "Cyrillic letter"},
    {"43e", "o", "Cyrillic letter"},
    {"440", "p", "Cyrillic letter"},
    {"441", "c", "Cyrillic letter"},
    {"445", "x", "Cyrillic letter"},
    {"456", "i", "Cyrillic letter"},
    {"660-669 6f0-6f9", "0-9", "Arabic-Indic digit"},
    {"66b", ".", "Arabic decimal separator"},
    {"1680 2000-200a 205f", " ", "Unicode space"},
    {"200b-200d 2060 feff", "", "zero-width character"},
    {"2010-2011", "-", "typographic hyphen"},
    {"2012", "-", "figure dash"},
    {"2013", "-", "en dash"},
    {"2014-2015", "-", "em dash"},
    {"2018-201b", "'", "typographic quote"},
    {"2022", "-", "bullet"},
    {"202f", " ", "narrow no-break space"},
    {"2212", "-", "minus sign"},
    {"3000", " ", "full-width space"},
    {"3001", ",", "full-width comma"},
    {"ff01-ff0f", "!-/", "full-width character"},
    {"ff10-ff19", "0-9", "full-width digit"},
    {"ff1a-ff5e", ":-~", "full-width character"},
};

/* True if a code is in a list such as "a0 2000-200a"; *first: the first code of its range. */
static bool is_in_ranges(const char *list, uint32_t code, unsigned long *first) {
  for (char *end; *list; list = end + strspn(end, " ")) {
    *first = strtoul(list, &end, 16);
    const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 16) : *first;
    if (code >= *first && code <= last) return true;
  }
  return false;
}

/* Looks up the character at a byte; false: no look-alike. *size: its length in bytes, always set. */
static bool read_at(const char *text, size_t byte, size_t *size, gt_look_alike *found) {
  uint32_t code;
  gt_displayable_length(text + byte, size, &code);
  for (size_t i = 0; code >= 0x80 && i < sizeof look_alikes / sizeof *look_alikes; i++) {
    unsigned long first = 0;
    if (!is_in_ranges(look_alikes[i].codes, code, &first)) continue;
    const char *plain = look_alikes[i].plain;
    const bool consecutive = strlen(plain) == 3; /* "0-9" */
    *found = (gt_look_alike){.code = code, .name = look_alikes[i].name, .byte = byte, .size = *size};
    found->plain[0] = (char)(plain[0] + (consecutive ? (int)(code - first) : 0));
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

/* --- numbers --- */

static bool is_number(const char *text, bool whole) {
  int64_t integer;
  double number;
  const gt_spec node = {.kind = GT_SPEC_SCALAR, .scalar = text};
  return whole ? gt_spec_int(&node, &integer) : gt_spec_float(&node, &number);
}

/* Drops the suggestion if it is not a number of the required kind. */
static gt_hint make_hint(const char *suggestion, const char *help, bool whole) {
  return (gt_hint){suggestion && is_number(suggestion, whole) ? suggestion : NULL, help, true};
}

static gt_hint make_number_hint(gt_arena *arena, double value, const char *help, bool whole) {
  return make_hint(isfinite(value) ? gt_arena_printf(arena, "%.10g", value) : NULL, help, whole);
}

static char *remove_characters(gt_arena *arena, const char *text, const char *characters) {
  char *out = gt_arena_strdup(arena, text), *to = out;
  for (const char *c = text; *c; c++)
    if (!strchr(characters, *c)) *to++ = *c;
  *to = 0;
  return out;
}

/* True for "60,000" and "1'000'000": groups of three digits after one to three digits. */
static bool is_grouped(const char *text, char separator) {
  size_t digits = strspn(text, "0123456789"), groups = 0;
  if (digits < 1 || digits > 3) return false;
  for (text += digits; *text == separator; text += 4, groups++)
    if (strspn(text + 1, "0123456789") != 3) return false;
  return groups && !*text;
}

static gt_hint hint_for_comma(gt_arena *arena, const char *text, bool whole) {
  const char *digits = text + (*text == '-' || *text == '+');
  if (is_grouped(digits, ',') && *digits != '0') {
    const char *joined = remove_characters(arena, text, ",");
    char *with_point = gt_arena_strdup(arena, text);
    if (whole || strchr(strchr(digits, ',') + 1, ','))
      return make_hint(joined, "write the number without thousands separators", whole);
    *strchr(with_point, ',') = '.';
    return (gt_hint){
        NULL, gt_arena_printf(arena, "a number cannot contain a comma: write %s or %s", joined, with_point),
        true};
  }
  if (!text[strcspn(text, ",") + 1])
    return make_hint(remove_characters(arena, text, ","), "remove the ',' after the number", whole);
  char *with_point = gt_arena_strdup(arena, text);
  *strchr(with_point, ',') = '.';
  return is_number(with_point, false)
             ? make_hint(with_point, "this is a decimal comma: write a decimal point", whole)
             : (gt_hint){0};
}

/* Handles "50%", "10k", and arithmetic such as "1/255", "10^-3", "2**10". */
static gt_hint hint_for_arithmetic(gt_arena *arena, const char *text, bool whole) {
  char *end;
  const double number = strtod(text, &end);
  const gt_hint_row *unit = end == text ? NULL : gt_hint_match(gt_hint_rows, "unit", end + strspn(end, " "));
  if (unit) {
    const gt_hint hint = make_number_hint(arena, number * strtod(unit->ours, NULL), unit->say, whole);
    return hint.suggestion ? hint : (gt_hint){0}; /* "10%" is no integer */
  }
  if (!strpbrk(text, "*/^") || !strpbrk(text, "0123456789")) return (gt_hint){0}; /* "3-5" is a range */
  char *formula = gt_arena_strdup(arena, text);
  for (char *power; (power = strstr(formula, "**"));) power[0] = '^', power[1] = ' ';
  gt_formula_error ignored;
  const gt_formula *parsed = gt_formula_parse(arena, formula, NULL, 0, &ignored);
  return parsed ? make_number_hint(arena, gt_formula_evaluate(parsed, NULL),
                                   "gtrain does not evaluate arithmetic: write the result", whole)
                : (gt_hint){0};
}

gt_hint gt_hint_number(gt_arena *arena, const char *text, bool whole) {
  char word[GT_HINT_WORD];
  gt_look_alike found;
  if (gt_look_alike_find(text, 0, &found)) {
    const char *plain = gt_look_alike_plain(arena, text);
    const char *joined =
        *found.plain == ' ' || *found.plain == '\'' ? remove_characters(arena, plain, " '") : plain;
    if (is_number(joined, whole)) return make_hint(joined, gt_look_alike_describe(arena, &found), whole);
  }
  gt_hint_fold(text, word);
  const gt_hint_row *none = gt_hint_match(gt_hint_rows, "no number", word);
  if (none) return (gt_hint){NULL, gt_arena_printf(arena, "'%s' is not a number: %s", text, none->say), true};
  if (is_number(text, whole)) return make_hint(text, "write the number without quotes", whole);
  if (strchr(text, ',')) return hint_for_comma(arena, text, whole);
  if (is_grouped(text, ' ') || is_grouped(text, '\''))
    return make_hint(remove_characters(arena, text, " '"), "write the number without thousands separators",
                     whole);
  return hint_for_arithmetic(arena, text, whole);
}

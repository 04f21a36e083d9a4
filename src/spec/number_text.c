#include "spec/number_text.h"
#include "spec/look_alike.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Handles "1/255", "10^-3", "2**10", "50%", "10k". */
static gt_hint hint_for_arithmetic(gt_arena *arena, const char *text, bool whole) {
  static const char help[] = "gtrain does not evaluate arithmetic: write the result";
  char *end;
  const double left = strtod(text, &end);
  if (end == text) return (gt_hint){0};
  const char *suffix = end + strspn(end, " ");
  if (!strcmp(suffix, "%"))
    return make_number_hint(arena, left / 100, "write a fraction, not a percentage", whole);
  if (!strcasecmp(suffix, "k")) return make_number_hint(arena, left * 1e3, "write all digits, or 1e3", whole);
  if (!strcmp(suffix, "M")) return make_number_hint(arena, left * 1e6, "write all digits, or 1e6", whole);
  if (!strcmp(suffix, "f")) return make_number_hint(arena, left, "remove the 'f'", whole);
  const char *rest =
      *suffix == '^' || *suffix == '/' || *suffix == '*' ? suffix + strspn(suffix, "^/*") : suffix;
  const double right = strtod(rest, &end);
  if (rest == suffix || end == rest || *end) return (gt_hint){0};
  const size_t length = (size_t)(rest - suffix);
  if (length == 1 && *suffix == '/') return make_number_hint(arena, left / right, help, whole);
  if ((length == 1 && *suffix == '^') || !strncmp(suffix, "**", 2))
    return make_number_hint(arena, pow(left, right), help, whole);
  return length == 1 ? make_number_hint(arena, left * right, help, whole) : (gt_hint){0};
}

gt_hint gt_number_hint(gt_arena *arena, const char *text, bool whole) {
  static const char *const empty_words[] = {"none", "null",      "nil",     "nan", "n/a",
                                            "na",   "undefined", "default", "auto"};
  gt_look_alike found;
  if (gt_look_alike_find(text, 0, &found)) {
    const char *plain = gt_look_alike_plain(arena, text);
    const char *joined =
        *found.plain == ' ' || *found.plain == '\'' ? remove_characters(arena, plain, " '") : plain;
    if (is_number(joined, whole)) return make_hint(joined, gt_look_alike_describe(arena, &found), whole);
  }
  for (size_t i = 0; i < sizeof empty_words / sizeof *empty_words; i++)
    if (!strcasecmp(text, empty_words[i]))
      return (gt_hint){
          NULL, gt_arena_printf(arena, "'%s' is not a number: remove the key to use its default", text),
          true};
  if (is_number(text, whole)) return make_hint(text, "write the number without quotes", whole);
  if (strchr(text, ',')) return hint_for_comma(arena, text, whole);
  if (is_grouped(text, ' ') || is_grouped(text, '\''))
    return make_hint(remove_characters(arena, text, " '"), "write the number without thousands separators",
                     whole);
  return hint_for_arithmetic(arena, text, whole);
}

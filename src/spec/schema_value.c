#include "spec/schema_value.h"
#include "base/file.h"
#include "base/text.h"
#include "spec/hint.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NUMBER = 64 }; /* bytes of a number's text, with NUL */

/* Copies a number without its underscores; false if an underscore is not between digits or the text is too
 * long. */
static bool without_underscores(const char *text, char clean[MAX_NUMBER]) {
  size_t n = 0;
  for (size_t i = 0; text[i]; i++) {
    if (text[i] == '_') {
      if (!i || !isxdigit((unsigned char)text[i - 1]) || !isxdigit((unsigned char)text[i + 1])) return false;
      continue;
    }
    if (n + 1 == MAX_NUMBER) return false;
    clean[n++] = text[i];
  }
  clean[n] = 0;
  return n > 0;
}

/* Parses digits with an optional sign, 0x or 0o. */
static bool parse_integer(const char *text, int64_t *out) {
  const char *digits = text + (*text == '+' || *text == '-');
  int base = 10;
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o'))
    base = digits[1] == 'x' ? 16 : 8, digits += 2;
  static const char all[] = "0123456789abcdefABCDEF";
  char allowed[sizeof all];
  memcpy(allowed, all, sizeof all);
  if (base < 16) allowed[base] = 0;
  if (!*digits || digits[strspn(digits, allowed)]) return false;
  errno = 0;
  const unsigned long long value = strtoull(digits, NULL, base);
  if (errno || value > INT64_MAX) return false;
  *out = *text == '-' ? -(int64_t)value : (int64_t)value;
  return true;
}

/* Checks the syntax first, because strtod also accepts nan, inf and hexadecimal fractions. */
static bool parse_float(const char *text, double *out) {
  const char *c = text + (*text == '+' || *text == '-');
  size_t digits = strspn(c, "0123456789");
  c += digits;
  if (*c == '.') {
    const size_t fraction = strspn(++c, "0123456789");
    digits += fraction;
    c += fraction;
  }
  if (!digits) return false;
  if (*c == 'e' || *c == 'E') {
    c++;
    c += *c == '+' || *c == '-';
    const size_t exponent = strspn(c, "0123456789");
    if (!exponent) return false;
    c += exponent;
  }
  if (*c) return false;
  *out = strtod(text, NULL);
  return isfinite(*out);
}

static bool parse_float_text(const char *text, double *out) {
  char clean[MAX_NUMBER];
  int64_t integer;
  if (!without_underscores(text, clean)) return false;
  if (parse_float(clean, out)) return true;
  if (!parse_integer(clean, &integer)) return false;
  *out = (double)integer;
  return true;
}

static bool parse_integer_text(const char *text, int64_t *out) {
  char clean[MAX_NUMBER];
  double number;
  if (!without_underscores(text, clean)) return false;
  if (parse_integer(clean, out)) return true;
  if (!parse_float(clean, &number) || number != floor(number) || fabs(number) > 0x1p53) return false;
  *out = (int64_t)number;
  return true;
}

bool gt_spec_int(const gt_spec *node, int64_t *out) {
  return node && node->kind == GT_SPEC_SCALAR && !node->quoted && parse_integer_text(node->scalar, out);
}

bool gt_spec_float(const gt_spec *node, double *out) {
  return node && node->kind == GT_SPEC_SCALAR && !node->quoted && parse_float_text(node->scalar, out);
}

bool gt_spec_bool(const gt_spec *node, bool *out) {
  if (!node || node->kind != GT_SPEC_SCALAR || node->quoted) return false;
  static const char *const forms[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strcmp(node->scalar, forms[i])) {
      *out = i % 2;
      return true;
    }
  return false;
}

bool gt_field_is_list(const gt_field *field) {
  return field->type == GT_FIELD_INTS || field->type == GT_FIELD_FLOATS || field->type == GT_FIELD_STRINGS;
}

static bool is_numeric(const gt_field *field) {
  return field->type == GT_FIELD_INT || field->type == GT_FIELD_FLOAT || field->type == GT_FIELD_INTS ||
         field->type == GT_FIELD_FLOATS || field->type == GT_FIELD_INT_OR_STRINGS;
}

void gt_field_bounds(const gt_field *field, double *min, double *max) {
  const bool any = field->min == 0 && field->max == 0;
  *min = any && !(field->flags & GT_FIELD_OPEN_MIN) ? -INFINITY : field->min;
  *max = (any && !(field->flags & GT_FIELD_OPEN_MAX)) || field->max < field->min ? INFINITY : field->max;
}

static const char *describe_range(gt_arena *arena, const gt_field *field) {
  if (!is_numeric(field)) return "";
  double min, max;
  gt_field_bounds(field, &min, &max);
  const char *each = gt_field_is_list(field) ? "each " : "";
  const char *low = "", *high = "";
  if (isfinite(min))
    low =
        gt_arena_printf(arena, "%s %.10g", field->flags & GT_FIELD_OPEN_MIN ? "more than" : "at least", min);
  if (isfinite(max))
    high =
        gt_arena_printf(arena, "%s %.10g", field->flags & GT_FIELD_OPEN_MAX ? "less than" : "at most", max);
  if (!*low && !*high) return "";
  return gt_arena_printf(arena, ", %s%s%s%s", each, low, *low && *high ? " and " : "", high);
}

static char *describe_choices(gt_arena *arena, const gt_field *field) {
  int count = 0;
  while (field->choices && field->choices[count]) count++;
  return gt_arena_printf(arena, "one of: %s", gt_list_of(arena, field->choices, count));
}

char *gt_field_describe(gt_arena *arena, const gt_field *field) {
  static const char *const words[] = {
      [GT_FIELD_INT] = "an integer",
      [GT_FIELD_FLOAT] = "a number",
      [GT_FIELD_BOOL] = "true or false",
      [GT_FIELD_STRING] = "text",
      [GT_FIELD_PATH] = "a file name",
      [GT_FIELD_INTS] = "an integer or a list of integers",
      [GT_FIELD_NODE] = "a value",
      [GT_FIELD_FLOATS] = "a number or a list of numbers",
      [GT_FIELD_MAP] = "a map",
      [GT_FIELD_STRINGS] = "a word or a list of words",
      [GT_FIELD_INT_OR_STRINGS] = "an integer",
  };
  if (field->type == GT_FIELD_CHOICE) return describe_choices(arena, field);
  if (field->choices) return gt_arena_printf(arena, "a list %s", describe_choices(arena, field) + 4);
  if (field->type == GT_FIELD_MAP && field->sub && field->sub->fields) {
    gt_list keys = gt_list_open(arena, INT_MAX);
    for (const gt_field *f = field->sub->fields; f->name; f++) gt_list_add(&keys, "%s", f->name);
    return gt_arena_printf(arena, "a map of: %s", keys.text);
  }
  return gt_arena_printf(arena, "%s%s%s%s", words[field->type], describe_range(arena, field),
                         field->type == GT_FIELD_INT_OR_STRINGS ? ", or a list of words" : "",
                         field->flags & GT_FIELD_BY_NAME ? ", or a map from names to such values" : "");
}

const char *gt_schema_where(gt_arena *arena, const char *where) {
  return where && *where ? gt_arena_printf(arena, " %s", where) : "";
}

const char *gt_schema_subject(const gt_schema_reader *r, const gt_field *field) {
  return r->shown ? r->shown
                  : gt_arena_printf(r->arena, "'%s'%s", field->name, gt_schema_where(r->arena, r->where));
}

static const char *describe_value(gt_arena *arena, const gt_spec *value) {
  if (value->kind == GT_SPEC_MAP) return "a map";
  if (value->kind == GT_SPEC_SEQUENCE) return "a list";
  if (gt_spec_is_null(value)) return "nothing";
  return gt_arena_printf(arena, "%s'%.80s'%s", value->quoted ? "the text " : "", value->scalar,
                         strlen(value->scalar) > 80 ? "…" : "");
}

/* A hint for `(3, 3)`, `3x3` or `3, 3` if a list is allowed. */
static gt_hint hint_for_list(gt_arena *arena, const char *text) {
  static const char help[] = "write a list in square brackets";
  char inner[MAX_NUMBER];
  int height, width, end = 0;
  if (sscanf(text, "%d%*1[xX]%d%n", &height, &width, &end) == 2 && !text[end])
    return (gt_hint){gt_arena_printf(arena, "[%d, %d]", height, width), help, true};
  if (sscanf(text, "(%63[^()])%n", inner, &end) == 1 && end && !text[end])
    return (gt_hint){gt_arena_printf(arena, "[%s]", inner), help, true};
  const bool listed = strstr(text, ", ") && !text[strspn(text, "0123456789.,- eE")];
  return listed ? (gt_hint){gt_arena_printf(arena, "[%s]", text), help, true} : (gt_hint){0};
}

/* What the table of hints calls the value: its key, or the map whose short form it is ("early_stopping"). */
static const char *hint_name(const gt_schema_reader *r, const gt_field *field) {
  const char *shorthand = r->schema->shorthand;
  return shorthand && !strcmp(shorthand, field->name) ? r->schema->name : field->name;
}

/* A hint for a scalar of the wrong type. */
static gt_hint hint_for(const gt_schema_reader *r, const gt_field *field, const gt_spec *value) {
  if (gt_spec_is_null(value) && !(field->flags & GT_FIELD_REQUIRED))
    return (gt_hint){.help = "remove the key to use its default"};
  const gt_hint known = gt_hint_value(hint_name(r, field), value, false);
  if (known.from_table || value->kind != GT_SPEC_SCALAR) return known;
  gt_hint list = {0};
  if (gt_field_is_list(field)) list = hint_for_list(r->arena, value->scalar);
  if (list.suggestion) return list;
  if (is_numeric(field)) {
    const bool real = field->type == GT_FIELD_FLOAT || field->type == GT_FIELD_FLOATS;
    const gt_hint hint = gt_hint_number(r->arena, value->scalar, !real);
    char word[GT_HINT_WORD];
    gt_hint_fold(value->scalar, word);
    const bool wants_default = gt_hint_match(gt_hint_rows, "no number", word) != NULL;
    if ((hint.suggestion || hint.help) && !(wants_default && field->flags & GT_FIELD_REQUIRED)) return hint;
  } else if (field->type == GT_FIELD_BOOL) {
    static const char *const names[] = {"true", "false"};
    return gt_hint_name(r->diagnostics, "boolean", value->scalar, names, 2);
  }
  const char *spaced = gt_schema_missing_space(r, value->scalar);
  if (spaced) return (gt_hint){.suggestion = spaced};
  return gt_hint_value(field->name, value, true);
}

static bool wrong_type(const gt_schema_reader *r, const gt_field *field, const gt_spec *value,
                       const char *wanted) {
  gt_diagnostic *item = gt_error_at(r->diagnostics, value->at, "%s: expected %s, found %s",
                                    gt_schema_subject(r, field), wanted, describe_value(r->arena, value));
  const gt_hint hint = hint_for(r, field, value);
  item->expected = gt_field_describe(r->arena, field);
  item->suggestion = hint.suggestion;
  item->help = hint.help;
  return false;
}

static bool check_range(const gt_schema_reader *r, const gt_field *field, const gt_spec *value,
                        double number) {
  double min, max;
  gt_field_bounds(field, &min, &max);
  const bool low = field->flags & GT_FIELD_OPEN_MIN ? number <= min : number < min;
  const bool high = field->flags & GT_FIELD_OPEN_MAX ? number >= max : number > max;
  if (!low && !high) return true;
  gt_diagnostic *item = gt_error_at(r->diagnostics, value->at, "%s is too %s: %s",
                                    gt_schema_subject(r, field), low ? "small" : "large", value->scalar);
  item->expected = gt_field_describe(r->arena, field);
  item->help = gt_hint_limit(hint_name(r, field)).help;
  return false;
}

static bool read_int(const gt_schema_reader *r, const gt_field *field, int64_t *to, const gt_spec *value) {
  int64_t number;
  if (!gt_spec_int(value, &number)) return wrong_type(r, field, value, "an integer");
  if (!check_range(r, field, value, (double)number)) return false;
  *to = number;
  return true;
}

static bool read_float(const gt_schema_reader *r, const gt_field *field, double *to, const gt_spec *value) {
  double number;
  if (!gt_spec_float(value, &number)) return wrong_type(r, field, value, "a finite number");
  if (!check_range(r, field, value, number)) return false;
  *to = number;
  return true;
}

static bool read_text(const gt_schema_reader *r, const gt_field *field, const char **to,
                      const gt_spec *value) {
  if (value->kind != GT_SPEC_SCALAR || gt_spec_is_null(value)) return wrong_type(r, field, value, "text");
  *to = value->scalar;
  return true;
}

/* True if the text up to its first dot is a choice. */
static bool is_choice(const gt_field *field, const char *text) {
  const size_t length = strcspn(text, ".");
  for (size_t i = 0; field->choices[i]; i++)
    if (!strncmp(field->choices[i], text, length) && !field->choices[i][length]) return true;
  return false;
}

static bool read_choice(const gt_schema_reader *r, const gt_field *field, const char **to,
                        const gt_spec *value) {
  const char *text = NULL;
  if (!read_text(r, field, &text, value)) return false;
  const char *dot = field->flags & GT_FIELD_QUALIFIED ? strchr(text, '.') : NULL;
  if (dot && (is_choice(field, text) || is_choice(field, dot + 1))) {
    *to = text;
    return true;
  }
  size_t count = 0;
  for (; field->choices[count]; count++)
    if (!strcmp(field->choices[count], text)) {
      *to = field->choices[count];
      return true;
    }
  gt_diagnostic *item =
      gt_error_at(r->diagnostics, value->at, "%s cannot be '%.80s'", gt_schema_subject(r, field), text);
  const gt_hint hint = gt_hint_name(r->diagnostics, hint_name(r, field), text, field->choices, count);
  item->expected = gt_field_describe(r->arena, field);
  item->suggestion = hint.suggestion;
  item->help = hint.help;
  if (!item->suggestion && gt_field_is_list(field) && strstr(text, ", ")) {
    item->suggestion = gt_arena_printf(r->arena, "[%s]", text);
    item->help = "write a list in square brackets";
  }
  if (!item->suggestion) item->suggestion = gt_schema_missing_space(r, text);
  return false;
}

static bool read_path(const gt_schema_reader *r, const gt_field *field, const char **to,
                      const gt_spec *value) {
  const char *path = NULL;
  if (!read_text(r, field, &path, value)) return false;
  if (field->flags & GT_FIELD_MAY_BE_ABSENT || gt_locate(r->arena, path, value->at.file, NULL).path) {
    *to = path;
    return true;
  }
  gt_diagnostic *item =
      gt_error_at(r->diagnostics, value->at, "%s: '%s' does not exist", gt_schema_subject(r, field), path);
  item->expected = gt_position_is_override(value->at)
                       ? "an existing file, relative to the working directory"
                       : "an existing file, relative to the working directory or to the config's folder";
  item->suggestion = gt_nearest_path(r->arena, path);
  return false;
}

/* Reads a list; a scalar is a list of one. False after reporting every bad element; then *to is unchanged. */
static bool read_list(const gt_schema_reader *r, const gt_field *field, void *to, const gt_spec *value) {
  const bool is_scalar = value->kind == GT_SPEC_SCALAR;
  const bool words = field->type == GT_FIELD_STRINGS || field->type == GT_FIELD_INT_OR_STRINGS;
  if (value->kind == GT_SPEC_MAP || gt_spec_is_null(value)) return wrong_type(r, field, value, "a list");
  const int count = is_scalar ? 1 : value->count;
  int64_t *ints = GT_NEW_N(r->arena, int64_t, count);
  double *floats = GT_NEW_N(r->arena, double, count);
  const char **strings = GT_NEW_N(r->arena, const char *, count);
  gt_position *at = GT_NEW_N(r->arena, gt_position, count);
  bool ok = true;
  for (int i = 0; i < count; i++) {
    const gt_spec *item = is_scalar ? value : value->child[i];
    at[i] = item->at;
    if (field->type == GT_FIELD_INTS) ok &= read_int(r, field, &ints[i], item);
    if (field->type == GT_FIELD_FLOATS) ok &= read_float(r, field, &floats[i], item);
    if (words)
      ok &=
          field->choices ? read_choice(r, field, &strings[i], item) : read_text(r, field, &strings[i], item);
  }
  if (!ok) return false;
  if (field->type == GT_FIELD_INTS) *(gt_ints *)to = (gt_ints){ints, count};
  if (field->type == GT_FIELD_FLOATS) *(gt_floats *)to = (gt_floats){floats, count};
  if (words) *(gt_strings *)to = (gt_strings){strings, at, count};
  return true;
}

static bool read_int_or_list(const gt_schema_reader *r, const gt_field *field, gt_int_or_strings *to,
                             const gt_spec *value) {
  if (value->kind != GT_SPEC_SEQUENCE) return read_int(r, field, &to->integer, value);
  to->listed = read_list(r, field, &to->strings, value);
  return to->listed;
}

/* Size of the C type of a GT_FIELD_BY_NAME field's values. */
static size_t size_of(gt_field_type type) {
  return type == GT_FIELD_PATH || type == GT_FIELD_CHOICE || type == GT_FIELD_STRING ? sizeof(const char *)
         : type == GT_FIELD_INTS                                                     ? sizeof(gt_ints)
                                                                                     : sizeof(gt_strings);
}

/* Reads a map from names to values, or one unnamed value. False after reporting every bad value; then *to is
 * unchanged. */
static bool read_named(const gt_schema_reader *r, const gt_field *field, gt_named *to, const gt_spec *value) {
  const bool is_unnamed = value->kind != GT_SPEC_MAP;
  const int count = is_unnamed ? 1 : value->count;
  const size_t size = size_of(field->type);
  gt_field unnamed = *field; /* reads one value */
  unnamed.flags &= ~(unsigned)GT_FIELD_BY_NAME;
  if (!count) return wrong_type(r, field, value, "a value for each name");
  char *items = gt_arena_alloc_n(r->arena, (size_t)count, size);
  const char **name = GT_NEW_N(r->arena, const char *, count);
  gt_position *at = GT_NEW_N(r->arena, gt_position, count);
  bool ok = true;
  for (int i = 0; i < count; i++) {
    const gt_spec *item = is_unnamed ? value : value->child[i];
    name[i] = item->key;
    at[i] = is_unnamed ? item->at : item->key_at;
    ok &= gt_schema_read_value(r, &unnamed, items + (size_t)i * size, item);
  }
  if (ok) *to = (gt_named){count, is_unnamed ? NULL : name, at, items};
  return ok;
}

bool gt_schema_read_value(const gt_schema_reader *r, const gt_field *field, void *to, const gt_spec *value) {
  if (field->flags & GT_FIELD_BY_NAME) return read_named(r, field, to, value);
  switch (field->type) {
  case GT_FIELD_INT: return read_int(r, field, to, value);
  case GT_FIELD_FLOAT: return read_float(r, field, to, value);
  case GT_FIELD_BOOL: return gt_spec_bool(value, to) || wrong_type(r, field, value, "true or false");
  case GT_FIELD_STRING: return read_text(r, field, to, value);
  case GT_FIELD_CHOICE: return read_choice(r, field, to, value);
  case GT_FIELD_PATH: return read_path(r, field, to, value);
  case GT_FIELD_INTS:
  case GT_FIELD_FLOATS:
  case GT_FIELD_STRINGS: return read_list(r, field, to, value);
  case GT_FIELD_INT_OR_STRINGS: return read_int_or_list(r, field, to, value);
  case GT_FIELD_NODE: *(const gt_spec **)to = value; return true;
  case GT_FIELD_MAP: break; /* read by schema.c */
  }
  return false;
}

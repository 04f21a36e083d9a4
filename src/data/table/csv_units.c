/* CSV: detects cells that are a number with a unit or a sign (12 mg, 51%, $3.50) or with thousands separators
 * (1,234.5). They are not converted; messages describe them. */
#include "base/text.h"
#include "data/table/table.h"

enum {
  MAX_TEXTS = 1000, /* texts of a column that are examined */
  MIN_NUMBERS = 3,  /* numbers with a unit that a column must have */
  MAX_UNIT = 12     /* bytes */
};

typedef struct parts { /* of a cell: "$" "1,234.5" "/kg"; without positions */
  gt_cell before, number, after;
} parts;

/* Counts the texts that are numbers with the same unit. */
typedef struct tally {
  parts first;            /* the first number; others must have its unit */
  int same;               /* numbers with this unit */
  const gt_cell *example; /* the first of them */
  char group;             /* thousands separator; 0: none */
  char mark;              /* decimal mark, if there is a thousands separator; 0: unknown */
} tally;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static gt_cell trimmed(const char *text, const char *end) {
  while (text < end && *text == ' ') text++;
  while (end > text && end[-1] == ' ') end--;
  return (gt_cell){.text = text, .length = (uint32_t)(end - text)};
}

/* True for a currency sign, a comparison, or a currency code of three capitals as in EUR 5. False for other
 * words: "room 12" is a name. */
static bool may_be_before(gt_cell s) {
  int capitals = 0, signs = 0;
  for (uint32_t i = 0; i < s.length; i++) {
    capitals += s.text[i] >= 'A' && s.text[i] <= 'Z';
    signs += (unsigned char)s.text[i] >= 0x80 || strchr("$<>~=", s.text[i]);
  }
  return (uint32_t)signs == s.length || (capitals == 3 && s.length == 3) ||
         (capitals && s.text[s.length - 1] == '$' && (uint32_t)capitals + 1 == s.length);
}

static bool may_be_after(gt_cell s) {
  for (uint32_t i = 0; i < s.length; i++)
    if (is_digit(s.text[i])) return false;
  return s.length <= MAX_UNIT && !(s.length && strchr(":/-_.,", *s.text));
}

/* Splits a cell into a number and the text around it. False if it is not a number with a possible unit. */
static bool split(const gt_cell *cell, parts *out) {
  const char *at = cell->text, *end = at + cell->length, *start;
  while (at < end && !is_digit(*at)) at++;
  if (at == end) return false;
  start = at;
  if (start > cell->text && strchr(".,", start[-1])) start--;
  while (at < end && (is_digit(*at) || (at + 1 < end && is_digit(at[1]) && strchr(".,' ", *at)))) at++;
  const bool sign = start > cell->text && strchr("+-", start[-1]);
  const char *first = cell->text + (!sign && strchr("+-", *cell->text) && start > cell->text);
  *out = (parts){trimmed(first, start - sign), trimmed(start, at), trimmed(at, end)};
  return may_be_before(out->before) && may_be_after(out->after);
}

/* True for 1,234 and 12,345,678.9. mark: the decimal mark; 0: no fraction. *clear: true if the separator
 * cannot be a decimal mark. */
static bool has_groups(gt_cell s, char group, char mark, bool *clear) {
  uint32_t digits = 0, groups = 0, i = 0;
  for (; i < s.length && !(mark && s.text[i] == mark); i++) {
    if (s.text[i] == group) {
      if (!digits || digits > 3 || (groups && digits != 3)) return false;
      groups++;
      digits = 0;
    } else if (!is_digit(s.text[i]))
      return false;
    else
      digits++;
  }
  *clear = groups > 1 || i < s.length || (group != ',' && group != '.');
  if (!groups || digits != 3) return false;
  for (i += i < s.length; i < s.length; i++)
    if (!is_digit(s.text[i])) return false;
  return true;
}

bool gt_csv_may_be_thousands(const gt_cell *cell) {
  gt_cell number = *cell;
  bool clear;
  if (number.length && *number.text == '-') number.text++, number.length--;
  return has_groups(number, ',', 0, &clear);
}

/* Sets t->group and t->mark by a number with thousands separators. False if it is not such a number. */
static bool find_groups(gt_cell s, tally *t) {
  /* Each: thousands separator, decimal mark. */
  static const char forms[][2] = {{',', '.'}, {'.', ','}, {' ', '.'}, {' ', ','}, {'\'', '.'}};
  bool clear;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (!has_groups(s, forms[i][0], forms[i][1], &clear)) continue;
    if (t->group && t->group != forms[i][0] && clear) return false;
    if (!t->group || clear) t->group = forms[i][0], t->mark = clear ? forms[i][1] : t->mark;
    return true;
  }
  return false;
}

/* *texts: the number of texts; on return of those that are no numbers: labels of a target may be numbers. */
static tally count(const gt_csv *csv, const gt_cell *text, int *texts) {
  tally t = {.same = 0};
  double value;
  for (int i = 0, most = *texts; i < most; i++) {
    parts p;
    if (gt_csv_parse(csv, &text[i], &value) || gt_csv_is_missing(csv, &text[i])) {
      --*texts;
      continue;
    }
    if (!split(&text[i], &p)) continue;
    if (!t.same) t.first = p;
    if (!gt_cell_is_same(&p.before, &t.first.before) || !gt_cell_is_same(&p.after, &t.first.after)) continue;
    if (!find_groups(p.number, &t) && !gt_cell_is_any_number(&p.number)) continue;
    if (!t.same++) t.example = &text[i];
  }
  return t;
}

static const char *escaped(gt_cell s, gt_arena *arena) {
  return gt_escape_name(arena, gt_arena_strndup(arena, s.text, s.length));
}

/* "percentages", "numbers with the unit 'mg'", "numbers with '$' in front and '/kg' behind" */
static const char *unit_text(const parts *p, gt_arena *arena) {
  const char *after = escaped(p->after, arena), *before = escaped(p->before, arena);
  if (!*before && !strcmp(after, "%")) return "percentages";
  if (!*before) return gt_arena_printf(arena, "numbers with the unit '%s'", after);
  if (!*after) return gt_arena_printf(arena, "numbers with '%s' in front", before);
  return gt_arena_printf(arena, "numbers with '%s' in front and '%s' behind", before, after);
}

static const char *separator_name(char group) {
  return group == ',' ? "commas" : group == '.' ? "points" : group == ' ' ? "blanks" : "apostrophes";
}

bool gt_csv_find_units(const gt_csv *csv, const gt_column_facts *f, gt_arena *arena, gt_csv_units *out) {
  int texts = f->dictionary.distinct < MAX_TEXTS ? f->dictionary.distinct : MAX_TEXTS;
  const tally t = count(csv, f->dictionary.text, &texts);
  const bool unit = t.first.before.length || t.first.after.length;
  *out = (gt_csv_units){.unit = unit};
  if (20 * t.same < 19 * texts /* less than 95 % */ || !t.same || (unit && t.same < MIN_NUMBERS) ||
      (!unit && !t.group))
    return false;
  if (!arena) return true;
  const char *separator = separator_name(t.group);
  out->example = escaped(*t.example, arena);
  out->what = !unit      ? "thousands separators"
              : !t.group ? unit_text(&t.first, arena)
                         : gt_arena_printf(arena, "%s, and thousands separators", unit_text(&t.first, arena));
  out->fix = gt_arena_printf(arena, "to read the column as numbers, remove %s%s%s from the file%s",
                             unit ? "the unit or sign" : "", unit && t.group ? " and " : "",
                             t.group ? gt_arena_printf(arena, "these %s", separator) : "",
                             t.mark == ',' && csv->decimal == '.' ? ", and set data: {decimal: comma}" : "");
  return true;
}

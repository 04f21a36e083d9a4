#include "data/table/csv_typed.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/table/csv_boolean.h"
#include "data/date.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct typing { /* state of gt_csv_type_values */
  gt_csv *csv;
  gt_typed_table *table;
  gt_arena *arena;
  gt_column_problem *problem;
  int problems;
  float **of_text; /* [inputs] the raw values of each text of the column; heap */
} typing;

void gt_csv_set_known_kinds(gt_csv *csv, const gt_typed_table *table, gt_arena *arena) {
  bool *as_text = GT_NEW_N(arena, bool, table->count + 1);
  for (int i = 0; i < table->count; i++) {
    const gt_typed_column *t = &table->item[i];
    const bool known = t->final || t->decided || !t->rule.any;
    as_text[i] = known && (t->column.kind == GT_COLUMN_CATEGORY || t->column.kind == GT_COLUMN_DATE);
  }
  csv->as_text = as_text;
  csv->has_rules = true;
  csv->missing = table->has_missing_values ? &table->missing : NULL;
}

static const gt_csv_facts *facts_of(const typing *t, int role) { return &t->csv->facts[role]; }

static const gt_cell *texts_of(const typing *t, int role, int *count) {
  const gt_csv_odd *odd = facts_of(t, role)->odd;
  *count = odd ? odd->distinct : 0;
  return odd ? odd->text : NULL;
}

static void add_problem(typing *t, int role, const char *what, const char *fix, const char *also) {
  t->problem[t->problems++] =
      (gt_column_problem){role, what, t->table->item[role].final ? NULL : fix, also, false};
}

/* --- kinds --- */

static bool all_boolean(const gt_cell *text, int count) {
  for (int i = 0; i < count; i++)
    if (gt_csv_boolean(&text[i]) < 0) return false;
  return count > 0;
}

/* GT_DATE_… orders in which all texts are dates. compact: dates of eight digits count, too. */
static unsigned date_orders(const gt_cell *text, int count, bool compact) {
  unsigned orders = count ? GT_DATE_YEAR_FIRST | GT_DATE_DAY_FIRST | GT_DATE_MONTH_FIRST : 0;
  for (int i = 0; i < count && orders; i++)
    orders &= gt_date_parse(text[i].text, text[i].length, 0, compact, NULL);
  return orders;
}

/* True if the day could be first or second in all dates. */
static bool is_ambiguous(unsigned orders) {
  return !(orders & GT_DATE_YEAR_FIRST) && (orders & (orders - 1));
}

bool gt_csv_has_ambiguous_dates(const gt_csv *csv, int role) {
  const gt_csv_odd *odd = csv->facts[role].odd;
  gt_column_kind kind;
  return gt_csv_kind_of(csv, role, &kind) && kind == GT_COLUMN_DATE &&
         is_ambiguous(date_orders(odd->text, odd->distinct, false));
}

/* True if a column with these numbers of texts is read as categories (GT_FEW_CATEGORIES). */
static bool is_few(uint64_t distinct, uint64_t texts) {
  return distinct <= GT_FEW_CATEGORIES || (distinct <= GT_AUTO_CATEGORIES && texts >= 2 * distinct) ||
         (distinct <= GT_MOST_CATEGORIES && texts >= 10 * distinct);
}

/* True if an input of integer codes reads the column. */
static bool is_codes(const typing *t, int role) { return t->csv->whole && t->csv->whole[role]; }

/* True if all texts of a column are numbers with the other decimal mark. */
static bool has_other_mark(const gt_csv *csv, const gt_csv_facts *f) {
  const char mark = csv->decimal == ',' ? '.' : ',';
  double value;
  for (int i = 0; f->odd && i < f->odd->distinct; i++)
    if (!gt_parse_number(f->odd->text[i].text, f->odd->text[i].length, mark, &value)) return false;
  return f->texts > 0;
}

/* True if the commas in all texts of a column may separate thousands. */
static bool has_thousands(const gt_csv *csv, const gt_csv_facts *f) {
  for (int i = 0; f->odd && i < f->odd->distinct; i++)
    if (!gt_csv_may_be_thousands(&f->odd->text[i])) return false;
  return f->texts > 0 && csv->decimal == '.';
}

/* True if the column is also the time of a series, so that its texts may be dates in any form that a time may
 * have. */
static bool is_time(const gt_csv *csv, int role) {
  const int column = csv->role_column[GT_CSV_TIME];
  return column >= 0 && csv->role[column] == role;
}

bool gt_csv_kind_of(const gt_csv *csv, int role, gt_column_kind *kind) {
  const gt_csv_facts *f = &csv->facts[role];
  const gt_csv_odd *odd = f->odd;
  gt_csv_units units;
  *kind = GT_COLUMN_NUMBER;
  if (!f->texts) return true;
  if (f->numbers || f->unfit || has_thousands(csv, f) || has_other_mark(csv, f)) return false;
  const bool codes = csv->whole && csv->whole[role];
  if (all_boolean(odd->text, odd->distinct))
    *kind = GT_COLUMN_BOOLEAN;
  else if (!codes && date_orders(odd->text, odd->distinct, is_time(csv, role)))
    *kind = GT_COLUMN_DATE;
  else
    *kind = GT_COLUMN_CATEGORY;
  if (*kind != GT_COLUMN_CATEGORY || codes) return true;
  return is_few((uint64_t)odd->distinct, f->texts) &&
         (!gt_csv_find_units(csv, f, NULL, &units) || units.unit); /* the review reports a unit */
}

static void report_thousands(typing *t, int role) {
  add_problem(t, role, "has numbers with commas, which may be thousands separators", "ignore",
              "remove these commas from the file; or for decimal commas: data: {decimal: comma}");
}

static void report_other_mark(typing *t, int role) {
  const bool comma = t->csv->decimal == ',';
  add_problem(t, role, comma ? "has numbers with a point" : "has numbers with a comma", "ignore",
              comma ? "for decimal points: data: {decimal: point}"
                    : "for decimal commas: data: {decimal: comma}");
}

/* "1 number", "3 numbers" */
static const char *with_count(const typing *t, uint64_t count, const char *what) {
  return gt_arena_printf(t->arena, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

/* Help that lists the texts, if they are few, as words for missing values. */
static const char *missing_words(const typing *t, const gt_cell *text, int count) {
  enum { MAX_WORDS = 3 };
  const char *words = "NA";
  for (int i = 0; i < count && count <= MAX_WORDS; i++) {
    const char *word = gt_arena_strndup(t->arena, text[i].text, text[i].length);
    words = gt_arena_printf(t->arena, "%s, %s", words, gt_spec_key(t->arena, gt_escape_name(t->arena, word)));
  }
  return gt_arena_printf(t->arena, "if %s: data: {missing_values: [%s]}",
                         count == 1 ? "the text means a missing value" : "the texts mean missing values",
                         count <= MAX_WORDS ? words : "NA, ...");
}

/* Lets the column's texts be dates of any form, as in a column of type date. */
static void accept_all_dates(typing *t, int role) {
  bool *as_text = gt_arena_copy(t->arena, t->csv->as_text, (size_t)t->table->count * sizeof *as_text);
  as_text[role] = true;
  t->csv->as_text = as_text;
}

/* Decides the kind of a column of type auto by its cells, or adds a problem. */
static void decide_kind(typing *t, int role) {
  const gt_csv_facts *f = facts_of(t, role);
  const bool dates = f->odd && date_orders(f->odd->text, f->odd->distinct, true);
  gt_csv_units units;
  if (gt_csv_kind_of(t->csv, role, &t->table->item[role].column.kind)) {
    if (t->table->item[role].column.kind == GT_COLUMN_DATE && is_time(t->csv, role))
      accept_all_dates(t, role);
    return;
  }
  if (has_thousands(t->csv, f))
    report_thousands(t, role);
  else if (has_other_mark(t->csv, f))
    report_other_mark(t, role);
  else if (gt_csv_find_units(t->csv, f, t->arena, &units))
    add_problem(t, role, gt_arena_printf(t->arena, "has %s", units.what), "ignore", units.fix);
  else if (!f->numbers && !f->unfit)
    add_problem(
        t, role,
        gt_arena_printf(t->arena, "has free text: %d distinct values in %" PRIu64 " cells", f->odd->distinct,
                        f->texts),
        dates ? "date" : "ignore",
        dates ? NULL
              : gt_arena_printf(
                    t->arena,
                    "the most frequent as categories: {type: category, max_categories: 50}, or codes for "
                    "an embedding layer (docs/data.md); or as the only input, its words: data: {text: "
                    "{column: %s, vocabulary: word}} (docs/sequences.md)",
                    gt_spec_key(t->arena, t->table->item[role].column.name)));
  else
    add_problem(t, role,
                gt_arena_printf(t->arena, "has %s and %s", with_count(t, f->numbers + f->unfit, "number"),
                                with_count(t, f->texts, "text")),
                is_few((uint64_t)f->odd->distinct, f->texts) && f->texts > f->numbers ? "category" : "ignore",
                missing_words(t, f->odd->text, f->odd->distinct));
}

/* --- checks of a column whose kind is known --- */

static void check_date(typing *t, int role) {
  gt_typed_column *c = &t->table->item[role];
  int count;
  const gt_cell *text = texts_of(t, role, &count);
  const bool compact = t->csv->as_text && t->csv->as_text[role];
  const unsigned orders = date_orders(text, count, compact),
                 required = c->final ? c->column.order : c->rule.order;
  if (is_codes(t, role))
    add_problem(t, role, "has dates, but its input is listed in 'integers'", "ignore", NULL);
  else if (required && (orders & required))
    c->column.order = required;
  else if (!orders || required)
    add_problem(t, role,
                required && orders ? "has dates in another order"
                                   : "has texts that are not dates of one form",
                "category", NULL);
  else if (!is_ambiguous(orders))
    c->column.order = orders & GT_DATE_YEAR_FIRST ? GT_DATE_YEAR_FIRST : orders;
  else
    add_problem(t, role, "has dates whose day and month could be either way round",
                "{type: date, order: day_first}", "order: month_first");
}

static void check_categories(typing *t, int role) {
  gt_typed_column *c = &t->table->item[role];
  int count;
  texts_of(t, role, &count);
  if (facts_of(t, role)->odd && facts_of(t, role)->odd->more)
    add_problem(t, role, gt_arena_printf(t->arena, "has more than %d distinct values", GT_CSV_MAX_TEXTS),
                "ignore", NULL);
  else if (!c->final && !c->rule.max_categories && count > GT_MOST_CATEGORIES && !is_codes(t, role))
    add_problem(t, role, gt_arena_printf(t->arena, "has %d categories", count),
                "{type: category, max_categories: 100}", NULL);
  else if (!c->final && is_codes(t, role) && !c->rule.max_categories && count > GT_COLUMN_MAX_CATEGORIES)
    add_problem(t, role, gt_arena_printf(t->arena, "has %d categories", count),
                "{type: category, max_categories: 100000}", NULL);
}

static void check_texts(typing *t, int role) {
  const gt_typed_column *c = &t->table->item[role];
  const gt_csv_facts *f = facts_of(t, role);
  int count;
  const gt_cell *text = texts_of(t, role, &count);
  const bool boolean = c->column.kind == GT_COLUMN_BOOLEAN;
  gt_csv_units units;
  if (f->texts && !boolean && gt_csv_find_units(t->csv, f, t->arena, &units))
    add_problem(t, role, gt_arena_printf(t->arena, "has %s", units.what), "ignore", units.fix);
  else if (f->texts && !boolean)
    add_problem(
        t, role, c->final ? "has texts, but the model reads numbers" : "has texts that are not numbers",
        f->numbers ? "ignore" : "category", c->final || c->rule.given ? NULL : missing_words(t, text, count));
  else if (boolean && ((f->texts && !all_boolean(text, count)) ||
                       (f->numbers && !(f->whole && f->least >= 0 && f->largest <= 1))))
    add_problem(t, role, "has values that are not yes or no, true or false, 0 or 1", "category", NULL);
}

static void check_numbers(typing *t, int role) {
  const gt_typed_column *c = &t->table->item[role];
  const gt_csv_facts *f = facts_of(t, role);
  const bool log = c->final ? c->column.log : c->rule.scale == GT_SCALE_LOG1P;
  if (f->unfit && is_codes(t, role))
    add_problem(t, role,
                gt_arena_printf(t->arena,
                                "has numbers that are not whole numbers from 0 to %d, which its input needs",
                                GT_DATA_MAX_INTEGER),
                "category", NULL);
  else if (f->unfit)
    add_problem(t, role, "has numbers that are too large for a 32-bit float", "ignore", NULL);
  else if (log && f->numbers && f->least <= -1)
    add_problem(
        t, role,
        gt_arena_printf(t->arena, "has numbers down to %.6g, but log1p needs numbers above -1", f->least),
        "{scale: standard}", NULL);
}

static void check_gaps(typing *t, int role) {
  gt_typed_column *c = &t->table->item[role];
  const uint64_t gaps = facts_of(t, role)->empty + facts_of(t, role)->missing;
  const gt_fill_method fill = c->rule.fill;
  const bool category = c->column.kind == GT_COLUMN_CATEGORY, can_fill = category || !is_codes(t, role);
  if (!c->final && can_fill)
    c->column.fills |= (gaps && fill == GT_FILL_AUTO) || (fill != GT_FILL_AUTO && fill != GT_FILL_ERROR);
  const bool fills = c->column.fills || (c->final && can_fill && c->column.fills_later_files);
  if (!gaps || fill == GT_FILL_DROP || fills || t->table->may_lack) return;
  if (c->final)
    add_problem(t, role, "has missing values, but the model was trained without any in this column", NULL,
                can_fill
                    ? gt_arena_printf(
                          t->arena,
                          "fill the cells in the file, or train with data: {columns: {%s: {missing: %s}}}",
                          gt_spec_key(t->arena, c->column.name), category ? "category" : "median")
                    : NULL);
  else if (fill == GT_FILL_ERROR)
    add_problem(t, role, "has missing values, and its rule is 'missing: error'",
                category ? "{missing: category}" : "{missing: median}", NULL);
  else
    add_problem(t, role, "has missing values, but its input is listed in 'integers'", "{missing: drop}",
                NULL);
  t->problem[t->problems - 1].gaps = true;
}

/* Checks the settings of a column of type auto, after its kind was decided. */
static void check_rule(typing *t, int role) {
  const gt_typed_column *c = &t->table->item[role];
  const char *kind = gt_column_kind_names[c->column.kind];
  if (c->final || !c->rule.any) return;
  if (!gt_column_rule_fills(&c->rule, c->column.kind))
    add_problem(
        t, role,
        gt_arena_printf(t->arena, "is read as a %s, for which its rule 'missing' has no meaning", kind),
        c->column.kind == GT_COLUMN_CATEGORY ? "{missing: category}" : "{missing: most_frequent}", NULL);
  else if (!gt_column_rule_scales(&c->rule, c->column.kind))
    add_problem(t, role,
                gt_arena_printf(t->arena, "is read as a %s, for which its rule 'scale' has no meaning", kind),
                "{scale: auto}", NULL);
}

static void check_column(typing *t, int role) {
  const int before = t->problems;
  gt_typed_column *c = &t->table->item[role];
  if (!c->final && c->rule.any && !c->decided) decide_kind(t, role);
  if (t->problems > before) return;
  if (c->column.kind == GT_COLUMN_DATE)
    check_date(t, role);
  else if (c->column.kind == GT_COLUMN_CATEGORY)
    check_categories(t, role);
  else
    check_texts(t, role);
  if (t->problems == before) check_numbers(t, role);
  if (t->problems == before) check_rule(t, role);
  if (t->problems == before) check_gaps(t, role);
}

/* --- raw values --- */

/* The code of a text, the same in all files; a new text gets a new code. */
static int code_of(gt_typed_column *c, gt_arena *arena, const gt_cell *cell) {
  char *composed = gt_nfc(cell->text, cell->length);
  const char *text = composed ? composed : gt_arena_strndup(arena, cell->text, cell->length);
  int code = gt_names_find(&c->index, text);
  if (code < 0) {
    if (c->texts == c->capacity) {
      const char **more = GT_NEW_N(arena, const char *, c->capacity = 2 * c->capacity + 16);
      if (c->texts) memcpy(more, c->text, (size_t)c->texts * sizeof *more);
      c->text = more;
    }
    c->text[code = c->texts++] = composed ? gt_arena_strdup(arena, text) : text;
    gt_names_add(&c->index, c->text[code], code);
  }
  free(composed);
  return code;
}

/* Writes the raw values of a text. */
static void read_text(typing *t, gt_typed_column *c, int role, const gt_cell *cell, float *out) {
  double hours = 0;
  switch (c->column.kind) {
  case GT_COLUMN_BOOLEAN: *out = (float)gt_csv_boolean(cell); break;
  case GT_COLUMN_CATEGORY: *out = (float)code_of(c, t->arena, cell); break;
  case GT_COLUMN_DATE:
    gt_date_parse(cell->text, cell->length, c->column.order, t->csv->as_text && t->csv->as_text[role],
                  &hours);
    gt_date_to_values(hours, out);
    break;
  default: *out = NAN;
  }
}

static void convert_texts(typing *t, int role) {
  gt_typed_column *c = &t->table->item[role];
  int count;
  const gt_cell *text = texts_of(t, role, &count);
  const int raw = gt_column_raw(&c->column);
  t->of_text[role] = count ? gt_alloc((size_t)count * (size_t)raw * sizeof(float)) : NULL;
  for (int i = 0; i < count; i++) read_text(t, c, role, &text[i], t->of_text[role] + i * raw);
}

/* Replaces the value of a cell by its raw values: a number stays, for a NaN the values that its code stands
 * for are written. */
static void unbox(const typing *t, int role, float *value) {
  if (!isnan(*value)) return;
  const gt_typed_column *c = &t->table->item[role];
  const uint32_t code = gt_csv_cell_code(*value);
  const int raw = gt_column_raw(&c->column);
  if (code >= GT_CSV_CELL_TEXT && t->of_text[role]) {
    memcpy(value, t->of_text[role] + (code - GT_CSV_CELL_TEXT) * (uint32_t)raw, (size_t)raw * sizeof *value);
    return;
  }
  for (int i = 0; i < raw; i++) value[i] = NAN;
  /* Of a forecast, gt_csv_store_times fills only the cells that it reads. */
  if (!t->table->may_lack && c->final && c->column.fills_later_files && c->column.kind != GT_COLUMN_CATEGORY)
    gt_column_write_fill(&c->column, value);
}

enum { TILE = 4096 }; /* rows */

static void unbox_tile(void *context, uint32_t tile) {
  const typing *t = context;
  const size_t width = (size_t)t->csv->width, first = (size_t)tile * TILE,
               end = first + TILE < t->csv->rows ? first + TILE : t->csv->rows;
  for (int role = 0; role < t->csv->inputs; role++) {
    float *value = t->csv->values + t->table->item[role].place;
    for (size_t row = first; row < end && facts_of(t, role)->odd; row++) unbox(t, role, value + row * width);
  }
}

/* Places the columns in a row of raw values, and moves the cells there: from the last row to the first,
 * because a row becomes longer if it has dates. */
static void place_columns(typing *t) {
  gt_csv *csv = t->csv;
  const size_t columns = (size_t)csv->inputs;
  csv->width = 0;
  for (int role = 0; role < csv->inputs; role++) {
    t->table->item[role].place = csv->width;
    csv->width += gt_column_raw(&t->table->item[role].column);
  }
  if (csv->width == csv->inputs) return;
  csv->values = gt_realloc(csv->values, csv->rows * (size_t)csv->width * sizeof *csv->values + 1);
  for (size_t row = csv->rows; row-- > 0;)
    for (int role = csv->inputs - 1; role >= 0; role--)
      csv->values[row * (size_t)csv->width + (size_t)t->table->item[role].place] =
          csv->values[row * columns + (size_t)role];
}

/* The number of a cell, the hours since 2000 of a date; NaN: missing. */
static double value_of(const gt_typed_column *c, const float *raw) {
  return c->column.kind == GT_COLUMN_DATE ? gt_date_of_values(raw) : (double)*raw;
}

static void convert(typing *t) {
  const size_t width = (size_t)t->csv->width;
  for (int role = 0; role < t->csv->inputs; role++) convert_texts(t, role);
  gt_pool_run_once((uint32_t)((t->csv->rows + TILE - 1) / TILE), unbox_tile, t);
  for (int role = 0; role < t->csv->inputs; role++) {
    gt_typed_column *c = &t->table->item[role];
    const gt_csv_facts *f = facts_of(t, role);
    const float *value = t->csv->values + c->place;
    if (c->decided || c->final) continue;
    c->gaps = f->empty + f->missing;
    c->distinct = f->odd ? (uint64_t)f->odd->distinct : 0;
    for (size_t row = 0; row < 3; row++)
      c->first[row] = row < t->csv->rows ? value_of(c, value + row * width) : (double)NAN;
  }
  for (int role = 0; role < t->csv->inputs; role++) t->table->item[role].decided = true;
}

/* --- rows that are left out --- */

/* True if a target whose rule is `drop` has no value in this row. */
static bool lacks_target(const typing *t, size_t row) {
  const gt_csv *csv = t->csv;
  for (int i = 0; i < csv->targets && t->table->drops; i++)
    if (t->table->drops[i] &&
        gt_csv_is_missing(csv, &csv->target_cells.items[row * (size_t)csv->targets + (size_t)i]))
      return true;
  return false;
}

static bool is_dropped(const typing *t, size_t row) {
  for (int role = 0; role < t->csv->inputs; role++) {
    const float v = t->csv->values[row * (size_t)t->csv->inputs + (size_t)role];
    if (t->table->item[role].rule.fill == GT_FILL_DROP && isnan(v) &&
        gt_csv_cell_code(v) <= GT_CSV_CELL_MISSING)
      return true;
  }
  return lacks_target(t, row);
}

/* True if rows without a value of some column are left out. */
static bool has_drop_rule(const gt_typed_table *table) {
  for (int i = 0; i < table->count; i++)
    if (table->item[i].rule.fill == GT_FILL_DROP) return true;
  return table->drops;
}

static bool drop_rows(typing *t) {
  gt_csv *csv = t->csv;
  const size_t before = csv->rows, columns = (size_t)csv->inputs, targets = (size_t)csv->targets;
  size_t kept = 0;
  for (size_t row = 0; row < before; row++) {
    if (is_dropped(t, row)) continue;
    memmove(csv->values + kept * columns, csv->values + row * columns, columns * sizeof *csv->values);
    if (targets)
      memmove(csv->target_cells.items + kept * targets, csv->target_cells.items + row * targets,
              targets * sizeof *csv->target_cells.items);
    for (int r = 0; r < GT_CSV_ROLES; r++)
      if (csv->role_cells[r].count) csv->role_cells[r].items[kept] = csv->role_cells[r].items[row];
    if (csv->number) csv->number[kept] = csv->number[row];
    kept++;
  }
  csv->rows = kept;
  csv->target_cells.count = kept * targets;
  for (int i = 0; i < csv->targets; i++) gt_csv_facts_of_target(csv, i);
  for (int r = 0; r < GT_CSV_ROLES; r++)
    if (csv->role_cells[r].count) csv->role_cells[r].count = kept;
  if (kept < before)
    gt_info("%s: dropped %zu of %zu rows, in which a column with 'missing: drop' is empty", csv->path,
            before - kept, before);
  return kept ||
         gt_fail(csv->error, GT_ERR_DATA,
                 "%s: every row lacks a value of a column with 'missing: drop'; no rows are left", csv->path);
}

bool gt_csv_type_values(gt_csv *csv, gt_typed_table *table, const bool *are_numbers, gt_arena *arena) {
  typing t = {csv, table, arena, GT_NEW_N(arena, gt_column_problem, csv->inputs + csv->targets + 1), 0, NULL};
  for (int role = 0; role < csv->inputs; role++) check_column(&t, role);
  if (t.problems) t.problems += gt_csv_target_problems(csv, are_numbers, t.problem + t.problems);
  if (t.problems) return gt_csv_fail_columns(csv, t.problem, t.problems);
  if (has_drop_rule(table) && !drop_rows(&t)) return false;
  place_columns(&t);
  t.of_text = gt_alloc((size_t)csv->inputs * sizeof *t.of_text + 1);
  convert(&t);
  for (int role = 0; role < csv->inputs; role++) free(t.of_text[role]);
  free(t.of_text);
  return true;
}

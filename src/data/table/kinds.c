/* CSV: decides the kind of each input column, and converts its cells to raw values. */
#include "data/table/table.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/unicode.h"
#include "data/date.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

int gt_csv_boolean(const gt_cell *cell) {
  static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}, {"n", "y"},
                                         {"f", "t"},    {"off", "on"},     {"0", "1"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int value = 0; value < 2; value++)
      if (strlen(words[i][value]) == cell->length && !strncasecmp(words[i][value], cell->text, cell->length))
        return value;
  return -1;
}

typedef struct typing { /* state of gt_csv_type_values, and the input that is checked */
  gt_table_file *file;
  gt_typed_table *table;
  gt_arena *arena;
  gt_column_problem *problem;
  int problems;
  int input;
  gt_table_column *column;
  const gt_column_facts *f;
  gt_typed_column *c;
  float **of_text; /* [inputs] the raw values of each text of the column; heap */
} typing;

void gt_csv_set_known_kinds(gt_table_file *file, const gt_typed_table *table, const bool *whole) {
  for (int i = 0; i < file->inputs; i++) {
    const gt_typed_column *t = &table->item[i];
    const bool known = t->final || t->decided || !t->rule.any,
               texts = known && (t->column.kind == GT_COLUMN_CATEGORY || t->column.kind == GT_COLUMN_DATE);
    file->column[i].reading = texts ? GT_READ_TEXTS : GT_READ_NUMBERS;
    file->column[i].needs_whole = whole && whole[i];
  }
  file->has_rules = true;
  file->csv.missing = table->has_missing_values ? &table->missing : NULL;
}

/* The format and what follows it say what is wrong with the column. */
static void __attribute__((format(printf, 4, 5)))
add_problem(typing *t, const char *fix, const char *also, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *what = gt_arena_vprintf(t->arena, format, arguments);
  va_end(arguments);
  t->problem[t->problems++] = (gt_column_problem){t->input, what, t->c->final ? NULL : fix, also, false};
}

/* --- kinds --- */

static bool all_boolean(const gt_texts *texts) {
  for (int i = 0; i < texts->distinct; i++)
    if (gt_csv_boolean(&texts->text[i]) < 0) return false;
  return texts->distinct > 0;
}

/* GT_DATE_… orders in which all texts are dates. compact: dates of eight digits count, too. */
static unsigned date_orders(const gt_texts *texts, bool compact) {
  unsigned orders = texts->distinct ? GT_DATE_YEAR_FIRST | GT_DATE_DAY_FIRST | GT_DATE_MONTH_FIRST : 0;
  for (int i = 0; i < texts->distinct && orders; i++)
    orders &= gt_date_parse(texts->text[i].text, texts->text[i].length, 0, compact, NULL);
  return orders;
}

/* True if the day could be first or second in all dates. */
static bool is_ambiguous(unsigned orders) {
  return !(orders & GT_DATE_YEAR_FIRST) && (orders & (orders - 1));
}

bool gt_csv_has_ambiguous_dates(const gt_table_file *file, int input) {
  gt_column_kind kind;
  return gt_csv_kind_of(file, input, &kind) && kind == GT_COLUMN_DATE &&
         is_ambiguous(date_orders(&file->column[input].facts.dictionary, false));
}

/* True if a column with these numbers of texts is read as categories (GT_FEW_CATEGORIES). */
static bool is_few(uint64_t distinct, uint64_t texts) {
  return distinct <= GT_FEW_CATEGORIES || (distinct <= GT_AUTO_CATEGORIES && texts >= 2 * distinct) ||
         (distinct <= GT_MOST_CATEGORIES && texts >= 10 * distinct);
}

/* True if all texts of a column are numbers with the other decimal mark. */
static bool has_other_mark(const gt_csv *csv, const gt_column_facts *f) {
  const char mark = csv->decimal == ',' ? '.' : ',';
  const gt_texts *texts = &f->dictionary;
  double value;
  for (int i = 0; i < texts->distinct; i++)
    if (!gt_parse_number(texts->text[i].text, texts->text[i].length, mark, &value)) return false;
  return f->texts > 0;
}

/* True if the commas in all texts of a column may separate thousands. */
static bool has_thousands(const gt_csv *csv, const gt_column_facts *f) {
  for (int i = 0; i < f->dictionary.distinct; i++)
    if (!gt_csv_may_be_thousands(&f->dictionary.text[i])) return false;
  return f->texts > 0 && csv->decimal == '.';
}

/* True if the column is also the time of a series, so that its texts may be dates in any form that a time may
 * have. */
static bool is_time(const gt_table_file *file, int input) {
  const gt_table_column *time = gt_table_find(file, GT_USE_TIME);
  return time && time->index == file->column[input].index;
}

bool gt_csv_kind_of(const gt_table_file *file, int input, gt_column_kind *kind) {
  const gt_csv *csv = &file->csv;
  const gt_column_facts *f = &file->column[input].facts;
  gt_csv_units units;
  *kind = GT_COLUMN_NUMBER;
  if (!f->texts) return true;
  if (f->numbers || f->unfit || has_thousands(csv, f) || has_other_mark(csv, f)) return false;
  const bool codes = file->column[input].needs_whole;
  if (all_boolean(&f->dictionary))
    *kind = GT_COLUMN_BOOLEAN;
  else if (!codes && date_orders(&f->dictionary, is_time(file, input)))
    *kind = GT_COLUMN_DATE;
  else
    *kind = GT_COLUMN_CATEGORY;
  if (*kind != GT_COLUMN_CATEGORY || codes) return true;
  return is_few((uint64_t)f->dictionary.distinct, f->texts) &&
         (!gt_csv_find_units(csv, f, NULL, &units) || units.unit); /* the review reports a unit */
}

/* "1 number", "3 numbers" */
static const char *with_count(const typing *t, uint64_t count, const char *what) {
  return gt_arena_printf(t->arena, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

/* Help that lists the texts, if they are few, as words for missing values. */
static const char *missing_words(const typing *t) {
  enum { MAX_WORDS = 3 };
  const gt_cell *text = t->f->dictionary.text;
  const int count = t->f->dictionary.distinct;
  const char *words = "NA";
  for (int i = 0; i < count && count <= MAX_WORDS; i++) {
    const char *word = gt_arena_strndup(t->arena, text[i].text, text[i].length);
    words = gt_arena_printf(t->arena, "%s, %s", words, gt_spec_key(t->arena, gt_escape_name(t->arena, word)));
  }
  return gt_arena_printf(t->arena, "if %s: data: {missing_values: [%s]}",
                         count == 1 ? "the text means a missing value" : "the texts mean missing values",
                         count <= MAX_WORDS ? words : "NA, ...");
}

static void report_free_text(typing *t) {
  const bool dates = date_orders(&t->f->dictionary, true);
  const char *also =
      gt_arena_printf(t->arena,
                      "the most frequent as categories: {type: category, max_categories: 50}, or codes for "
                      "an embedding layer (docs/data.md); or as the only input, its words: data: {text: "
                      "{column: %s, vocabulary: word}} (docs/sequences.md)",
                      gt_spec_key(t->arena, t->c->column.name));
  add_problem(t, dates ? "date" : "ignore", dates ? NULL : also,
              "has free text: %d distinct values in %" PRIu64 " cells", t->f->dictionary.distinct,
              t->f->texts);
}

/* Decides the kind of a column of type auto by its cells, or adds a problem. */
static void decide_kind(typing *t) {
  const gt_column_facts *f = t->f;
  const gt_csv *csv = &t->file->csv;
  const bool comma = csv->decimal == ',';
  gt_csv_units units;
  if (gt_csv_kind_of(t->file, t->input, &t->c->column.kind)) {
    if (t->c->column.kind == GT_COLUMN_DATE && is_time(t->file, t->input))
      t->column->reading = GT_READ_TEXTS; /* its texts are dates of any form */
  } else if (has_thousands(csv, f)) {
    add_problem(t, "ignore",
                "remove these commas from the file; or for decimal commas: data: {decimal: comma}",
                "has numbers with commas, which may be thousands separators");
  } else if (has_other_mark(csv, f)) {
    add_problem(t, "ignore",
                comma ? "for decimal points: data: {decimal: point}"
                      : "for decimal commas: data: {decimal: comma}",
                "has numbers with a %s", comma ? "point" : "comma");
  } else if (gt_csv_find_units(csv, f, t->arena, &units)) {
    add_problem(t, "ignore", units.fix, "has %s", units.what);
  } else if (!f->numbers && !f->unfit) {
    report_free_text(t);
  } else {
    const bool few = is_few((uint64_t)f->dictionary.distinct, f->texts) && f->texts > f->numbers;
    add_problem(t, few ? "category" : "ignore", missing_words(t), "has %s and %s",
                with_count(t, f->numbers + f->unfit, "number"), with_count(t, f->texts, "text"));
  }
}

/* --- checks of a column whose kind is known --- */

static void check_date(typing *t) {
  gt_column *column = &t->c->column;
  const unsigned orders = date_orders(&t->f->dictionary, t->column->reading == GT_READ_TEXTS),
                 required = t->c->decided ? column->order : t->c->rule.order;
  if (t->column->needs_whole)
    add_problem(t, "ignore", NULL, "has dates, but its input is listed in 'integers'");
  else if (required && (orders & required))
    column->order = required;
  else if (!orders || required)
    add_problem(t, "category", NULL, "has %s",
                required && orders ? "dates in another order" : "texts that are not dates of one form");
  else if (!is_ambiguous(orders))
    column->order = orders & GT_DATE_YEAR_FIRST ? GT_DATE_YEAR_FIRST : orders;
  else
    add_problem(t, "{type: date, order: day_first}", "order: month_first",
                "has dates whose day and month could be either way round");
}

static void check_categories(typing *t) {
  const int count = t->f->dictionary.distinct;
  const bool codes = t->column->needs_whole, may_be_many = t->c->final || t->c->rule.max_categories;
  if (t->f->more)
    add_problem(t, "ignore", NULL, "has more than %d distinct values", GT_TABLE_MAX_TEXTS);
  else if (!may_be_many && count > (codes ? GT_COLUMN_MAX_CATEGORIES : GT_MOST_CATEGORIES))
    add_problem(t,
                codes ? "{type: category, max_categories: 100000}" : "{type: category, max_categories: 100}",
                NULL, "has %d categories", count);
}

static void check_texts(typing *t) {
  const gt_typed_column *c = t->c;
  const gt_column_facts *f = t->f;
  const bool boolean = c->column.kind == GT_COLUMN_BOOLEAN;
  gt_csv_units units;
  if (f->texts && !boolean && gt_csv_find_units(&t->file->csv, f, t->arena, &units))
    add_problem(t, "ignore", units.fix, "has %s", units.what);
  else if (f->texts && !boolean)
    add_problem(t, f->numbers ? "ignore" : "category", c->final || c->rule.given ? NULL : missing_words(t),
                "has texts%s", c->final ? ", but the model reads numbers" : " that are not numbers");
  else if (boolean && ((f->texts && !all_boolean(&f->dictionary)) ||
                       (f->numbers && !(f->whole && f->least >= 0 && f->largest <= 1))))
    add_problem(t, "category", NULL, "has values that are not yes or no, true or false, 0 or 1");
}

static void check_numbers(typing *t) {
  const gt_column_facts *f = t->f;
  const bool log = t->c->final ? t->c->column.log : t->c->rule.scale == GT_SCALE_LOG1P;
  if (f->unfit && t->column->needs_whole)
    add_problem(t, "category", NULL,
                "has numbers that are not whole numbers from 0 to %d, which its input needs",
                GT_DATA_MAX_INTEGER);
  else if (f->unfit)
    add_problem(t, "ignore", NULL, "has numbers that are too large for a 32-bit float");
  else if (log && f->numbers && f->least <= -1)
    add_problem(t, "{scale: standard}", NULL, "has numbers down to %.6g, but log1p needs numbers above -1",
                f->least);
}

static void check_gaps(typing *t) {
  gt_typed_column *c = t->c;
  const bool gaps = t->f->empty + t->f->missing, category = c->column.kind == GT_COLUMN_CATEGORY,
             can_fill = category || !t->column->needs_whole;
  const gt_fill_method fill = c->rule.fill;
  const char *also = NULL;
  if (!c->final && can_fill)
    c->column.fills |= (gaps && fill == GT_FILL_AUTO) || (fill != GT_FILL_AUTO && fill != GT_FILL_ERROR);
  const bool fills = c->column.fills || (c->final && can_fill && c->column.fills_later_files);
  if (!gaps || fill == GT_FILL_DROP || fills || t->table->may_lack) return;
  if (c->final && can_fill)
    also = gt_arena_printf(t->arena,
                           "fill the cells in the file, or train with data: {columns: {%s: {missing: %s}}}",
                           gt_spec_key(t->arena, c->column.name), category ? "category" : "median");
  add_problem(t,
              fill != GT_FILL_ERROR ? "{missing: drop}"
              : category            ? "{missing: category}"
                                    : "{missing: median}",
              also, "has missing values, %s",
              c->final                ? "but the model was trained without any in this column"
              : fill == GT_FILL_ERROR ? "and its rule is 'missing: error'"
                                      : "but its input is listed in 'integers'");
  t->problem[t->problems - 1].gaps = true;
}

/* Checks the settings of a column of type auto, after its kind was decided. */
static void check_rule(typing *t) {
  const gt_column_kind kind = t->c->column.kind;
  const bool fills = gt_column_rule_fills(&t->c->rule, kind);
  if (t->c->final || !t->c->rule.any || (fills && gt_column_rule_scales(&t->c->rule, kind))) return;
  add_problem(t,
              fills                        ? "{scale: auto}"
              : kind == GT_COLUMN_CATEGORY ? "{missing: category}"
                                           : "{missing: most_frequent}",
              NULL, "is read as a %s, for which its rule '%s' has no meaning", gt_column_kind_names[kind],
              fills ? "scale" : "missing");
}

static void check_column(typing *t, int input) {
  static void (*const checks[])(typing * t) = {check_numbers, check_rule, check_gaps};
  const int before = t->problems;
  t->input = input;
  t->column = &t->file->column[input];
  t->f = &t->column->facts;
  t->c = &t->table->item[input];
  if (!t->c->final && t->c->rule.any && !t->c->decided) decide_kind(t);
  if (t->problems > before) return;
  if (t->c->column.kind == GT_COLUMN_DATE)
    check_date(t);
  else if (t->c->column.kind == GT_COLUMN_CATEGORY)
    check_categories(t);
  else
    check_texts(t);
  for (int i = 0; i < 3 && t->problems == before; i++) checks[i](t);
}

/* --- raw values --- */

/* The code of a text, the same in all files; a new text gets a new code. */
static int code_of(gt_typed_column *c, gt_arena *arena, const gt_cell *cell) {
  const char *text = gt_nfc_in(arena, gt_arena_strndup(arena, cell->text, cell->length));
  const int code = gt_names_add(&c->index, text, c->texts);
  if (code < c->texts) return code;
  if (c->texts == c->capacity) {
    const char **more = GT_NEW_N(arena, const char *, c->capacity = 2 * c->capacity + 16);
    if (c->texts) memcpy(more, c->text, (size_t)c->texts * sizeof *more);
    c->text = more;
  }
  c->text[c->texts++] = text;
  return code;
}

/* Writes the raw values of a text. */
static void read_text(typing *t, gt_typed_column *c, int role, const gt_cell *cell, float *out) {
  double hours = 0;
  switch (c->column.kind) {
  case GT_COLUMN_BOOLEAN: *out = (float)gt_csv_boolean(cell); break;
  case GT_COLUMN_CATEGORY: *out = (float)code_of(c, t->arena, cell); break;
  case GT_COLUMN_DATE:
    gt_date_parse(cell->text, cell->length, c->column.order, t->file->column[role].reading == GT_READ_TEXTS,
                  &hours);
    gt_date_to_values(hours, out);
    break;
  default: *out = NAN;
  }
}

static void convert_texts(typing *t, int role) {
  gt_typed_column *c = &t->table->item[role];
  const gt_texts *texts = &t->file->column[role].facts.dictionary;
  const int raw = gt_column_raw(&c->column);
  t->of_text[role] = texts->distinct ? gt_alloc((size_t)texts->distinct * (size_t)raw * sizeof(float)) : NULL;
  for (int i = 0; i < texts->distinct; i++)
    read_text(t, c, role, &texts->text[i], t->of_text[role] + i * raw);
}

/* Replaces the value of a cell by its raw values: a number stays, for a NaN the values that its code stands
 * for are written. */
static void unbox(const typing *t, int role, float *value) {
  if (!isnan(*value)) return;
  const gt_typed_column *c = &t->table->item[role];
  const uint32_t code = gt_cell_code(*value);
  const int raw = gt_column_raw(&c->column);
  if (code >= GT_CELL_TEXT && t->of_text[role]) {
    memcpy(value, t->of_text[role] + (code - GT_CELL_TEXT) * (uint32_t)raw, (size_t)raw * sizeof *value);
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
  const gt_table_file *file = t->file;
  const size_t width = (size_t)file->width, first = (size_t)tile * TILE,
               end = first + TILE < file->rows ? first + TILE : file->rows;
  for (int role = 0; role < file->inputs; role++) {
    float *value = file->values + t->table->item[role].place;
    const bool all_numbers = !gt_facts_bad(&file->column[role].facts);
    for (size_t row = first; row < end && !all_numbers; row++) unbox(t, role, value + row * width);
  }
}

/* Places the columns in a row of raw values, and moves the cells there: from the last row to the first,
 * because a row becomes longer if it has dates. */
static void place_columns(typing *t) {
  gt_table_file *file = t->file;
  const size_t columns = (size_t)file->inputs;
  file->width = 0;
  for (int role = 0; role < file->inputs; role++) {
    t->table->item[role].place = file->width;
    file->width += gt_column_raw(&t->table->item[role].column);
  }
  if (file->width == file->inputs) return;
  file->values = gt_realloc(file->values, file->rows * (size_t)file->width * sizeof *file->values + 1);
  for (size_t row = file->rows; row-- > 0;)
    for (int role = file->inputs - 1; role >= 0; role--)
      file->values[row * (size_t)file->width + (size_t)t->table->item[role].place] =
          file->values[row * columns + (size_t)role];
}

/* The number of a cell, the hours since 2000 of a date; NaN: missing. */
static double value_of(const gt_typed_column *c, const float *raw) {
  return c->column.kind == GT_COLUMN_DATE ? gt_date_of_values(raw) : (double)*raw;
}

static void convert(typing *t) {
  const size_t width = (size_t)t->file->width;
  for (int role = 0; role < t->file->inputs; role++) convert_texts(t, role);
  gt_pool_run_once((uint32_t)((t->file->rows + TILE - 1) / TILE), unbox_tile, t);
  for (int role = 0; role < t->file->inputs; role++) {
    gt_typed_column *c = &t->table->item[role];
    const gt_column_facts *f = &t->file->column[role].facts;
    const float *value = t->file->values + c->place;
    const bool was_decided = c->decided;
    c->decided = true;
    if (was_decided || c->final) continue;
    c->gaps = f->empty + f->missing;
    for (size_t row = 0; row < 3; row++)
      c->first[row] = row < t->file->rows ? value_of(c, value + row * width) : (double)NAN;
  }
}

/* --- rows that are left out --- */

/* Lists the columns whose empty cells drop a row. */
static int list_dropping(const typing *t, const gt_table_column **list) {
  const gt_table_file *file = t->file;
  int count = 0;
  for (int i = 0; i < file->inputs + file->targets; i++)
    if (i < file->inputs ? t->table->item[i].rule.fill == GT_FILL_DROP
                         : t->table->drops && t->table->drops[i - file->inputs])
      list[count++] = &file->column[i];
  return count;
}

static bool drop_rows(typing *t) {
  gt_table_file *file = t->file;
  const gt_table_column **list = GT_NEW_N(t->arena, const gt_table_column *, file->columns + 1);
  const int count = list_dropping(t, list);
  const size_t before = file->rows;
  size_t kept = 0;
  for (size_t row = 0; row < before && count; row++) {
    int i = 0;
    while (i < count && !gt_table_is_gap(file, list[i], row)) i++;
    if (i < count) continue;
    gt_table_move_rows(file, kept, file, row, 1);
    if (file->number) file->number[kept] = file->number[row];
    kept++;
  }
  if (!count) return true;
  file->rows = kept;
  for (int i = 0; i < file->targets; i++) gt_table_count_target(file, gt_table_target(file, i));
  if (kept < before)
    gt_info("%s: dropped %zu of %zu rows, in which a column with 'missing: drop' is empty", file->csv.path,
            before - kept, before);
  return kept || gt_fail(file->csv.error, GT_ERR_DATA,
                         "%s: every row lacks a value of a column with 'missing: drop'; no rows are left",
                         file->csv.path);
}

bool gt_csv_type_values(gt_table_file *file, gt_typed_table *table, const bool *are_numbers,
                        gt_arena *arena) {
  typing t = {.file = file, .table = table, .arena = arena};
  t.problem = GT_NEW_N(arena, gt_column_problem, file->inputs + file->targets + 1);
  for (int role = 0; role < file->inputs; role++) check_column(&t, role);
  if (t.problems) t.problems += gt_csv_target_problems(file, are_numbers, t.problem + t.problems, arena);
  if (t.problems) return gt_csv_fail_columns(file, t.problem, t.problems);
  if (!drop_rows(&t)) return false;
  place_columns(&t);
  t.of_text = gt_alloc((size_t)file->inputs * sizeof *t.of_text + 1);
  convert(&t);
  for (int role = 0; role < file->inputs; role++) free(t.of_text[role]);
  free(t.of_text);
  return true;
}

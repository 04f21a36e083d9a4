/* CSV: describes all columns of a file without a config. */
#define _GNU_SOURCE /* strcasestr */
#include "data/table/table.h"
#include "data/date.h"
#include "data/table/survey.h"
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* --- rows in order of time --- */

enum { MIN_TIMES = 10 /* different ones */, MAX_LATE = 100 /* one row in so many may be out of order */ };

/* True if a word of the name is one of `words`, which end with NULL. */
static bool has_word(const char *name, const char *const *words) {
  while (*name) {
    size_t length = 0;
    while (isalpha((unsigned char)name[length])) length++;
    for (int i = 0; words[i]; i++)
      if (strlen(words[i]) == length && !strncasecmp(words[i], name, length)) return true;
    name += length ? length : 1;
  }
  return false;
}

/* True for the birth of a person: a table that is sorted by it was not recorded in that order. */
static bool is_birth(const char *name) {
  static const char *const words[] = {"dob", "born", NULL};
  return strcasestr(name, "birth") || has_word(name, words);
}

enum { LEAST_UNIX_TIME = 100000000 /* 1973, in seconds */ };

/* True if the step between numbers is the same wherever they change from a row to the next. */
static bool is_even(const gt_table_file *file, int column) {
  const gt_column_facts *f = &file->column[column].facts;
  const double rounding = 1e-6 * fmax(fabs(f->least), fabs(f->largest));
  double first = 0;
  for (size_t row = 1; row < file->rows; row++) {
    const float *value = file->values + row * (size_t)file->inputs + (size_t)column;
    const double step = fabs((double)*value - (double)value[-file->inputs]);
    if (step == 0) continue;
    if (first == 0) first = step;
    if (!(fabs(step - first) <= 0.01 * first + rounding)) return false;
  }
  return true;
}

/* True if numbers are the times of the rows, by the column's name. A `time` may also be a duration, such as
 * the time to an event, by which a table is sorted: it must have even steps, or be a Unix time. */
static bool are_times(const gt_table_file *file, int column) {
  static const char *const words[] = {"date", "datetime", "timestamp", "year", "ts", NULL};
  static const char *const time[] = {"time", NULL};
  const char *name = file->csv.names[column];
  if (has_word(name, words)) return true;
  return has_word(name, time) &&
         (file->column[column].facts.least >= LEAST_UNIX_TIME || is_even(file, column));
}

/* The time of a cell: a number, or a date in this order; NaN: none. */
static double time_of(const gt_table_file *file, int column, size_t row, unsigned order) {
  const float value = file->values[row * (size_t)file->inputs + (size_t)column];
  const uint32_t code = isnan(value) ? gt_cell_code(value) : 0;
  double time = NAN;
  if (!isnan(value)) return (double)value;
  if (code < GT_CELL_TEXT) return NAN;
  const gt_cell *text = &file->column[column].facts.dictionary.text[code - GT_CELL_TEXT];
  return gt_date_parse(text->text, text->length, order, true, &time) & order ? time : NAN;
}

/* True if times do not fall (sign 1) or do not rise (sign -1), except in a few rows. */
static bool is_ordered(const gt_table_file *file, int column, unsigned order, double sign) {
  double last = -INFINITY;
  size_t times = 0, late = 0;
  for (size_t row = 0; row < file->rows; row++) {
    const double time = sign * time_of(file, column, row, order);
    if (isnan(time) || time < last)
      late++;
    else if (time > last)
      last = time, times++;
    if (late > file->rows / MAX_LATE) return false;
  }
  return times >= MIN_TIMES;
}

/* True if the time of each row is later than that of the row before. */
static bool rises(const gt_table_file *file, int column, unsigned order) {
  double last = -INFINITY;
  for (size_t row = 0; row < file->rows; row++) {
    const double time = time_of(file, column, row, order);
    if (!(time > last)) return false;
    last = time;
  }
  return true;
}

/* Sets the fields about time. Dates in which either number could be the day are decided if the rows are in
 * order of time in one reading alone. */
static void find_time_order(const gt_table_file *file, int column, gt_survey_column *out) {
  const gt_column_facts *f = &file->column[column].facts;
  const bool numbers = f->numbers && !f->texts;
  unsigned ordered = 0, first = 0;
  out->ambiguous_dates = gt_csv_has_ambiguous_dates(file, column);
  if ((numbers && !are_times(file, column)) || (f->numbers && f->texts)) return;
  for (unsigned order = GT_DATE_YEAR_FIRST; order <= GT_DATE_MONTH_FIRST; order <<= 1) {
    const int sign = is_ordered(file, column, order, 1) ? 1 : is_ordered(file, column, order, -1) ? -1 : 0;
    if (sign && !first) out->time_order = sign, first = order;
    if (sign) ordered |= order;
    if (numbers || (first && !out->ambiguous_dates)) break;
  }
  if (is_birth(file->csv.names[column])) out->time_order = 0;
  out->time_rises = out->time_order > 0 && rises(file, column, first);
  if (!out->ambiguous_dates || !ordered || ordered & (ordered - 1)) return;
  out->date_order = ordered == GT_DATE_DAY_FIRST ? "day_first" : "month_first";
  out->ambiguous_dates = false;
}

/* --- columns --- */

static gt_survey_column column_of(const gt_table_file *file, int column, gt_arena *arena) {
  const gt_column_facts *f = &file->column[column].facts;
  gt_column_kind kind;
  const bool known = gt_csv_kind_of(file, column, &kind);
  gt_csv_units units;
  const bool has_units =
      (!known || kind == GT_COLUMN_CATEGORY) && gt_csv_find_units(&file->csv, f, arena, &units);
  gt_survey_column out = {.name = gt_arena_strdup(arena, file->csv.names[column]),
                          .numbers = f->numbers + f->unfit,
                          .texts = f->texts,
                          .missing = f->empty + f->missing,
                          .empty = f->empty,
                          .least = f->least,
                          .largest = f->largest,
                          .whole = f->numbers && f->whole,
                          .counts_rows = gt_facts_count_rows(f),
                          .distinct = f->dictionary.distinct,
                          .kind = known ? gt_column_kind_names[kind] : NULL,
                          .too_large = f->unfit > 0,
                          .units = has_units ? units.what : NULL};
  find_time_order(file, column, &out);
  return out;
}

bool gt_survey_read(const char *path, gt_strings targets, gt_arena *arena, gt_survey *out, gt_error *error) {
  const gt_csv_form form = {.known = {targets}};
  gt_table_file file;
  *out = (gt_survey){.known_suffix = gt_data_has_suffix(path, ".csv") || gt_data_has_suffix(path, ".tsv")};
  bool ok = gt_table_open(&file, (gt_data_file){.path = path}, &form, error);
  for (int i = 0; ok && i < file.csv.columns; i++) gt_table_use(&file, GT_USE_INPUT, i);
  ok = ok && gt_table_read(&file);
  if (ok) {
    out->columns = file.inputs;
    out->rows = file.rows;
    out->column = GT_NEW_N(arena, gt_survey_column, file.inputs);
    for (int i = 0; i < file.inputs; i++) out->column[i] = column_of(&file, i, arena);
  }
  gt_table_close(&file);
  return ok;
}

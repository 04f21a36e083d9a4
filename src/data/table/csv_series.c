/* CSV: reads the times and groups of the rows of a time series. */
#include "base/memory.h"
#include "data/table/table.h"
#include "data/date.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gt_csv_number_rows(const gt_data_reader *reader, gt_table_file *file) {
  const gt_table_column *groups = gt_table_find(file, GT_USE_GROUP);
  if (!reader->series) return;
  const size_t codes = GT_CELL_TEXT + (groups ? (size_t)groups->facts.dictionary.distinct : 0);
  int64_t *next = gt_alloc(codes * sizeof *next);
  file->number = gt_alloc(file->rows * sizeof *file->number + 1);
  for (size_t i = 0; i < file->rows; i++)
    file->number[i] = next[groups ? gt_table_code(file, groups, i) : 0]++;
  free(next);
}

/* --- times --- */

typedef struct times { /* the cells of the column of times */
  const gt_table_file *file;
  const gt_table_column *column;
} times;

static const gt_cell *time_cell(const times *t, size_t row) { return gt_table_cell(t->file, t->column, row); }

/* Those of the orders in which all cells are dates; 0: none. */
static unsigned date_orders(const times *t, unsigned orders) {
  for (size_t i = 0; i < t->file->rows && orders; i++)
    orders &= gt_date_parse(time_cell(t, i)->text, time_cell(t, i)->length, 0, true, NULL);
  return orders;
}

/* Reads times that are numbers, if the first cell is one. Otherwise fails at the first cell that is not a
 * date in the same order as those before it. */
static bool read_numbers(const times *t, unsigned orders, double *time) {
  const gt_csv *csv = &t->file->csv;
  char shown[48];
  const char *one = orders & (orders - 1) ? NULL : gt_date_order_name(orders);
  const bool numbers = gt_csv_parse(csv, time_cell(t, 0), time);
  for (size_t i = 0; i < t->file->rows; i++) {
    const gt_cell *cell = time_cell(t, i);
    if (numbers ? gt_csv_parse(csv, cell, &time[i]) && isfinite(time[i])
                : (orders &= gt_date_parse(cell->text, cell->length, 0, true, NULL)) != 0)
      continue;
    if (!cell->length)
      return gt_csv_fail(csv, cell, "missing time; expected a date or a number in every row");
    if (one)
      return gt_csv_fail(csv, cell,
                         "'%s' is not a time; expected dates of the order %s (data: {series: {order: %s}})",
                         gt_cell_shown(cell, shown), one, one);
    return gt_csv_fail(
        csv, cell, "'%s' is not a time; expected %s", gt_cell_shown(cell, shown),
        numbers ? "a number, as in the rows before"
                : "a date such as 2024-01-31, 2024-01-31 13:45 or 2024-01, or a number, in all rows alike");
  }
  return true;
}

/* The first row whose time is not later than that of the previous row of its group; -1: all times increase.
 * *before: the previous row. */
static int64_t find_decrease(const double *time, const int32_t *group, int groups, int64_t rows,
                             int64_t *before) {
  int64_t *last = gt_alloc((size_t)groups * sizeof *last), found = -1;
  for (int g = 0; g < groups; g++) last[g] = -1;
  for (int64_t i = 0; i < rows && found < 0; i++) {
    const int g = group ? group[i] : 0;
    if (last[g] >= 0 && !(time[i] > time[last[g]])) found = i, *before = last[g];
    last[g] = i;
  }
  free(last);
  return found;
}

static bool fail_decrease(const times *t, const gt_series_rows *rows, int64_t at, int64_t before) {
  char time[48], earlier[48];
  const gt_csv *csv = &t->file->csv;
  const gt_cell *cell = time_cell(t, (size_t)at), *other = time_cell(t, (size_t)before);
  const bool same = rows->time[at] >= rows->time[before];
  const char *group = rows->group ? rows->name[rows->group[at]] : NULL;
  gt_cell_shown(cell, time);
  gt_cell_shown(other, earlier);
  if (same)
    return gt_csv_fail(
        csv, cell, "the time '%s' is also that of line %u%s%s%s; %s", time, other->line,
        group ? " in the group '" : "", group ? group : "", group ? "'" : "",
        group ? "a series has one row for each time: remove or merge one"
              : "if the rows are of several series, name the column that tells them apart: series: "
                "{group: COLUMN}; else remove or merge one");
  return gt_csv_fail(
      csv, cell, "the time '%s' is before '%s' in line %u%s%s%s; sort the rows by time, oldest first%s", time,
      earlier, other->line, group ? ", of the group '" : "", group ? group : "", group ? "'" : "",
      group ? "" : "; if they are of several series: series: {group: COLUMN}");
}

static void parse_dates(const times *t, unsigned order, double *time) {
  for (size_t i = 0; i < t->file->rows; i++)
    gt_date_parse(time_cell(t, i)->text, time_cell(t, i)->length, order, true, &time[i]);
}

/* If either number of the dates could be the day, they are read in the order in which the times increase. */
static bool read_dates(const times *t, unsigned orders, gt_series_rows *out) {
  const unsigned order[] = {GT_DATE_YEAR_FIRST, GT_DATE_DAY_FIRST, GT_DATE_MONTH_FIRST};
  unsigned increasing = 0;
  int64_t before;
  for (int k = 0; k < 3 && (orders & (orders - 1)); k++) {
    if (!(orders & order[k])) continue;
    parse_dates(t, order[k], out->time);
    if (find_decrease(out->time, out->group, out->groups, (int64_t)t->file->rows, &before) < 0)
      increasing |= order[k];
  }
  if (increasing & (increasing - 1) & ~(unsigned)GT_DATE_YEAR_FIRST)
    return gt_csv_fail(
        &t->file->csv, time_cell(t, 0),
        "the day and the month of these dates could be either way round; write them as 2024-01-31");
  out->order = increasing ? increasing & -increasing : orders & -orders;
  parse_dates(t, out->order, out->time);
  return true;
}

static bool read_times(const gt_table_file *file, gt_series_rows *out) {
  const times t = {file, gt_table_find(file, GT_USE_TIME)};
  int64_t before;
  if (!t.column) return true;
  out->time = gt_alloc(file->rows * sizeof *out->time + 1);
  const unsigned all = GT_DATE_YEAR_FIRST | GT_DATE_DAY_FIRST | GT_DATE_MONTH_FIRST,
                 wanted = out->order ? out->order : all, orders = date_orders(&t, wanted);
  out->dates = out->months = orders;
  for (size_t i = 0; i < file->rows && out->months; i++) out->months = time_cell(&t, i)->length == 7;
  if (!(orders ? read_dates(&t, orders, out) : read_numbers(&t, wanted, out->time))) return false;
  const int64_t at = find_decrease(out->time, out->group, out->groups, (int64_t)file->rows, &before);
  return at < 0 || fail_decrease(&t, out, at, before);
}

static bool read_rows(const gt_table_file *file, gt_arena *arena, gt_series_rows *out) {
  out->path = file->csv.path;
  out->line = gt_alloc(file->rows * sizeof *out->line + 1);
  memcpy(out->line, file->line, file->rows * sizeof *out->line);
  if (gt_table_find(file, GT_USE_GROUP)) {
    out->group = gt_alloc(file->rows * sizeof *out->group + 1);
    out->groups = gt_csv_read_groups(file, arena, out->group, &out->name);
  }
  return out->groups >= 0 && read_times(file, out);
}

bool gt_csv_read_series(gt_data_reader *reader, const gt_table_file *file, int part) {
  if (!reader->series) return true;
  gt_series_rows *out = &reader->series->file[part == GT_PART_TEST ? GT_SERIES_TEST : GT_SERIES_TRAIN];
  out->number = gt_alloc(file->rows * sizeof *out->number + 1);
  memcpy(out->number, file->number, file->rows * sizeof *out->number);
  const char *given = reader->series->options.order;
  out->order = part == GT_PART_TEST ? reader->series->file[GT_SERIES_TRAIN].order : gt_date_order_of(given);
  if (!read_rows(file, reader->arena, out)) return false;
  if (part == GT_PART_TRAIN && out->order && !given)
    gt_data_record_found(reader, "series", NULL, "order", gt_date_order_name(out->order));
  return true;
}

/* --- predictions --- */

static bool find_column(gt_table_file *file, gt_column_use use, const char *name) {
  const int column = name ? gt_csv_find(&file->csv, name) : -1;
  if (column >= 0) gt_table_use(file, use, column);
  return !name || column >= 0 ||
         gt_fail(file->csv.error, GT_ERR_DATA, "%s:1:1: there is no column '%s', the %s of the series%s",
                 file->csv.path, name, use == GT_USE_TIME ? "time" : "group",
                 gt_csv_header_note(&file->csv, name));
}

bool gt_csv_find_times(gt_table_file *file, const gt_input_reader *reader) {
  const gt_data_signature *signature = reader->signature;
  const gt_data_series o = gt_data_series_options(signature->data);
  const gt_data_target *target = &signature->target[0];
  if (!reader->series) return true;
  if (target->column_count) {
    /* The name of a target ends with its step (temp_max+1), except that of classes with horizon 1
     * (name_targets). */
    const bool has_step = !target->classes || o.horizon > 1;
    const int column =
        gt_csv_find(&file->csv, has_step ? gt_data_series_target(target->columns[0], reader->rows->arena)
                                         : target->columns[0]);
    if (column >= 0) gt_table_use(file, GT_USE_TARGET, column);
  }
  return find_column(file, GT_USE_TIME, o.time) && find_column(file, GT_USE_GROUP, o.group);
}

typedef struct forecast_rows { /* which rows a forecast reads */
  int64_t *after;              /* [rows] number of later rows in the same group; heap */
  int64_t window, ahead;       /* number of rows in the window, and after it */
} forecast_rows;

static forecast_rows find_rows(const gt_input_reader *reader, size_t count) {
  const gt_data_signature *signature = reader->signature;
  const gt_series_rows *rows = reader->series;
  const gt_data_series o = gt_data_series_options(signature->data);
  forecast_rows f = {gt_alloc(count * sizeof *f.after + 1), o.window, 0};
  int64_t *seen = gt_alloc((size_t)rows->groups * sizeof *seen);
  for (int k = 0; k < signature->inputs; k++)
    if (gt_series_is_ahead(&signature->input[k])) f.ahead = o.horizon;
  for (size_t i = count; i-- > 0;) f.after[i] = seen[rows->group ? rows->group[i] : 0]++;
  free(seen);
  return f;
}

/* True if the forecast reads the row: with `ahead` in the input with the rows after the window, otherwise in
 * the one with the window. */
static bool is_read(const forecast_rows *f, size_t row, bool ahead) {
  return ahead ? f->after[row] < f->ahead : f->after[row] >= f->ahead && f->after[row] < f->ahead + f->window;
}

/* True if training dropped the rows without a value in this column, so that no window had such a row. */
static bool drops_rows(const gt_data_signature *signature, const char *column) {
  const gt_spec *columns = gt_spec_find(signature->data, "columns");
  const gt_spec *rule = gt_spec_is_null(columns) ? NULL : gt_spec_find(columns, column);
  const gt_spec *missing = rule && rule->kind == GT_SPEC_MAP ? gt_spec_find(rule, "missing") : NULL;
  return missing && missing->kind == GT_SPEC_SCALAR && !strcmp(missing->scalar, "drop");
}

/* Handles the missing values of columns that had none in training, or whose rows without a value were
 * dropped. If the column has a fill for later files (gt_column.fills_later_files), fills those that a
 * forecast reads and counts them in the facts (a category stays NaN, which gt_table_store replaces).
 * Otherwise sets the row's gt_series_lack to the name of the first such column. */
static void fill_gaps(const gt_table_file *file, const int32_t *place, int64_t columns,
                      const gt_typed_table *typed, bool ahead, const forecast_rows *f,
                      const gt_input_reader *reader) {
  gt_series_lack *lacks = reader->series->lacks;
  for (int64_t i = columns - 1; i >= 0; i--) {
    const gt_column *column = &typed->item[place[i]].column;
    const bool drops = drops_rows(reader->signature, column->name);
    for (size_t row = 0; row < file->rows; row++) {
      float *value = &file->values[row * (size_t)file->width + (size_t)typed->item[place[i]].place];
      if ((column->fills && !drops) || !isnan(*value)) continue;
      if (!column->fills_later_files || drops) {
        *(ahead ? &lacks[row].ahead : &lacks[row].past) = column->name;
      } else if (is_read(f, row, ahead)) {
        file->column[place[i]].facts.empty++;
        if (column->kind != GT_COLUMN_CATEGORY) gt_column_write_fill(column, value);
      }
    }
  }
}

/* In the rows after the window, usually only the columns of the input `future` have values. So the missing
 * values in the facts are counted again, only where a forecast reads them. */
static void fill_forecast(const gt_table_file *file, const gt_csv_inputs *inputs, const gt_typed_table *typed,
                          const gt_input_reader *reader) {
  const forecast_rows f = find_rows(reader, file->rows);
  for (int i = 0; i < file->inputs; i++) file->column[i].facts.empty = file->column[i].facts.missing = 0;
  for (int k = 0; k < inputs->inputs; k++)
    fill_gaps(file, inputs->place[k], inputs->columns[k], typed,
              gt_series_is_ahead(&reader->signature->input[k]), &f, reader);
  free(f.after);
}

/* Marks the rows in which the first target has a value. */
static void mark_targets(const gt_table_file *file, gt_series_rows *rows, gt_arena *arena) {
  const gt_table_column *target = gt_table_find(file, GT_USE_TARGET);
  if (!target) return;
  rows->has_target = gt_alloc(file->rows * sizeof *rows->has_target + 1);
  rows->target = gt_arena_strdup(arena, gt_table_name(file, target));
  for (size_t i = 0; i < file->rows; i++) rows->has_target[i] = !gt_table_is_gap(file, target, i);
}

static const char *name_of_use(const gt_table_file *file, gt_column_use use, gt_arena *arena) {
  const gt_table_column *column = gt_table_find(file, use);
  return column ? gt_arena_strdup(arena, gt_table_name(file, column)) : NULL;
}

bool gt_csv_store_times(const gt_table_file *file, const gt_csv_inputs *inputs, const gt_typed_table *typed,
                        const gt_input_reader *reader) {
  gt_series_rows *rows = reader->series;
  gt_forecast_rows *to = &reader->rows->forecast;
  gt_arena *arena = reader->rows->arena;
  if (!rows) return true;
  rows->lacks = gt_alloc(file->rows * sizeof *rows->lacks + 1);
  to->time_column = name_of_use(file, GT_USE_TIME, arena);
  to->group_column = name_of_use(file, GT_USE_GROUP, arena);
  mark_targets(file, rows, arena);
  rows->order = gt_date_order_of(gt_data_series_options(reader->signature->data).order);
  if (!read_rows(file, arena, rows)) return false;
  fill_forecast(file, inputs, typed, reader);
  return true;
}

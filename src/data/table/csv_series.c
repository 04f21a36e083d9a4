/* CSV: reads the times and groups of the rows of a time series. */
#include "base/memory.h"
#include "base/names.h"
#include "data/table/csv_typed.h"
#include "data/date.h"
#include "data/series/series.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gt_csv_number_rows(const gt_data_reader *reader, gt_csv *csv) {
  const gt_cells *groups = gt_csv_role_cells(csv, GT_CSV_GROUP);
  gt_arena arena;
  int64_t *next = NULL;
  if (!reader->series) return;
  gt_arena_init(&arena);
  gt_names known = {.arena = &arena};
  csv->number = gt_alloc(csv->rows * sizeof *csv->number + 1);
  for (size_t i = 0; i < csv->rows; i++) {
    const int count = (int)known.count;
    const char *name = groups ? gt_arena_strndup(&arena, groups->items[i].text, groups->items[i].length) : "";
    const int group = gt_names_add(&known, name, count);
    if (group == count) {
      next = gt_realloc(next, ((size_t)group + 1) * sizeof *next);
      next[group] = 0;
    }
    csv->number[i] = next[group]++;
  }
  free(next);
  gt_arena_finish(&arena);
}

/* --- times --- */

/* GT_DATE_… orders in which all cells are dates; 0: none. */
static unsigned date_orders(const gt_cells *cells) {
  unsigned orders = GT_DATE_YEAR_FIRST | GT_DATE_DAY_FIRST | GT_DATE_MONTH_FIRST;
  for (size_t i = 0; i < cells->count && orders; i++)
    orders &= gt_date_parse(cells->items[i].text, cells->items[i].length, 0, true, NULL);
  return orders;
}

static bool are_numbers(const gt_csv *csv, const gt_cells *cells, double *time) {
  for (size_t i = 0; i < cells->count; i++)
    if (!gt_csv_parse(csv, &cells->items[i], &time[i]) || !isfinite(time[i])) return false;
  return true;
}

/* Reports the first cell that is not a time: if the first cell is a number, the first that is not a number;
 * otherwise the first that is not a date in the same order as those before it. */
static bool fail_time(const gt_csv *csv, const gt_cells *cells) {
  char shown[48];
  double value;
  const gt_cell *cell = cells->items;
  const bool numbers = gt_csv_parse(csv, cell, &value);
  unsigned orders = GT_DATE_YEAR_FIRST | GT_DATE_DAY_FIRST | GT_DATE_MONTH_FIRST;
  for (size_t i = 0; i < cells->count; i++) {
    cell = &cells->items[i];
    if (numbers ? !gt_csv_parse(csv, cell, &value) || !isfinite(value)
                : !(orders &= gt_date_parse(cell->text, cell->length, 0, true, NULL)))
      break;
  }
  if (!cell->length) return gt_csv_fail(csv, cell, "missing time; expected a date or a number in every row");
  return gt_csv_fail(
      csv, cell, "'%s' is not a time; expected %s", gt_cell_shown(cell, shown),
      numbers ? "a number, as in the rows before"
              : "a date such as 2024-01-31, 2024-01-31 13:45 or 2024-01, or a number, in all rows alike");
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

static bool fail_decrease(const gt_csv *csv, const gt_series_rows *rows, const gt_cells *cells, int64_t at,
                          int64_t before) {
  char time[48], earlier[48];
  const gt_cell *cell = &cells->items[at], *other = &cells->items[before];
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

static void parse_dates(const gt_cells *cells, unsigned order, double *time) {
  for (size_t i = 0; i < cells->count; i++)
    gt_date_parse(cells->items[i].text, cells->items[i].length, order, true, &time[i]);
}

/* If either number of the dates could be the day, they are read in the order in which the times increase. */
static bool read_dates(const gt_csv *csv, const gt_cells *cells, unsigned orders, gt_series_rows *out) {
  const unsigned order[] = {GT_DATE_YEAR_FIRST, GT_DATE_DAY_FIRST, GT_DATE_MONTH_FIRST};
  unsigned increasing = 0;
  int64_t before;
  for (int k = 0; k < 3 && (orders & (orders - 1)); k++) {
    if (!(orders & order[k])) continue;
    parse_dates(cells, order[k], out->time);
    if (find_decrease(out->time, out->group, out->groups, (int64_t)cells->count, &before) < 0)
      increasing |= order[k];
  }
  if (increasing & (increasing - 1) & ~(unsigned)GT_DATE_YEAR_FIRST)
    return gt_csv_fail(
        csv, &cells->items[0],
        "the day and the month of these dates could be either way round; write them as 2024-01-31");
  parse_dates(cells, increasing ? increasing : orders & -orders, out->time);
  return true;
}

static bool read_times(const gt_csv *csv, gt_series_rows *out) {
  const gt_cells *cells = gt_csv_role_cells(csv, GT_CSV_TIME);
  int64_t before;
  if (!cells) return true;
  out->time = gt_alloc(csv->rows * sizeof *out->time + 1);
  const unsigned orders = date_orders(cells);
  out->dates = out->months = orders;
  for (size_t i = 0; i < cells->count && out->months; i++) out->months = cells->items[i].length == 7;
  if (!orders && !are_numbers(csv, cells, out->time)) return fail_time(csv, cells);
  if (orders && !read_dates(csv, cells, orders, out)) return false;
  const int64_t at = find_decrease(out->time, out->group, out->groups, (int64_t)csv->rows, &before);
  return at < 0 || fail_decrease(csv, out, cells, at, before);
}

bool gt_csv_read_times(const gt_csv *csv, gt_arena *arena, gt_series_rows *out) {
  const gt_cells *cells = gt_csv_role_cells(csv, GT_CSV_TIME) ? gt_csv_role_cells(csv, GT_CSV_TIME)
                                                              : gt_csv_role_cells(csv, GT_CSV_GROUP);
  if (!cells && csv->targets) cells = &csv->target_cells;
  out->path = csv->path;
  out->line = gt_alloc(csv->rows * sizeof *out->line + 1);
  const size_t per_row = cells && cells->count ? cells->count / csv->rows : 0;
  for (size_t i = 0; i < csv->rows; i++) out->line[i] = per_row ? cells->items[i * per_row].line : 0;
  if (gt_csv_role_cells(csv, GT_CSV_GROUP)) {
    out->group = gt_alloc(csv->rows * sizeof *out->group + 1);
    out->groups = gt_csv_read_groups(csv, arena, out->group, &out->name);
  }
  return out->groups >= 0 && read_times(csv, out);
}

bool gt_csv_read_series(gt_data_reader *reader, const gt_csv *csv, int part) {
  if (!reader->series) return true;
  gt_series_rows *out = &reader->series->file[part == GT_PART_TEST ? GT_SERIES_TEST : GT_SERIES_TRAIN];
  out->number = gt_alloc(csv->rows * sizeof *out->number + 1);
  memcpy(out->number, csv->number, csv->rows * sizeof *out->number);
  return gt_csv_read_times(csv, reader->arena, out);
}

/* --- predictions --- */

static bool find_role(gt_csv *csv, gt_csv_role role, const char *name) {
  const int column = name ? gt_csv_find(csv, name) : -1;
  csv->role_column[role] = column;
  return !name || column >= 0 ||
         gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s', the %s of the series%s",
                 csv->path, name, role == GT_CSV_TIME ? "time" : "group", gt_csv_header_note(csv, name));
}

bool gt_csv_find_times(gt_csv *csv, const gt_data_signature *signature) {
  const gt_data_series o = gt_data_series_options(signature->data);
  const gt_data_target *target = &signature->target[0];
  if (!signature->rows) return true;
  if (target->column_count) {
    /* The name of a target ends with its step (temp_max+1), except that of classes with horizon 1
     * (name_targets). */
    const bool has_step = !target->classes || o.horizon > 1;
    csv->role_column[GT_CSV_TARGET] =
        gt_csv_find(csv, has_step ? gt_data_series_target(target->columns[0], signature->forecast->arena)
                                  : target->columns[0]);
  }
  return find_role(csv, GT_CSV_TIME, o.time) && find_role(csv, GT_CSV_GROUP, o.group);
}

typedef struct forecast_rows { /* which rows a forecast reads */
  int64_t *after;              /* [rows] number of later rows in the same group; heap */
  int64_t window, ahead;       /* number of rows in the window, and after it */
} forecast_rows;

static forecast_rows find_rows(const gt_series_rows *rows, size_t count, const gt_data_signature *signature) {
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
static void fill_gaps(const gt_csv *csv, const int32_t *place, int64_t columns, const gt_typed_table *typed,
                      bool ahead, const forecast_rows *f, const gt_data_signature *signature) {
  gt_series_lack *lacks = signature->rows->lacks;
  for (int64_t i = columns - 1; i >= 0; i--) {
    const gt_column *column = &typed->item[place[i]].column;
    const bool drops = drops_rows(signature, column->name);
    for (size_t row = 0; row < csv->rows; row++) {
      float *value = &csv->values[row * (size_t)csv->width + (size_t)typed->item[place[i]].place];
      if ((column->fills && !drops) || !isnan(*value)) continue;
      if (!column->fills_later_files || drops) {
        *(ahead ? &lacks[row].ahead : &lacks[row].past) = column->name;
      } else if (is_read(f, row, ahead)) {
        csv->facts[place[i]].empty++;
        if (column->kind != GT_COLUMN_CATEGORY) gt_column_write_fill(column, value);
      }
    }
  }
}

/* In the rows after the window, usually only the columns of the input `future` have values. So the missing
 * values in the facts are counted again, only where a forecast reads them. */
static void fill_forecast(const gt_csv *csv, const gt_csv_inputs *inputs, const gt_typed_table *typed,
                          const gt_data_signature *signature) {
  const forecast_rows f = find_rows(signature->rows, csv->rows, signature);
  for (int i = 0; i < csv->inputs; i++) csv->facts[i].empty = csv->facts[i].missing = 0;
  for (int k = 0; k < inputs->inputs; k++)
    fill_gaps(csv, inputs->place[k], inputs->columns[k], typed, gt_series_is_ahead(&signature->input[k]), &f,
              signature);
  free(f.after);
}

/* Marks the rows in which the first target has a value. */
static void mark_targets(const gt_csv *csv, gt_series_rows *rows, gt_arena *arena) {
  const gt_cells *cells = gt_csv_role_cells(csv, GT_CSV_TARGET);
  if (!cells) return;
  rows->has_target = gt_alloc(csv->rows * sizeof *rows->has_target + 1);
  rows->target = gt_arena_strdup(arena, csv->names[csv->role_column[GT_CSV_TARGET]]);
  for (size_t i = 0; i < csv->rows; i++)
    rows->has_target[i] = cells->items[i].length && !gt_csv_is_missing(csv, &cells->items[i]);
}

bool gt_csv_store_times(const gt_csv *csv, const gt_csv_inputs *inputs, const gt_typed_table *typed,
                        const gt_data_signature *signature) {
  gt_series_rows *rows = signature->rows;
  gt_forecast_rows *to = signature->forecast;
  if (!rows) return true;
  rows->lacks = gt_alloc(csv->rows * sizeof *rows->lacks + 1);
  if (csv->role_column[GT_CSV_TIME] >= 0)
    to->time_column = gt_arena_strdup(to->arena, csv->names[csv->role_column[GT_CSV_TIME]]);
  if (csv->role_column[GT_CSV_GROUP] >= 0)
    to->group_column = gt_arena_strdup(to->arena, csv->names[csv->role_column[GT_CSV_GROUP]]);
  mark_targets(csv, rows, to->arena);
  if (!gt_csv_read_times(csv, to->arena, rows)) return false;
  fill_forecast(csv, inputs, typed, signature);
  return true;
}

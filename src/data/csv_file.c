/* CSV: a file, its header and columns, and reading all of its rows. */
#include "base/memory.h"
#include "base/text.h"
#include "data/csv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gt_csv_name {
  const char *name;
  int column;
} gt_csv_name;

static int by_name(const void *a, const void *b) {
  return strcmp(((const gt_csv_name *)a)->name, ((const gt_csv_name *)b)->name);
}

/* A header is a line without any number in it. */
static bool looks_like_header(const gt_csv *csv) {
  double number;
  bool any = false;
  for (size_t i = 0; i < csv->record.count; i++) {
    const gt_cell *cell = &csv->record.items[i];
    if (gt_parse_number(cell->text, cell->length, &number)) return false;
    any = any || cell->length;
  }
  return any;
}

static bool name_columns(gt_csv *csv) {
  csv->columns = (int)csv->record.count;
  csv->names = GT_NEW_N(&csv->arena, const char *, csv->columns);
  csv->sorted = GT_NEW_N(&csv->arena, gt_csv_name, csv->columns);
  csv->role = GT_NEW_N(&csv->arena, int32_t, csv->columns);
  for (int i = 0; i < csv->columns; i++) {
    const gt_cell *cell = &csv->record.items[i];
    if (csv->header && cell->length && memchr(cell->text, 0, cell->length))
      return gt_csv_fail(csv, cell, "a 0 byte in a column name; is this a text file?");
    csv->names[i] = csv->header && cell->length ? gt_arena_strndup(&csv->arena, cell->text, cell->length)
                                                : gt_arena_printf(&csv->arena, "%d", i + 1);
    csv->sorted[i] = (gt_csv_name){csv->names[i], i};
  }
  qsort(csv->sorted, (size_t)csv->columns, sizeof *csv->sorted, by_name);
  for (int i = 1; i < csv->columns; i++)
    if (!strcmp(csv->sorted[i].name, csv->sorted[i - 1].name)) {
      const int a = csv->sorted[i].column, b = csv->sorted[i - 1].column;
      char shown[48];
      const gt_cell *cell = &csv->record.items[a > b ? a : b];
      return gt_csv_fail(csv, cell, "a second column of the name '%s'", gt_cell_shown(cell, shown));
    }
  return true;
}

bool gt_csv_open(gt_csv *csv, const char *path, char delimiter, gt_csv_header header, gt_error *error) {
  *csv = (gt_csv){.path = path, .error = error, .line = 1};
  csv->delimiter = delimiter ? delimiter : gt_data_has_suffix(path, ".tsv") ? '\t' : ',';
  gt_arena_init(&csv->arena);
  if (!gt_data_read_file(path, &csv->bytes, error)) return false;
  csv->at = (char *)csv->bytes.data;
  csv->end = csv->at + csv->bytes.size;
  if (csv->bytes.size >= 3 && !memcmp(csv->at, "\xEF\xBB\xBF", 3)) csv->at += 3;
  csv->line_start = csv->at;
  const int got = gt_csv_record(csv);
  if (got == 0) return gt_fail(error, GT_ERR_DATA, "%s is empty; expected lines of numbers", path);
  if (got < 0) return false;
  csv->header = header == GT_CSV_HEADER || (header == GT_CSV_AUTO && looks_like_header(csv));
  return name_columns(csv);
}

void gt_csv_close(gt_csv *csv) {
  gt_bytes_finish(&csv->bytes);
  gt_arena_finish(&csv->arena);
  free(csv->record.items);
  free(csv->values);
  free(csv->target_cells.items);
  *csv = (gt_csv){0};
}

int gt_csv_find(const gt_csv *csv, const char *name) {
  const gt_csv_name key = {.name = name};
  const gt_csv_name *found = bsearch(&key, csv->sorted, (size_t)csv->columns, sizeof key, by_name);
  return found ? found->column : -1;
}

const char *gt_csv_nearest(const gt_csv *csv, const char *name) {
  return gt_nearest(name, csv->names, (size_t)csv->columns);
}

static bool take_named(gt_csv *csv, const char *const *names, int count, int first_role) {
  for (int i = 0; i < count; i++) {
    const int column = gt_csv_find(csv, names[i]);
    if (column < 0) {
      const char *nearest = gt_csv_nearest(csv, names[i]);
      return gt_fail(csv->error, GT_ERR_DATA, "%s:1:1: there is no column '%s'%s%s%s", csv->path, names[i],
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    csv->role[column] = first_role + i;
  }
  return true;
}

bool gt_csv_take_columns(gt_csv *csv, const char *const *inputs, int input_count, const char *const *targets,
                         int target_count) {
  for (int i = 0; i < csv->columns; i++) csv->role[i] = -1;
  csv->inputs = input_count;
  csv->targets = target_count;
  return take_named(csv, inputs, input_count, 0) && take_named(csv, targets, target_count, input_count);
}

bool gt_csv_number(const gt_csv *csv, const gt_cell *cell, const char *column, float *out) {
  char shown[48];
  double value;
  if (!gt_parse_number(cell->text, cell->length, &value)) {
    if (!cell->length)
      return gt_csv_fail(csv, cell, "missing value in column '%s'; expected a number", column);
    return gt_csv_fail(csv, cell,
                       "'%s' in column '%s' is not a number; expected a finite number, such as -1.5e3",
                       gt_cell_shown(cell, shown), column);
  }
  *out = (float)value;
  return isfinite(*out) || gt_csv_fail(csv, cell, "'%s' in column '%s' is too large for a 32-bit float",
                                       gt_cell_shown(cell, shown), column);
}

/* Memory follows the rows that came: a header of many columns over empty lines claims nothing. */
static float *new_row(gt_csv *csv) {
  if (csv->rows == csv->capacity) {
    csv->capacity = csv->capacity ? 2 * csv->capacity : 64;
    csv->values = gt_realloc(csv->values, csv->capacity * (size_t)csv->inputs * sizeof *csv->values);
  }
  return csv->values + csv->rows++ * (size_t)csv->inputs;
}

static bool take_record(gt_csv *csv) {
  const gt_cell *cell = csv->record.items;
  const int count = (int)csv->record.count;
  if (count != csv->columns)
    return gt_csv_fail(csv, &cell[count < csv->columns ? 0 : csv->columns],
                       "this row has %d cells; expected %d, as in the first line", count, csv->columns);
  float *row = new_row(csv);
  const size_t first_target = csv->target_cells.count;
  for (int t = 0; t < csv->targets; t++) *GT_PUSH(&csv->target_cells) = cell[0];
  for (int i = 0; i < count; i++) {
    const int role = csv->role[i];
    if (role >= csv->inputs)
      csv->target_cells.items[first_target + (size_t)(role - csv->inputs)] = cell[i];
    else if (role >= 0 && !gt_csv_number(csv, &cell[i], csv->names[i], &row[role]))
      return false;
  }
  return true;
}

bool gt_csv_read(gt_csv *csv) {
  int got = csv->header ? gt_csv_record(csv) : 1;
  for (; got > 0; got = gt_csv_record(csv))
    if (!take_record(csv)) return false;
  if (got < 0) return false;
  return csv->rows || gt_fail(csv->error, GT_ERR_DATA, "%s: there are no rows below the header", csv->path);
}

/* CSV: opens a file and reads all of its rows. */
#include "base/memory.h"
#include "base/text.h"
#include "data/csv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rejects byte order marks of other encodings; skips that of UTF-8. */
static bool check_encoding(gt_csv *csv) {
  const size_t size = csv->bytes.size;
  if (size >= 2 && (!memcmp(csv->at, "\xFF\xFE", 2) || !memcmp(csv->at, "\xFE\xFF", 2)))
    return gt_fail(csv->error, GT_ERR_DATA,
                   "%s:1:1: this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8", csv->path);
  if (size >= 3 && !memcmp(csv->at, "\xEF\xBB\xBF", 3)) csv->at += 3;
  return true;
}

bool gt_csv_open(gt_csv *csv, gt_data_file file, const gt_csv_form *form, gt_error *error) {
  const char *path = file.path;
  *csv = (gt_csv){.path = path, .error = error, .line = 1};
  for (int r = 0; r < GT_CSV_ROLES; r++) csv->role_column[r] = -1;
  csv->delimiter = form->delimiter ? form->delimiter : gt_data_has_suffix(path, ".tsv") ? '\t' : ',';
  gt_arena_init(&csv->arena);
  csv->memory = gt_data_memory_limit(path);
  if (!gt_data_read_file(file, &csv->bytes, error)) return false;
  csv->at = (char *)csv->bytes.data;
  csv->end = csv->at + csv->bytes.size;
  if (!check_encoding(csv)) return false;
  csv->line_start = csv->at;
  const int got = gt_csv_record(csv);
  if (got == 0) return gt_fail(error, GT_ERR_DATA, "%s is empty; expected lines of numbers", path);
  return got > 0 && gt_csv_name_columns(csv, form);
}

void gt_csv_close(gt_csv *csv) {
  gt_bytes_finish(&csv->bytes);
  gt_arena_finish(&csv->arena);
  free(csv->record.items);
  free(csv->values);
  free(csv->target_cells.items);
  for (int r = 0; r < GT_CSV_ROLES; r++) free(csv->role_cells[r].items);
  *csv = (gt_csv){0};
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

/* Memory grows with the rows read: a header of many columns over empty lines allocates nothing. */
static float *new_row(gt_csv *csv) {
  if (csv->rows == csv->capacity) {
    csv->capacity = csv->capacity ? 2 * csv->capacity : 64;
    csv->values = gt_realloc(csv->values, csv->capacity * (size_t)csv->inputs * sizeof *csv->values);
  }
  return csv->values + csv->rows++ * (size_t)csv->inputs;
}

static bool take_input(const gt_csv *csv, const gt_cell *cell, int column, float *out) {
  char shown[48];
  if (!gt_csv_number(csv, cell, csv->names[column], out)) return false;
  if (!csv->whole || !csv->whole[csv->role[column]] ||
      (*out >= 0 && *out <= GT_DATA_MOST_INTEGER && *out == floorf(*out)))
    return true;
  return gt_csv_fail(csv, cell,
                     "'%s' in column '%s' is not a whole number from 0 to %d, which its input needs",
                     gt_cell_shown(cell, shown), csv->names[column], GT_DATA_MOST_INTEGER);
}

/* A row of a few characters can take many times as many bytes in memory. */
static bool has_room(const gt_csv *csv) {
  const uint64_t row =
      (uint64_t)csv->inputs * sizeof(float) + (uint64_t)(csv->targets + GT_CSV_ROLES) * sizeof(gt_cell);
  if (csv->bytes.size + (csv->rows + 1) * row <= csv->memory) return true;
  char limit[32];
  return gt_csv_fail(csv, &csv->record.items[0],
                     "the rows so far need more than %s of memory, the limit for a compressed file of this "
                     "size; decompress it first (gunzip)",
                     gt_human_bytes((double)csv->memory, limit));
}

static bool take_record(gt_csv *csv) {
  const gt_cell *cell = csv->record.items;
  const int count = (int)csv->record.count;
  if (count != csv->columns)
    return gt_csv_fail(csv, &cell[count < csv->columns ? 0 : csv->columns],
                       "this row has %d cells; expected %d, as in the first line", count, csv->columns);
  if (!has_room(csv)) return false;
  float *row = new_row(csv);
  const size_t first_target = csv->target_cells.count;
  for (int r = 0; r < GT_CSV_ROLES; r++)
    if (csv->role_column[r] >= 0) *GT_PUSH(&csv->role_cells[r]) = cell[csv->role_column[r]];
  for (int t = 0; t < csv->targets; t++) *GT_PUSH(&csv->target_cells) = cell[0];
  for (int i = 0; i < count; i++) {
    const int role = csv->role[i];
    if (role >= csv->inputs)
      csv->target_cells.items[first_target + (size_t)(role - csv->inputs)] = cell[i];
    else if (role >= 0 && !take_input(csv, &cell[i], i, &row[role]))
      return false;
  }
  return true;
}

bool gt_csv_read(gt_csv *csv) {
  int got = csv->header ? gt_csv_record(csv) : 1;
  for (; got > 0; got = gt_csv_record(csv)) {
    if (!take_record(csv)) return false;
    if (csv->doubtful && csv->rows == 2) gt_csv_doubt(csv);
  }
  if (got < 0) return false;
  return csv->rows || gt_fail(csv->error, GT_ERR_DATA, "%s: there are no rows after the header", csv->path);
}

/* CSV: opens a file and reads all of its rows. */
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/table/csv_chunks.h"
#include "data/table/csv_layout.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool gt_csv_open(gt_csv *csv, gt_data_file file, const gt_csv_form *form, gt_error *error) {
  gt_csv_sample sample = {0};
  *csv = (gt_csv){.path = file.path, .untrusted = file.untrusted, .error = error, .line = 1};
  for (int r = 0; r < GT_CSV_ROLES; r++) csv->role_column[r] = -1;
  gt_arena_init(&csv->arena);
  csv->memory = gt_data_memory_limit(file.path);
  if (!gt_data_read_file(file, &csv->bytes, error)) return false;
  csv->at = (char *)csv->bytes.data;
  csv->end = csv->at + csv->bytes.size;
  if (form->lines) return gt_csv_open_lines(csv, form);
  int got = -1;
  if (gt_csv_find_table(csv, form, &sample)) {
    got = gt_csv_record(csv);
    if (got == 0) gt_fail(error, GT_ERR_DATA, "%s is empty; expected lines of numbers", file.path);
  }
  if (got > 0) csv->first_line = csv->record.items[0].line;
  const bool ok = got > 0 && gt_csv_name_columns(csv, form, &sample);
  gt_csv_sample_finish(&sample);
  return ok;
}

void gt_csv_close(gt_csv *csv) {
  gt_bytes_finish(&csv->bytes);
  gt_arena_finish(&csv->arena);
  free(csv->record.items);
  free(csv->values);
  free(csv->number);
  free(csv->target_cells.items);
  for (int r = 0; r < GT_CSV_ROLES; r++) free(csv->role_cells[r].items);
  for (int i = 0; csv->facts && i < csv->fact_count; i++) gt_csv_facts_finish(&csv->facts[i]);
  free(csv->facts);
  *csv = (gt_csv){0};
}

/* The values of a new row. Memory grows only with the rows, so a long header in an empty file needs none. */
static float *new_row(gt_csv *csv) {
  if (csv->rows == csv->capacity) {
    csv->capacity = csv->capacity ? 2 * csv->capacity : 64;
    csv->values = gt_realloc(csv->values, csv->capacity * (size_t)csv->inputs * sizeof *csv->values);
  }
  return csv->values + csv->rows++ * (size_t)csv->inputs;
}

/* True if the cell is a number. The config's words for missing values may be numbers, so they are checked
 * first. */
static bool is_number(const gt_csv *csv, const gt_cell *cell, int role, double *value) {
  return !(csv->as_text && csv->as_text[role]) && !(csv->missing && gt_csv_is_missing(csv, cell)) &&
         gt_csv_parse(csv, cell, value);
}

static void store_input(gt_csv *csv, const gt_cell *cell, int role, float *out) {
  double value;
  gt_csv_facts *facts = &csv->facts[role];
  if (!is_number(csv, cell, role, &value)) {
    *out = gt_csv_boxed(gt_csv_facts_odd(csv, facts, cell, false));
    return;
  }
  *out = (float)value;
  const bool whole =
      !csv->whole || !csv->whole[role] || (*out >= 0 && *out <= GT_DATA_MAX_INTEGER && *out == floorf(*out));
  if (isfinite(*out) && whole)
    gt_csv_facts_number(facts, value);
  else
    *out = gt_csv_boxed(gt_csv_facts_odd(csv, facts, cell, true));
}

/* Checks the memory limit before a row is added: a row of a few characters may need many times as many
 * bytes. */
static bool has_room(const gt_csv *csv) {
  const uint64_t row =
      (uint64_t)csv->inputs * sizeof(float) + (uint64_t)(csv->targets + GT_CSV_ROLES) * sizeof(gt_cell);
  if (csv->bytes.size + (csv->rows + 1) * row + csv->text_bytes <= csv->memory) return true;
  char limit[32];
  return gt_csv_fail(csv, &csv->record.items[0],
                     "the rows so far need more than %s of memory, the limit for a compressed file of this "
                     "size; decompress it first (gunzip)",
                     gt_human_bytes((double)csv->memory, limit));
}

/* The index of the first surplus cell of the record, 0 if it has too few cells, -1 if their number is right.
 * Empty cells at its end are ignored: they come from a separator at the end of the line. */
static int first_wrong_cell(const gt_csv *csv) {
  const int count = (int)csv->record.count;
  if (count < csv->columns) return 0;
  for (int i = csv->columns; i < count; i++)
    if (csv->record.items[i].length || csv->record.items[i].quoted) return i;
  return -1;
}

static bool store_record(gt_csv *csv) {
  const gt_cell *cell = csv->record.items;
  const int count = (int)csv->record.count, wrong = first_wrong_cell(csv);
  if (gt_csv_is_comment(cell, count, csv->columns)) {
    if (!csv->comment) csv->comment = cell->line;
    return true;
  }
  if (wrong >= 0)
    return gt_csv_fail(csv, &cell[wrong], "this row has %d cells; expected %d, as in the first line", count,
                       csv->columns);
  if (!has_room(csv)) return false;
  float *row = new_row(csv);
  const size_t first_target = csv->target_cells.count;
  for (int r = 0; r < GT_CSV_ROLES; r++)
    if (csv->role_column[r] >= 0) *GT_PUSH(&csv->role_cells[r]) = cell[csv->role_column[r]];
  for (int t = 0; t < csv->targets; t++) *GT_PUSH(&csv->target_cells) = cell[0];
  for (int i = 0; i < csv->columns; i++) {
    const int role = csv->role[i];
    if (role >= csv->inputs)
      csv->target_cells.items[first_target + (size_t)(role - csv->inputs)] = cell[i];
    else if (role >= 0)
      store_input(csv, &cell[i], role, &row[role]);
    if (csv->also_target && csv->also_target[i] >= 0)
      csv->target_cells.items[first_target + (size_t)csv->also_target[i]] = cell[i];
  }
  return true;
}

bool gt_csv_read_rows(gt_csv *csv) {
  int got;
  while ((got = gt_csv_record(csv)) > 0)
    if (!store_record(csv)) return false;
  return got == 0;
}

bool gt_csv_read_with(gt_csv *csv, int threads, size_t chunk) {
  gt_csv_facts_start(csv);
  const bool ok = (csv->header || store_record(csv)) && gt_csv_read_chunks(csv, threads, chunk);
  if (csv->comment) gt_info("%s:%u: comment lines in the table are skipped", csv->path, csv->comment);
  if (!ok) return false;
  for (int t = 0; t < csv->targets; t++) gt_csv_facts_of_target(csv, t);
  return csv->rows || gt_fail(csv->error, GT_ERR_DATA, "%s: there are no rows after the header", csv->path);
}

/* Bytes of a chunk: enough chunks for all threads to end at about the same time, but not so many that the
 * facts and texts of all chunks need much memory compared with the text: the facts of a chunk take at most
 * 1/64 of its size. */
static size_t chunk_size(const gt_csv *csv) {
  enum { CHUNKS = 32, MIN_SIZE = 4 << 20, MAX_SIZE = 16 << 20 };
  const size_t even = (size_t)(csv->end - csv->at) / CHUNKS,
               facts = 64 * sizeof(gt_csv_facts) * (size_t)(csv->inputs + csv->targets),
               size = even < MIN_SIZE   ? MIN_SIZE
                      : even > MAX_SIZE ? MAX_SIZE
                                        : even;
  return size > facts ? size : facts;
}

bool gt_csv_read(gt_csv *csv) { return gt_csv_read_with(csv, 0, chunk_size(csv)); }

/* Tables: opens a file, adds the columns that are read, and reads all of its rows. */
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/table/csv_chunks.h"
#include "data/table/csv_layout.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool gt_table_open(gt_table_file *file, gt_data_file source, const gt_csv_form *form, gt_error *error) {
  gt_csv_sample sample = {0};
  gt_csv *csv = &file->csv;
  *file = (gt_table_file){.memory = gt_data_memory_limit(source.path)};
  *csv = (gt_csv){.path = source.path, .untrusted = source.untrusted, .error = error, .line = 1};
  gt_arena_init(&csv->arena);
  if (!gt_data_read_file(source, &csv->bytes, error)) return false;
  csv->at = (char *)csv->bytes.data;
  csv->end = csv->at + csv->bytes.size;
  if (form->lines) return gt_csv_open_lines(csv, form);
  int got = -1;
  if (gt_csv_find_table(csv, form, &sample)) {
    got = gt_csv_record(csv);
    if (got == 0) gt_fail(error, GT_ERR_DATA, "%s is empty; expected lines of numbers", csv->path);
  }
  if (got > 0) csv->first_line = csv->record.items[0].line;
  const bool ok = got > 0 && gt_csv_name_columns(csv, form, &sample);
  gt_csv_sample_finish(&sample);
  return ok;
}

void gt_table_close(gt_table_file *file) {
  for (int i = 0; i < file->columns; i++) gt_facts_finish(&file->column[i].facts);
  gt_bytes_finish(&file->csv.bytes);
  gt_arena_finish(&file->csv.arena);
  free(file->csv.record.items);
  free(file->csv.unescaped.items);
  free(file->column);
  free(file->values);
  free(file->other);
  free(file->cells);
  free(file->line);
  free(file->number);
  *file = (gt_table_file){0};
}

/* --- columns --- */

void gt_table_use(gt_table_file *file, gt_column_use use, int index) {
  static const gt_reading readings[GT_USES] = {
      [GT_USE_TARGET] = GT_READ_LABELS, [GT_USE_SPLIT] = GT_READ_CODES, [GT_USE_GROUP] = GT_READ_CODES,
      [GT_USE_ID] = GT_READ_CELLS,      [GT_USE_TIME] = GT_READ_CELLS,  [GT_USE_SOURCE] = GT_READ_CELLS};
  if (file->columns == file->room) { /* rarely more than once: a column of a series may have several uses */
    file->room += file->csv.columns + GT_USES;
    file->column = gt_realloc(file->column, (size_t)file->room * sizeof *file->column);
  }
  gt_table_column c = {.use = use, .index = index, .reading = readings[use]};
  c.place = use == GT_USE_INPUT          ? file->inputs++
            : c.reading == GT_READ_CELLS ? file->cell_columns++
                                         : file->others++;
  file->targets += use == GT_USE_TARGET;
  file->column[file->columns++] = c;
}

gt_table_column *gt_table_find(const gt_table_file *file, gt_column_use use) {
  for (int i = file->inputs; i < file->columns; i++)
    if (file->column[i].use == use) return &file->column[i];
  return NULL;
}

gt_cell gt_table_locate(const gt_table_file *file, const gt_table_column *column, size_t row) {
  gt_error ignored = {0};
  gt_csv csv = file->csv;
  gt_cell cell = {.text = "", .line = file->line[row], .column = 1};
  csv.error = &ignored;
  csv.is_read_again = true;
  csv.record = (gt_cells){0};
  csv.at = csv.line_start = csv.start;
  for (csv.line = 1; csv.line < cell.line && csv.at < csv.end;) gt_csv_skip_line(&csv);
  if (gt_csv_record(&csv) > 0 && (size_t)column->index < csv.record.count)
    cell = csv.record.items[column->index];
  free(csv.record.items);
  return cell;
}

/* --- rows --- */

/* Makes room for a row. Memory grows only with the rows, so a long header in an empty file needs none. */
static void add_row(gt_table_file *file) {
  if (file->rows++ < file->capacity) return;
  file->capacity = file->capacity ? 2 * file->capacity : 64;
  gt_table_make_room(file, file->capacity);
}

void gt_table_make_room(gt_table_file *file, size_t rows) {
  file->capacity = rows;
  file->values = gt_realloc(file->values, rows * (size_t)file->inputs * sizeof *file->values + 1);
  file->other = gt_realloc(file->other, rows * (size_t)file->others * sizeof *file->other + 1);
  file->cells = gt_realloc(file->cells, rows * (size_t)file->cell_columns * sizeof *file->cells + 1);
  file->line = gt_realloc(file->line, rows * sizeof *file->line + 1);
}

void gt_table_move_rows(gt_table_file *to, size_t at, const gt_table_file *from, size_t row, size_t rows) {
  const size_t inputs = (size_t)to->inputs, others = (size_t)to->others, cells = (size_t)to->cell_columns;
  memmove(to->values + at * inputs, from->values + row * inputs, rows * inputs * sizeof *to->values);
  memmove(to->other + at * others, from->other + row * others, rows * others * sizeof *to->other);
  memmove(to->cells + at * cells, from->cells + row * cells, rows * cells * sizeof *to->cells);
  memmove(to->line + at, from->line + row, rows * sizeof *to->line);
}

/* Checks the memory limit before a row is added: a row of a few characters may need many times as many
 * bytes. */
static bool has_room(const gt_table_file *file) {
  const uint64_t row = (uint64_t)(file->inputs + file->others) * sizeof(float) + sizeof *file->line +
                       (uint64_t)file->cell_columns * sizeof(gt_cell);
  if (file->csv.bytes.size + (file->rows + 1) * row + file->text_bytes <= file->memory) return true;
  char limit[32];
  return gt_csv_fail(&file->csv, &file->csv.record.items[0],
                     "the rows so far need more than %s of memory, the limit for a compressed file of this "
                     "size; decompress it first (gunzip)",
                     gt_human_bytes((double)file->memory, limit));
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

/* True if the cell is a number. The config's words for missing values may be numbers, so they are checked
 * first. */
static bool is_number(const gt_csv *csv, const gt_table_column *column, const gt_cell *cell, double *value) {
  return column->reading < GT_READ_TEXTS && !(csv->missing && gt_csv_is_missing(csv, cell)) &&
         gt_csv_parse(csv, cell, value);
}

/* Adds a cell to the facts of its column. Returns its value. */
static float value_of(gt_table_file *file, gt_table_column *column, const gt_cell *cell) {
  gt_column_facts *f = &column->facts;
  double value;
  if (!is_number(&file->csv, column, cell, &value)) {
    const uint32_t code = gt_facts_text(file, column, cell);
    float plain;
    memcpy(&plain, &code, sizeof plain);
    return column->reading == GT_READ_CODES ? plain : gt_cell_boxed(code);
  }
  const float out = (float)value;
  if (!isfinite(out) ||
      (column->needs_whole && !(out >= 0 && out <= GT_DATA_MAX_INTEGER && out == floorf(out)))) {
    f->counts = false;
    f->unfit++;
    return gt_cell_boxed(GT_CELL_UNFIT);
  }
  gt_facts_number(f, value);
  if (column->reading != GT_READ_LABELS || gt_cell_digits(cell) < 0) return out;
  return gt_cell_boxed(gt_text_code(column, cell, &file->text_bytes));
}

static bool store_record(gt_table_file *file) {
  const gt_csv *csv = &file->csv;
  const gt_cell *cell = csv->record.items;
  const int count = (int)csv->record.count, wrong = first_wrong_cell(csv);
  if (gt_csv_is_comment(cell, count, csv->columns)) {
    if (!file->comment) file->comment = cell->line;
    return true;
  }
  if (wrong >= 0)
    return gt_csv_fail(csv, &cell[wrong], "this row has %d cells; expected %d, as in the first line", count,
                       csv->columns);
  if (!has_room(file)) return false;
  const size_t row = file->rows;
  add_row(file);
  file->line[row] = cell->line;
  gt_table_column *c = file->column;
  float *value = file->values + row * (size_t)file->inputs, *other = file->other + row * (size_t)file->others;
  for (int i = 0; i < file->inputs; i++, c++) value[i] = value_of(file, c, &cell[c->index]);
  for (int i = file->inputs; i < file->columns; i++, c++)
    if (c->reading == GT_READ_CELLS)
      *gt_table_cell(file, c, row) = cell[c->index];
    else
      other[c->place] = value_of(file, c, &cell[c->index]);
  return true;
}

bool gt_table_read_rows(gt_table_file *file) {
  int got;
  while ((got = gt_csv_record(&file->csv)) > 0)
    if (!store_record(file)) return false;
  return got == 0;
}

bool gt_table_read_with(gt_table_file *file, int threads, size_t chunk) {
  const gt_csv *csv = &file->csv;
  gt_facts_start(file);
  file->width = file->inputs;
  const bool ok = (csv->header || store_record(file)) && gt_table_read_chunks(file, threads, chunk);
  if (file->comment) gt_info("%s:%u: comment lines in the table are skipped", csv->path, file->comment);
  if (!ok) return false;
  for (int i = 0; i < file->targets; i++) gt_table_count_target(file, gt_table_target(file, i));
  return file->rows || gt_fail(csv->error, GT_ERR_DATA, "%s: there are no rows after the header", csv->path);
}

/* Bytes of a chunk: enough chunks for all threads to end at about the same time, but not so many that the
 * facts and texts of all chunks need much memory compared with the text: the facts of a chunk take at most
 * 1/64 of its size. A chunk has fewer texts than a dictionary keeps: so many different ones have over 16 MiB.
 */
static size_t chunk_size(const gt_table_file *file) {
  enum { CHUNKS = 32, MIN_SIZE = 4 << 20, MAX_SIZE = 16 << 20 };
  const size_t even = (size_t)(file->csv.end - file->csv.at) / CHUNKS,
               facts = 64 * sizeof(gt_table_column) * (size_t)file->columns,
               size = even < MIN_SIZE   ? MIN_SIZE
                      : even > MAX_SIZE ? MAX_SIZE
                                        : even;
  return size > facts ? size : facts;
}

bool gt_table_read(gt_table_file *file) { return gt_table_read_with(file, 0, chunk_size(file)); }

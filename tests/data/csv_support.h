/* Reads a table on one thread and in chunks on several threads, and compares the results. */
#ifndef GT_TESTS_CSV_SUPPORT_H
#define GT_TESTS_CSV_SUPPORT_H
#include "data/table/csv_chunks.h"
#include "data_support.h"

typedef struct table_read {
  gt_table_file file;
  gt_error error;
  bool ok;
} table_read;

static gt_csv_lines lines; /* what read_table takes a line of the file to be */

/* Reads the file. The last column is the target, all others are inputs; the first is read for every other
 * use, too. `chunk` is a size in bytes; 0: one piece, on one thread. */
static void read_table(table_read *t, const char *path, int threads, size_t chunk) {
  *t = (table_read){0};
  if (!gt_table_open(&t->file, (gt_data_file){.path = path}, &(gt_csv_form){.lines = lines}, &t->error))
    return;
  const int last = t->file.csv.columns - 1;
  for (int i = 0; i < last; i++) gt_table_use(&t->file, GT_USE_INPUT, i);
  gt_table_use(&t->file, GT_USE_TARGET, last);
  for (int use = GT_USE_WEIGHT; use < GT_USES; use++)
    gt_table_use(&t->file, (gt_column_use)use, use % 2 ? last : 0);
  t->ok = gt_table_read_with(&t->file, chunk ? threads : 1, chunk);
}

static bool same_cells(const table_read *a, const gt_cell *cells_a, const table_read *b,
                       const gt_cell *cells_b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const gt_cell *x = &cells_a[i], *y = &cells_b[i];
    if (!gt_cell_is_same(x, y) || x->line != y->line || x->column != y->column || x->quoted != y->quoted ||
        x->text - (const char *)a->file.csv.bytes.data != y->text - (const char *)b->file.csv.bytes.data)
      return false;
  }
  return true;
}

static bool same_facts(const table_read *a, const table_read *b, int column) {
  const gt_column_facts *x = &a->file.column[column].facts, *y = &b->file.column[column].facts;
  return x->numbers == y->numbers && x->unfit == y->unfit && x->empty == y->empty &&
         x->missing == y->missing && x->texts == y->texts && x->whole == y->whole && x->counts == y->counts &&
         !memcmp(&x->least, &y->least, sizeof x->least) &&
         !memcmp(&x->largest, &y->largest, sizeof x->largest) &&
         x->dictionary.distinct == y->dictionary.distinct && x->more == y->more &&
         same_cells(a, x->dictionary.text, b, y->dictionary.text, (size_t)x->dictionary.distinct);
}

/* True if a cell that is read again has the text with which it was read. */
static bool locates(const table_read *t, const gt_table_column *column, size_t row) {
  const uint32_t code = column->reading == GT_READ_CELLS ? 0 : gt_table_code(&t->file, column, row);
  const gt_cell cell = gt_table_locate(&t->file, column, row);
  if (column->reading == GT_READ_CELLS)
    return same_cells(t, &cell, t, gt_table_cell(&t->file, column, row), 1);
  if (code == GT_CELL_EMPTY) return !cell.length;
  if (code == GT_CELL_NUMBER || code < GT_CELL_TEXT) return cell.length;
  return gt_cell_is_same(&cell, &column->facts.dictionary.text[code - GT_CELL_TEXT]);
}

/* Names the first difference; NULL if there is none. */
static const char *first_difference(const table_read *a, const table_read *b) {
  const gt_table_file *x = &a->file, *y = &b->file;
  if (a->ok != b->ok) return a->ok ? b->error.message : a->error.message;
  if (a->error.status != b->error.status || strcmp(a->error.message, b->error.message))
    return b->error.message;
  if (x->comment != y->comment) return "the line of the first comment";
  if (!a->ok) return NULL;
  if (x->rows != y->rows) return "the number of rows";
  const size_t values = x->rows * (size_t)x->inputs * sizeof *x->values,
               others = x->rows * (size_t)x->others * sizeof *x->other;
  if (values && memcmp(x->values, y->values, values)) return "the values of the inputs";
  if (memcmp(x->other, y->other, others)) return "the other values";
  if (memcmp(x->line, y->line, x->rows * sizeof *x->line)) return "the lines";
  for (int i = 0; i < x->columns; i++)
    if (!same_facts(a, b, i)) return "the facts of a column";
  if (!same_cells(a, x->cells, b, y->cells, x->rows * (size_t)x->cell_columns)) return "the cells";
  for (size_t row = 0; row < y->rows; row += 7)
    for (int i = 0; i < y->columns; i++)
      if (!locates(b, &y->column[i], row)) return "a cell that is read again";
  return NULL;
}

static void expect_same_in_chunks(const char *path) {
  static const size_t chunks[] = {1, 2, 5, 16, 61};
  table_read one, several;
  read_table(&one, path, 1, 0);
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
    read_table(&several, path, 2 + (int)i % 2, chunks[i]);
    const char *differs = first_difference(&one, &several);
    if (differs) {
      fail_msg("%s in chunks of %zu bytes: %s; in one: %s", path, chunks[i], differs, one.error.message);
    }
    gt_table_close(&several.file);
  }
  gt_table_close(&one.file);
}
#endif

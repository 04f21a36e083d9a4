/* Reads a table on one thread and in chunks on several threads, and compares the results. */
#ifndef GT_TESTS_CSV_SUPPORT_H
#define GT_TESTS_CSV_SUPPORT_H
#include "data/table/csv_chunks.h"
#include "data_support.h"

typedef struct table_read {
  gt_csv csv;
  gt_error error;
  bool ok;
} table_read;

static gt_csv_lines lines; /* what read_table takes a line of the file to be */

/* Reads the file. The last column is the target, all others are inputs; the first is also the group. `chunk`
 * is a size in bytes; 0: one piece, on one thread. */
static void read_table(table_read *t, const char *path, int threads, size_t chunk) {
  *t = (table_read){0};
  if (!gt_csv_open(&t->csv, (gt_data_file){.path = path}, &(gt_csv_form){.lines = lines}, &t->error)) return;
  for (int i = 0; i < t->csv.columns; i++) t->csv.role[i] = i;
  t->csv.inputs = t->csv.columns - 1;
  t->csv.targets = 1;
  t->csv.role_column[GT_CSV_GROUP] = 0;
  t->ok = gt_csv_read_with(&t->csv, chunk ? threads : 1, chunk);
}

static bool same_cells(const table_read *a, const gt_cell *cells_a, const table_read *b,
                       const gt_cell *cells_b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const gt_cell *x = &cells_a[i], *y = &cells_b[i];
    if (!gt_cell_is_same(x, y) || x->line != y->line || x->column != y->column || x->quoted != y->quoted ||
        x->text - (const char *)a->csv.bytes.data != y->text - (const char *)b->csv.bytes.data)
      return false;
  }
  return true;
}

static bool same_odd(const table_read *a, const gt_csv_odd *x, const table_read *b, const gt_csv_odd *y) {
  if (!x || !y) return !x && !y;
  return x->bads == y->bads && x->distinct == y->distinct && x->more == y->more &&
         same_cells(a, x->bad, b, y->bad, (size_t)x->bads) &&
         same_cells(a, x->text, b, y->text, (size_t)x->distinct);
}

static bool same_facts(const table_read *a, const table_read *b, int column) {
  const gt_csv_facts *x = &a->csv.facts[column], *y = &b->csv.facts[column];
  return x->numbers == y->numbers && x->unfit == y->unfit && x->empty == y->empty &&
         x->missing == y->missing && x->texts == y->texts && x->whole == y->whole && x->counts == y->counts &&
         !memcmp(&x->least, &y->least, sizeof x->least) &&
         !memcmp(&x->largest, &y->largest, sizeof x->largest) && same_odd(a, x->odd, b, y->odd);
}

static bool same_list(const table_read *a, const gt_cells *x, const table_read *b, const gt_cells *y) {
  return x->count == y->count && same_cells(a, x->items, b, y->items, x->count);
}

/* Names the first difference; NULL if there is none. */
static const char *first_difference(const table_read *a, const table_read *b) {
  const gt_csv *x = &a->csv, *y = &b->csv;
  if (a->ok != b->ok) return a->ok ? b->error.message : a->error.message;
  if (a->error.status != b->error.status || strcmp(a->error.message, b->error.message))
    return b->error.message;
  if (x->comment != y->comment) return "the line of the first comment";
  if (!a->ok) return NULL;
  if (x->rows != y->rows) return "the number of rows";
  const size_t values = x->rows * (size_t)x->inputs * sizeof *x->values;
  if (values && memcmp(x->values, y->values, values)) return "the values";
  for (int i = 0; i < x->inputs + x->targets; i++)
    if (!same_facts(a, b, i)) return "the facts of a column";
  if (!same_list(a, &x->target_cells, b, &y->target_cells)) return "the targets";
  for (int r = 0; r < GT_CSV_ROLES; r++)
    if (!same_list(a, &x->role_cells[r], b, &y->role_cells[r])) return "the cells of a role";
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
    gt_csv_close(&several.csv);
  }
  gt_csv_close(&one.csv);
}
#endif

/* How a CSV file is laid out, found from a sample of its first rows: where the table starts, which character
 * separates cells and which is the decimal mark. Only the csv_*.c files include this header. */
#ifndef GT_DATA_CSV_LAYOUT_H
#define GT_DATA_CSV_LAYOUT_H
#include "data/table/csv.h"

typedef struct gt_csv_row {
  size_t first;      /* index of its first cell */
  int width, filled; /* number of cells; number without the empty ones at the end */
  uint32_t line;
} gt_csv_row;

/* The first rows of the table, at most GT_CSV_SAMPLE_BYTES of text, read with csv's delimiter. Comments
 * (gt_csv_is_comment) are left out. */
enum { GT_CSV_SAMPLE_BYTES = 256 << 10, GT_CSV_SAMPLE_ROWS = 200 };
typedef struct gt_csv_sample {
  char *text; /* a copy, because reading removes quotes in place; heap */
  gt_cells cells;
  struct {
    gt_csv_row *items;
    size_t count, capacity;
  } rows;
  bool row_names; /* the header had no cell for the first column, the row names; row 0 has an empty one now */
  int columns;    /* of the table, without columns at the end that have no name and no values */
} gt_csv_sample;

static inline const gt_cell *gt_csv_sample_cell(const gt_csv_sample *sample, size_t row, int column) {
  const gt_csv_row *r = &sample->rows.items[row];
  return column < r->width ? &sample->cells.items[r->first + (size_t)column] : NULL;
}
void gt_csv_sample_finish(gt_csv_sample *sample);

/* True for a record that begins with # and has another number of cells than the table has columns. */
bool gt_csv_is_comment(const gt_cell *first, int cells, int columns);

/* Moves csv->at to the first line of the table, sets the delimiter and the decimal mark, and reads the
 * sample. Logs once what differs from the default. Fails if the file is not UTF-8 or if the table clearly
 * starts at a later line. */
bool gt_csv_find_table(gt_csv *csv, const gt_csv_form *form, gt_csv_sample *sample);

/* True if the first line of the table is a header (csv_header.c). If the form says so, it is, but in a later
 * file (is_trained) not a line with numbers and without a known name. Sets csv->doubt if the decision may be
 * wrong. csv->names: the names that the columns have if it is a header. */
bool gt_csv_has_header(gt_csv *csv, const gt_csv_form *form, const gt_csv_sample *sample);

/* Rejects other encodings and workbooks; skips the byte order mark of UTF-8. */
bool gt_csv_check_encoding(gt_csv *csv);
void gt_csv_skip_line(gt_csv *csv); /* moves csv->at to the start of the next line */
/* For a file of texts, instead of gt_csv_find_table: names its columns (csv_lines.c). */
bool gt_csv_open_lines(gt_csv *csv, const gt_csv_form *form);
#endif

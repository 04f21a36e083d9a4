/* CSV: finds where the table begins, the delimiter and the decimal mark. */
#include "data/table/csv_layout.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>

void gt_csv_sample_finish(gt_csv_sample *sample) {
  free(sample->text);
  free(sample->cells.items);
  free(sample->rows.items);
  *sample = (gt_csv_sample){0};
}

bool gt_csv_is_comment(const gt_cell *first, int cells, int columns) {
  return cells != columns && first->length && *first->text == '#' && !first->quoted;
}

/* --- the sample --- */

static void add_row(gt_csv_sample *sample, const gt_cells *record) {
  gt_csv_row row = {.first = sample->cells.count, .width = (int)record->count, .line = record->items[0].line};
  for (size_t i = 0; i < record->count; i++) {
    *GT_PUSH(&sample->cells) = record->items[i];
    if (record->items[i].length || record->items[i].quoted) row.filled = (int)i + 1;
  }
  *GT_PUSH(&sample->rows) = row;
}

/* The number of columns of the table. Last cells that are empty in all rows are not columns: they come from a
 * separator at the end of each line. */
static int columns_of(const gt_csv_sample *sample) {
  int filled = 1;
  for (size_t i = 0; i < sample->rows.count; i++)
    if (sample->rows.items[i].filled > filled) filled = sample->rows.items[i].filled;
  const int first = sample->rows.count ? sample->rows.items[0].width : 0;
  return filled < first ? filled : first;
}

static void remove_comments(gt_csv_sample *sample) {
  size_t kept = 0;
  for (size_t i = 0; i < sample->rows.count; i++) {
    const gt_csv_row row = sample->rows.items[i];
    if (!gt_csv_is_comment(&sample->cells.items[row.first], row.width, sample->columns))
      sample->rows.items[kept++] = row;
  }
  sample->rows.count = kept;
}

/* Reads rows from the first `size` bytes at csv->at, up to the first error. csv is not changed. */
static void read_rows(gt_csv_sample *sample, const gt_csv *csv, char delimiter, size_t most, size_t size) {
  gt_error error = {0};
  gt_csv reader = {.path = csv->path, .error = &error, .line = csv->line};
  const size_t left = (size_t)(csv->end - csv->at);
  gt_csv_sample_finish(sample);
  sample->text = gt_alloc(size + 1);
  memcpy(sample->text, csv->at, size);
  reader.at = reader.line_start = sample->text;
  reader.end = sample->text + size;
  gt_csv_set_delimiter(&reader, delimiter);
  while (sample->rows.count < most && gt_csv_record(&reader) > 0)
    if (reader.at < reader.end || size == left)
      add_row(sample, &reader.record); /* else the record may be cut off */
  free(reader.record.items);
  free(reader.unescaped.items);
}

/* True if the first column, below the first row, has only texts, or only row numbers from 0 or from 1. */
static bool has_names_in_first_column(const gt_csv_sample *sample) {
  double value, first = 0;
  bool texts = true, counts = true;
  for (size_t i = 1; i < sample->rows.count; i++) {
    const gt_cell *cell = gt_csv_sample_cell(sample, i, 0);
    const bool number = gt_parse_number(cell->text, cell->length, '.', &value);
    texts &= cell->length && !number;
    if (i == 1) first = value;
    counts &= number && (first == 0 || first == 1) && value == first + (double)(i - 1);
  }
  return texts || counts;
}

/* True if the header has one cell fewer than the rows: R's write.table writes no name for the column of row
 * names. pandas and R also read such a file in this way. */
static bool has_row_names(const gt_csv_sample *sample) {
  const gt_csv_row *row = sample->rows.items;
  int filled = 0;
  if (sample->rows.count < 2 || row[0].width < 2 || !row[0].filled) return false;
  for (int c = 0; c < row[0].width; c++)
    if (gt_cell_is_any_number(gt_csv_sample_cell(sample, 0, c))) return false;
  for (size_t i = 1; i < sample->rows.count; i++) {
    if (row[i].width != row[0].width + 1) return false;
    if (row[i].filled > filled) filled = row[i].filled;
  }
  bool numbers = false;
  for (int c = 1; c < row[1].width; c++) numbers |= gt_cell_is_any_number(gt_csv_sample_cell(sample, 1, c));
  return numbers && filled > row[0].width && has_names_in_first_column(sample);
}

/* Adds an empty cell at the start of the header, for the column of row names. */
static void add_header_cell(gt_csv_sample *sample) {
  const gt_csv_row before = sample->rows.items[0];
  gt_cell none = sample->cells.items[before.first];
  none.length = 0;
  sample->rows.items[0].first = sample->cells.count;
  sample->rows.items[0].width++;
  sample->rows.items[0].filled++;
  *GT_PUSH(&sample->cells) = none;
  for (int c = 0; c < before.width; c++) {
    const gt_cell cell = sample->cells.items[before.first + (size_t)c];
    *GT_PUSH(&sample->cells) = cell;
  }
}

/* Reads the first rows: at least two if the text has as many, however long they are. */
static void read_sample(gt_csv_sample *sample, const gt_csv *csv, char delimiter, size_t most) {
  const size_t left = (size_t)(csv->end - csv->at);
  size_t size = left < GT_CSV_SAMPLE_BYTES ? left : GT_CSV_SAMPLE_BYTES;
  read_rows(sample, csv, delimiter, most, size);
  while (sample->rows.count < 2 && sample->rows.count < most && size < left) {
    size = left / 4 > size ? 4 * size : left;
    read_rows(sample, csv, delimiter, most, size);
  }
  sample->row_names = has_row_names(sample);
  if (sample->row_names) add_header_cell(sample);
  sample->columns = columns_of(sample);
  remove_comments(sample);
}

/* True if all rows from row `first` have `columns` cells, not counting empty ones at their end. */
static bool is_rectangular(const gt_csv_sample *sample, size_t first, int columns) {
  for (size_t i = first; i < sample->rows.count; i++) {
    const gt_csv_row *row = &sample->rows.items[i];
    if (row->width < columns || row->filled > columns) return false;
  }
  return true;
}

/* True if the cell is a number with this decimal mark. */
static bool is_number(const gt_cell *cell, char decimal) {
  double value;
  return gt_parse_number(cell->text, cell->length, decimal, &value);
}

/* The share of numbers, with either decimal mark, among the cells below the first row. */
static double share_of_numbers(const gt_csv_sample *sample, char delimiter) {
  size_t cells = 0, numbers = 0;
  for (size_t i = sample->rows.count > 1; i < sample->rows.count; i++)
    for (int c = 0; c < sample->rows.items[i].filled; c++) {
      const gt_cell *cell = gt_csv_sample_cell(sample, i, c);
      cells += cell->length > 0;
      numbers += is_number(cell, '.') || (delimiter != ',' && is_number(cell, ','));
    }
  return cells ? (double)numbers / (double)cells : 0;
}

/* --- the delimiter --- */

static const char delimiters[] = {',', ';', '\t', '|', ' '};
enum { DELIMITERS = sizeof delimiters };

/* True if the sample, read with this delimiter, is a table of at least two columns. Blanks also separate the
 * words of a text, so with blanks at least half of the cells must be numbers. */
static bool is_table(const gt_csv_sample *sample, char delimiter) {
  if (!sample->rows.count || sample->columns < 2 || !is_rectangular(sample, 0, sample->columns)) return false;
  return delimiter != ' ' || share_of_numbers(sample, delimiter) >= 0.5;
}

/* True if an unquoted cell contains another delimiter, except a blank. */
static bool contains_other(const gt_csv_sample *sample, char delimiter) {
  for (size_t i = 0; i < sample->cells.count; i++) {
    const gt_cell *cell = &sample->cells.items[i];
    for (int k = 0; k < DELIMITERS && !cell->quoted; k++)
      if (delimiters[k] != delimiter && delimiters[k] != ' ' && cell->length &&
          memchr(cell->text, delimiters[k], cell->length))
        return true;
  }
  return false;
}

/* True if all cells of a column are empty. In a file with tabs this usually means that two tabs in a row
 * align the columns, so that runs of blanks are the delimiter. */
static bool has_empty_column(const gt_csv_sample *sample) {
  for (int c = 0; c < sample->columns; c++) {
    bool empty = true;
    for (size_t i = 0; i < sample->rows.count && empty; i++)
      empty = !gt_csv_sample_cell(sample, i, c)->length;
    if (empty) return true;
  }
  return false;
}

/* Returns the usual delimiter (comma, or tab for .tsv) if it gives a table, unless another one gives a table
 * of only numbers and the usual one does not. If the usual one gives no table, returns the one whose table
 * has the largest share of numbers. Blanks are tried last and used only if no character gives a table. */
static char choose_delimiter(const gt_csv *csv, gt_csv_sample *sample, char usual) {
  read_sample(sample, csv, usual, GT_CSV_SAMPLE_ROWS);
  const bool fits = is_table(sample, usual) && !(usual == '\t' && has_empty_column(sample));
  const double numbers = share_of_numbers(sample, usual);
  if (fits && (numbers == 1 || !contains_other(sample, usual))) return usual;
  char chosen = usual;
  double best = fits ? 0.999999 : -1; /* only a table of numbers alone is better than the usual delimiter's */
  for (int i = 0; i < DELIMITERS; i++) {
    if (delimiters[i] == usual || (delimiters[i] == ' ' && (fits || chosen != usual))) continue;
    read_sample(sample, csv, delimiters[i], GT_CSV_SAMPLE_ROWS);
    const double share = is_table(sample, delimiters[i]) ? share_of_numbers(sample, delimiters[i]) : -1;
    if (share <= best) continue;
    chosen = delimiters[i];
    best = share;
  }
  return chosen;
}

static const char *name_of(char delimiter) {
  static const char *const names[] = {
      [','] = "','", [';'] = "';'", ['\t'] = "tab", ['|'] = "'|'", [' '] = "blanks"};
  return names[(int)delimiter];
}

/* --- the decimal mark --- */

/* The decimal mark is a comma if commas do not separate cells, no number contains a point, and at least one
 * number contains a comma that cannot separate thousands. */
static char find_decimal(const gt_csv *csv, const gt_csv_sample *sample) {
  bool commas = false;
  if (csv->delimiter == ',') return '.';
  for (size_t i = 0; i < sample->cells.count; i++) {
    const gt_cell *cell = &sample->cells.items[i];
    const bool comma = cell->length && memchr(cell->text, ',', cell->length);
    if (!comma && cell->length && memchr(cell->text, '.', cell->length) && is_number(cell, '.')) return '.';
    commas |= comma && is_number(cell, ',') && !gt_csv_may_be_thousands(cell);
  }
  return commas ? ',' : '.';
}

/* --- lines before the table --- */

void gt_csv_skip_line(gt_csv *csv) {
  while (csv->at < csv->end && *csv->at != '\n' && *csv->at != '\r') csv->at++;
  if (csv->at < csv->end && *csv->at++ == '\r' && csv->at < csv->end && *csv->at == '\n') csv->at++;
  csv->line++;
  csv->line_start = csv->at;
}

/* Skips a line such as `sep=;`, which Excel writes and reads, and returns its delimiter, which data.delimiter
 * could name, too; 0: there is no such line. */
static char read_separator_line(gt_csv *csv) {
  char delimiter;
  if (csv->end - csv->at < 5 || strncasecmp(csv->at, "sep=", 4)) return 0;
  if (csv->end - csv->at > 5 && csv->at[5] != '\n' && csv->at[5] != '\r') return 0;
  if (!gt_csv_delimiter_of((char[]){csv->at[4], 0}, &delimiter)) return 0;
  gt_csv_skip_line(csv);
  return delimiter;
}

/* Skips comment lines and the blank lines between them. Returns the number of comment lines. *last: a copy of
 * *csv at the start of the last one. */
static int skip_comments(gt_csv *csv, gt_csv *last) {
  int count = 0;
  for (gt_csv ahead = *csv; ahead.at < ahead.end;) {
    const bool comment = *ahead.at == '#', empty = *ahead.at == '\n' || *ahead.at == '\r';
    if (!comment && !empty) break;
    if (comment) *last = ahead;
    count += comment;
    gt_csv_skip_line(&ahead);
    csv->at = ahead.at;
    csv->line = ahead.line;
    csv->line_start = ahead.line_start;
  }
  return count;
}

/* True if the last comment is the header: `# a b c`, as numpy.savetxt writes it, or `#,a,b`, with as many
 * cells as the rows of numbers below, none of which is a number. Then moves csv->at to it. */
static bool find_header_in_comment(gt_csv *csv, const gt_csv *comment, const gt_csv_sample *sample) {
  gt_csv_sample line = {0};
  gt_csv from = *comment;
  bool numbers = false;
  const bool is_first_cell = from.end - from.at > 1 && from.at[1] == csv->delimiter && csv->delimiter != ' ';
  while (!is_first_cell && from.at < from.end && (*from.at == '#' || *from.at == ' ')) from.at++;
  read_sample(&line, &from, csv->delimiter, 1);
  bool header = line.rows.count && sample->rows.count && sample->columns > 1 &&
                line.columns == sample->columns && line.rows.items[0].line == comment->line;
  for (int c = 0; header && c < line.columns; c++) {
    const gt_cell *below = gt_csv_sample_cell(sample, 0, c);
    header = !is_number(&line.cells.items[c], '.');
    numbers |= below && gt_cell_is_any_number(below);
  }
  gt_csv_sample_finish(&line);
  if (!header || !numbers) return false;
  csv->at = from.at;
  csv->line = comment->line;
  csv->line_start = comment->line_start;
  return true;
}

/* True if the row may belong to a table with this number of columns; false for a title that a spreadsheet has
 * padded with delimiters. */
static bool fits_columns(const gt_csv_row *row, int columns) {
  if (columns > 2 && row->filled < 2) return false;
  return row->width == columns || row->filled == columns;
}

enum { MAX_BEFORE = 20 }; /* rows before the table that are considered */

/* The index of the row at which the table clearly starts, after at most MAX_BEFORE rows that have fewer cells
 * than the rows below. 0: the table starts at the first row. */
static size_t find_start(const gt_csv_sample *sample) {
  const gt_csv_row *row = sample->rows.items;
  const size_t rows = sample->rows.count;
  for (size_t k = 1; k + 2 <= rows && k <= MAX_BEFORE; k++) {
    const int columns = row[k].width;
    if (columns < 2 || !fits_columns(&row[k], columns) || !is_rectangular(sample, k, columns)) continue;
    for (size_t i = 0; i < k; i++) /* a wider row may be a header above rows without their last cells */
      if (fits_columns(&row[i], columns) || row[i].filled > columns) return 0;
    return k == 1 && row[0].width == columns - 1 ? 0 : k; /* 0: a header that lacks one name */
  }
  return 0;
}

/* True if each cell of the row may be a column name: text, no number, no missing value. */
static bool is_row_of_names(const gt_csv_sample *sample, size_t row) {
  for (int c = 0; c < sample->columns; c++) {
    const gt_cell *cell = gt_csv_sample_cell(sample, row, c);
    if (!cell->length || gt_cell_is_missing(cell) || gt_cell_is_any_number(cell)) return false;
  }
  return true;
}

/* Fails if the header is probably a later row: the first row of only texts is not the first row of the file,
 * and the rows below it are mostly numbers. (A title or a line of counts above it may have as many cells as
 * the table.) */
static bool check_header_is_first(const gt_csv *csv, const gt_csv_sample *sample) {
  const gt_csv_row *row = sample->rows.items;
  size_t k = 0, cells = 0, numbers = 0;
  while (k < sample->rows.count && k <= MAX_BEFORE && !is_row_of_names(sample, k)) k++;
  if (k == 0 || k > MAX_BEFORE || k + 1 >= sample->rows.count) return true;
  for (size_t i = k + 1; i < sample->rows.count; i++)
    for (int c = 0; c < sample->columns; c++) {
      cells++;
      numbers += gt_cell_is_any_number(gt_csv_sample_cell(sample, i, c));
    }
  if (2 * numbers < cells) return true;
  return gt_fail(
      csv->error, GT_ERR_DATA,
      "%s:%u:1: this line has only text, above numbers; if it is the header, set data.skip: %u, else "
      "data.header: false",
      csv->path, row[k].line, row[k].line - 1);
}

/* Fails if the table clearly starts at a later line; the error says how many lines to skip. known: the
 * delimiter; 0: unknown, so all are tried, and the one with the largest share of numbers counts. */
static bool check_starts_here(const gt_csv *csv, char known, char usual) {
  gt_csv_sample sample = {0};
  gt_csv_row first = {0}, start = {0};
  double best = -1;
  for (int i = -1; i < DELIMITERS; i++) {
    const char delimiter = i >= 0 ? delimiters[i] : known ? known : usual;
    if (i >= 0 && (known || delimiter == ' ')) break;
    read_sample(&sample, csv, delimiter, GT_CSV_SAMPLE_ROWS);
    const size_t k = find_start(&sample);
    const double share = share_of_numbers(&sample, delimiter);
    if (!k || share <= best) continue;
    best = share;
    first = sample.rows.items[0];
    start = sample.rows.items[k];
  }
  gt_csv_sample_finish(&sample);
  return !start.line ||
         gt_fail(
             csv->error, GT_ERR_DATA,
             "%s:%u:1: this line has %d cell%s, but the lines from %u on have %d; if the table begins at line "
             "%u, set data.skip: %u",
             csv->path, first.line, first.filled, first.filled == 1 ? "" : "s", start.line, start.width,
             start.line, start.line - 1);
}

/* --- the whole layout --- */

typedef struct found { /* properties that differ from the default and that the config does not set */
  int comments;
  bool header_in_comment, delimiter, decimal, trailing_delimiters;
} found;

static void log_found(gt_csv *csv, const found *f) {
  gt_list list = gt_list_open(&csv->arena, INT_MAX);
  list.separator = "; ";
  if (f->delimiter) gt_list_add(&list, "cells are separated by %s", name_of(csv->delimiter));
  if (f->decimal) gt_list_add(&list, "the decimal mark is a comma");
  if (f->comments == 1) gt_list_add(&list, "1 comment line is skipped");
  if (f->comments > 1) gt_list_add(&list, "comment lines are skipped");
  if (f->header_in_comment) gt_list_add(&list, "the header is in a comment");
  if (f->trailing_delimiters) gt_list_add(&list, "separators at the end of the lines are ignored");
  if (list.count) gt_info("%s: %s", csv->path, list.text);
}

static bool has_trailing_delimiters(const gt_csv_sample *sample) {
  for (size_t i = 0; i < sample->rows.count; i++)
    if (sample->rows.items[i].width > sample->columns && sample->rows.items[i].filled <= sample->columns)
      return true;
  return false;
}

/* Describes the file if it is in the default format of a spreadsheet program; else NULL. */
static const char *workbook_type(const gt_csv *csv) {
  const size_t size = csv->bytes.size;
  if (size >= 4 && !memcmp(csv->at, "PK\3\4", 4))
    return "a ZIP archive, such as a workbook of Excel or LibreOffice (.xlsx, .ods)";
  return size >= 4 && !memcmp(csv->at, "\xD0\xCF\x11\xE0", 4) ? "a workbook of Excel (.xls)" : NULL;
}

/* True if every byte is a character of Windows-1252, which has those of Latin-1 and, from 0x80 to 0x9F, the
 * euro sign, dashes and quotes. */
static bool is_windows_1252(const gt_csv *csv) {
  for (const char *c = csv->at; c < csv->end; c++)
    if (*c && strchr("\x81\x8D\x8F\x90\x9D", *c)) return false;
  return true;
}

bool gt_csv_check_encoding(gt_csv *csv) {
  const size_t size = csv->bytes.size;
  const char *binary = workbook_type(csv);
  if (binary)
    return gt_fail(csv->error, GT_ERR_DATA, "%s is %s; expected text: save the sheet as CSV (UTF-8)",
                   csv->path, binary);
  if (size >= 2 && (!memcmp(csv->at, "\xFF\xFE", 2) || !memcmp(csv->at, "\xFE\xFF", 2)))
    return gt_fail(csv->error, GT_ERR_DATA,
                   "%s:1:1: this is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8", csv->path);
  if (size >= 3 && !memcmp(csv->at, "\xEF\xBB\xBF", 3)) csv->at += 3;
  csv->line_start = csv->start = csv->at;
  const char *bad = gt_find_bad_utf8(csv->at, csv->end);
  if (!bad) return true;
  const bool western = is_windows_1252(csv);
  while (csv->at < bad) {
    const char *start = csv->at;
    gt_csv_skip_line(csv);
    if (csv->at <= bad) continue;
    csv->line--;
    csv->line_start = (char *)start;
  }
  return gt_fail(csv->error, GT_ERR_DATA, "%s:%u:%td: byte 0x%02X is not UTF-8 text; %s -t UTF-8", csv->path,
                 csv->line, bad - csv->line_start + 1, (unsigned)(unsigned char)*bad,
                 western ? "if the text is Western European, convert it first: iconv -f WINDOWS-1252"
                         : "convert it from its encoding first: iconv -f ENCODING");
}

bool gt_csv_find_table(gt_csv *csv, const gt_csv_form *form, gt_csv_sample *sample) {
  gt_csv comment = {0};
  found f = {0};
  const char usual = gt_data_has_suffix(csv->path, ".tsv") ? '\t' : ',';
  if (!gt_csv_check_encoding(csv)) return false;
  for (int64_t i = 0; i < form->skip && csv->at < csv->end; i++) gt_csv_skip_line(csv);
  if (form->skip && csv->at >= csv->end)
    return gt_fail(csv->error, GT_ERR_DATA, "%s: data.skip is %" PRId64 ", and the file has no more lines",
                   csv->path, form->skip);
  const char separator = read_separator_line(csv),
             known = form->delimiter && !(form->is_trained && separator) ? form->delimiter : separator;
  f.comments = skip_comments(csv, &comment);
  gt_csv_set_delimiter(csv, known ? known : choose_delimiter(csv, sample, usual));
  read_sample(sample, csv, csv->delimiter, GT_CSV_SAMPLE_ROWS);
  f.delimiter = !known && csv->delimiter != usual;
  const bool table =
      is_table(sample, csv->delimiter) && fits_columns(&sample->rows.items[0], sample->columns);
  if (!f.delimiter && !table && !check_starts_here(csv, known, usual)) return false;
  if (table && (form->header == GT_CSV_AUTO || form->is_trained) && !check_header_is_first(csv, sample))
    return false;
  f.header_in_comment = f.comments && find_header_in_comment(csv, &comment, sample);
  if (f.header_in_comment) {
    f.comments--;
    read_sample(sample, csv, csv->delimiter, GT_CSV_SAMPLE_ROWS);
  }
  csv->decimal = form->decimal ? form->decimal : find_decimal(csv, sample);
  f.decimal = !form->decimal && csv->decimal == ',';
  f.trailing_delimiters = has_trailing_delimiters(sample);
  log_found(csv, &f);
  return true;
}

/* CSV: splits text into records and cells. */
#include "base/memory.h"
#include "data/table/csv.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gt_csv_fail(const gt_csv *csv, const gt_cell *cell, const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return gt_fail(csv->error, GT_ERR_DATA, "%s:%u:%u: %s", csv->path, cell->line, cell->column, message);
}

const char *gt_cell_shown(const gt_cell *cell, char out[48]) {
  const size_t most = 40, n = cell->length < most ? cell->length : most;
  for (size_t i = 0; i < n; i++) {
    const unsigned char c = (unsigned char)cell->text[i];
    out[i] = (char)(c < 32 || c > 126 ? '?' : c);
  }
  strcpy(out + n, cell->length > most ? "…" : "");
  return out;
}

const char *gt_find_bad_utf8(const char *text, const char *text_end) {
  const unsigned char *at = (const unsigned char *)text, *end = (const unsigned char *)text_end;
  while (at < end) {
    uint64_t eight;
    for (; end - at >= 8; at += 8) { /* ASCII */
      memcpy(&eight, at, 8);
      if (eight & 0x8080808080808080ull) break;
    }
    if (at == end) break;
    const int more = *at < 0x80                  ? 0
                     : *at >= 0xC2 && *at < 0xE0 ? 1
                     : *at >= 0xE0 && *at < 0xF0 ? 2
                     : *at >= 0xF0 && *at < 0xF5 ? 3
                                                 : -1;
    if (more < 0 || end - at <= more) return (const char *)at;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
      return (const char *)at;
    for (int i = 1; i <= more; i++)
      if ((at[i] & 0xC0) != 0x80) return (const char *)at;
    at += 1 + more;
  }
  return NULL;
}

bool gt_cell_is_utf8(const gt_cell *cell) { return !gt_find_bad_utf8(cell->text, cell->text + cell->length); }

/* True for U+0080 to U+009F, control characters that UTF-8 encodes in two bytes. */
static bool is_c1(const char *text, uint32_t length) {
  return length > 1 && (unsigned char)text[0] == 0xC2 && (unsigned char)text[1] < 0xA0;
}

bool gt_cell_is_clean(const gt_cell *cell) {
  for (uint32_t i = 0; i < cell->length; i++)
    if ((unsigned char)cell->text[i] < 32 || cell->text[i] == 127 || is_c1(cell->text + i, cell->length - i))
      return false;
  return gt_cell_is_utf8(cell);
}

bool gt_cell_is_missing(const gt_cell *cell) {
  static const char *const words[] = {"NA",  "N/A",  "n/a",  "#N/A", "nan", "NaN",
                                      "NAN", "null", "NULL", "None", "?",   "-"};
  if (!cell->length || cell->length > 4 || !memchr("Nn#?-", *cell->text, 5)) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (gt_cell_is(cell, words[i])) return true;
  return false;
}

/* True if cell and word are the same number, such as -999 in the config and -999.0 or -999,0 in the file.
 * They must begin with the same character, so a code such as 0999 is not the number 999. */
static bool is_same_number(const gt_csv *csv, const gt_cell *cell, const char *word) {
  double wanted, value;
  return *word == *cell->text && gt_parse_number(word, strlen(word), '.', &wanted) &&
         gt_csv_parse(csv, cell, &value) && value == wanted;
}

bool gt_csv_is_missing(const gt_csv *csv, const gt_cell *cell) {
  if (!cell->length || !csv->missing) return !cell->length || gt_cell_is_missing(cell);
  for (int i = 0; i < csv->missing->count; i++) {
    const char *word = csv->missing->items[i];
    if (gt_cell_is(cell, word) || is_same_number(csv, cell, word)) return true;
  }
  return false;
}

/* True for a blank: it is not part of a cell's text if it is at its start or end, or if blanks separate
 * cells. */
static bool is_blank(const gt_csv *csv, char c) { return c == ' ' || (c == '\t' && csv->delimiter != '\t'); }

/* Skips the end of the line. */
static void next_line(gt_csv *csv) {
  if (*csv->at++ == '\r' && csv->at < csv->end && *csv->at == '\n') csv->at++;
  csv->line++;
  csv->line_start = csv->at;
}

/* Reads the text of a quoted cell up to its closing quote, and removes doubled quotes in the file's bytes. */
static bool unescape(gt_csv *csv, gt_cell *cell) {
  char *start = csv->at, *to = start;
  for (;;) {
    if (csv->at >= csv->end) return gt_csv_fail(csv, cell, "this quote is never closed");
    const char c = *csv->at;
    if (c == '"') {
      if (csv->at + 1 >= csv->end || csv->at[1] != '"') break;
      csv->at++;
    }
    if (c == '\n' || c == '\r') {
      const char *from = csv->at;
      next_line(csv);
      while (from < csv->at) *to++ = *from++;
    } else {
      *to++ = c;
      csv->at++;
    }
    if (to - start > GT_CSV_MAX_CELL)
      return gt_csv_fail(csv, cell, "this cell is longer than 1 MiB; is its closing quote missing?");
  }
  cell->length = (uint32_t)(to - start);
  if (to == csv->at) return true;
  *GT_PUSH(&csv->unescaped) = (gt_csv_unescaped){start, csv->at, csv->line_start, cell->length, csv->line};
  memset(to, 0, (size_t)(csv->at - to));
  return true;
}

/* True if the text at csv->at was unescaped before; then moves to its closing quote. */
static bool skip_unescaped(gt_csv *csv, gt_cell *cell) {
  size_t low = 0, high = csv->unescaped.count;
  while (low < high) { /* they are in the order of the file */
    const size_t middle = (low + high) / 2;
    if (csv->unescaped.items[middle].text < csv->at)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == csv->unescaped.count || csv->unescaped.items[low].text != csv->at) return false;
  const gt_csv_unescaped *u = &csv->unescaped.items[low];
  csv->at = u->end;
  csv->line = u->line;
  csv->line_start = u->line_start;
  cell->length = u->length;
  return true;
}

/* Reads the rest of a cell after its opening quote. */
static bool read_quoted_cell(gt_csv *csv, gt_cell *cell) {
  cell->text = csv->at;
  cell->quoted = true;
  if (!(csv->is_read_again && skip_unescaped(csv, cell)) && !unescape(csv, cell)) return false;
  csv->at++;
  while (csv->delimiter != ' ' && csv->at < csv->end && is_blank(csv, *csv->at)) csv->at++;
  if (csv->at == csv->end || csv->stops[(unsigned char)*csv->at]) return true;
  return gt_csv_fail(csv, cell,
                     "unexpected text after the closing quote of this cell; write a quote inside a cell "
                     "twice");
}

static bool read_plain_cell(gt_csv *csv, gt_cell *cell) {
  const char *start = csv->at, *at = start, *end = csv->end;
  while (at < end && !csv->stops[(unsigned char)*at]) at++;
  csv->at += at - start;
  while (at > start && is_blank(csv, at[-1])) at--;
  cell->text = start;
  if (at - start > GT_CSV_MAX_CELL) return gt_csv_fail(csv, cell, "this cell is longer than 1 MiB");
  cell->length = (uint32_t)(at - start);
  return true;
}

static bool read_cell(gt_csv *csv) {
  while (csv->at < csv->end && is_blank(csv, *csv->at)) csv->at++;
  gt_cell *cell = GT_PUSH(&csv->record);
  *cell = (gt_cell){.line = csv->line, .column = (uint32_t)(csv->at - csv->line_start + 1)};
  if (csv->at == csv->end || *csv->at != '"') return read_plain_cell(csv, cell);
  csv->at++;
  return read_quoted_cell(csv, cell);
}

/* Skips the delimiter after a cell; false at the end of the line. */
static bool next_cell(gt_csv *csv) {
  if (csv->delimiter == ' ') {
    while (csv->at < csv->end && is_blank(csv, *csv->at)) csv->at++;
    return csv->at < csv->end && *csv->at != '\n' && *csv->at != '\r';
  }
  if (csv->at >= csv->end || *csv->at != csv->delimiter) return false;
  csv->at++;
  return true;
}

int gt_csv_record(gt_csv *csv) {
  if (csv->lines) return gt_csv_read_line(csv);
  do {
    csv->record.count = 0;
    if (csv->at >= csv->end) return 0;
    do {
      if (csv->record.count == GT_CSV_MAX_COLUMNS) {
        gt_csv_fail(csv, &csv->record.items[0], "more than %d columns", GT_CSV_MAX_COLUMNS);
        return -1;
      }
      if (!read_cell(csv)) return -1;
    } while (next_cell(csv));
    if (csv->at < csv->end) next_line(csv);
  } while (csv->record.count == 1 && !csv->record.items[0].length && !csv->record.items[0].quoted);
  return 1;
}

void gt_csv_set_delimiter(gt_csv *csv, char delimiter) {
  memset(csv->stops, 0, sizeof csv->stops);
  csv->stops['\n'] = csv->stops['\r'] = csv->stops[(unsigned char)delimiter] = true;
  if (delimiter == ' ') csv->stops['\t'] = true;
  csv->delimiter = delimiter;
}

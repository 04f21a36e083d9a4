/* CSV: records, cells and numbers. */
#include "base/memory.h"
#include "data/csv.h"
#include <math.h>
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

bool gt_cell_is_utf8(const gt_cell *cell) {
  const unsigned char *at = (const unsigned char *)cell->text, *end = at + cell->length;
  while (at < end) {
    const int more = *at < 0x80                  ? 0
                     : *at >= 0xC2 && *at < 0xE0 ? 1
                     : *at >= 0xE0 && *at < 0xF0 ? 2
                     : *at >= 0xF0 && *at < 0xF5 ? 3
                                                 : -1;
    if (more < 0 || end - at <= more) return false;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
      return false;
    for (int i = 1; i <= more; i++)
      if ((at[i] & 0xC0) != 0x80) return false;
    at += 1 + more;
  }
  return true;
}

static bool is_blank(const gt_csv *csv, char c) { return (c == ' ' || c == '\t') && c != csv->delimiter; }

/* Skips the end of the line. */
static void next_line(gt_csv *csv) {
  if (*csv->at++ == '\r' && csv->at < csv->end && *csv->at == '\n') csv->at++;
  csv->line++;
  csv->line_start = csv->at;
}

/* Reads the rest of a cell after its opening quote. */
static bool quoted_cell(gt_csv *csv, gt_cell *cell) {
  char *to = csv->at;
  cell->text = to;
  cell->quoted = true;
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
    if (to - cell->text > GT_CSV_MAX_CELL)
      return gt_csv_fail(csv, cell, "this cell is longer than 1 MiB; is its closing quote missing?");
  }
  csv->at++;
  cell->length = (uint32_t)(to - cell->text);
  while (csv->at < csv->end && is_blank(csv, *csv->at)) csv->at++;
  if (csv->at == csv->end || *csv->at == csv->delimiter || *csv->at == '\n' || *csv->at == '\r') return true;
  return gt_csv_fail(csv, cell,
                     "unexpected text after the closing quote of this cell; write a quote inside a cell "
                     "twice");
}

static bool plain_cell(gt_csv *csv, gt_cell *cell) {
  const char *start = csv->at, *at = start, *end = csv->end;
  const char delimiter = csv->delimiter;
  while (at < end && *at != delimiter && *at != '\n' && *at != '\r') at++;
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
  if (csv->at == csv->end || *csv->at != '"') return plain_cell(csv, cell);
  csv->at++;
  return quoted_cell(csv, cell);
}

int gt_csv_record(gt_csv *csv) {
  do {
    csv->record.count = 0;
    if (csv->at >= csv->end) return 0;
    for (;;) {
      if (csv->record.count == GT_CSV_MAX_COLUMNS) {
        gt_csv_fail(csv, &csv->record.items[0], "more than %d columns", GT_CSV_MAX_COLUMNS);
        return -1;
      }
      if (!read_cell(csv)) return -1;
      if (csv->at >= csv->end || *csv->at != csv->delimiter) break;
      csv->at++;
    }
    if (csv->at < csv->end) next_line(csv);
  } while (csv->record.count == 1 && !csv->record.items[0].length && !csv->record.items[0].quoted);
  return 1;
}

/* 10^exponent, exponent >= 0. */
static long double power_of_ten(int exponent) {
  long double result = 1, power = 10;
  for (; exponent; exponent >>= 1, power *= power)
    if (exponent & 1) result *= power;
  return result;
}

/* mantissa * 10^exponent. Exact if both fit a double; otherwise by way of long double, whose error is far
 * below the resolution of float, the type that is stored. */
static double scaled(uint64_t mantissa, int exponent) {
  static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!mantissa) return 0;
  if (mantissa < 1ull << 53 && exponent >= -22 && exponent <= 22)
    return exponent < 0 ? (double)mantissa / exact[-exponent] : (double)mantissa * exact[exponent];
  if (exponent > 400) return HUGE_VAL;
  if (exponent < -400) return 0;
  return (double)(exponent < 0 ? (long double)mantissa / power_of_ten(-exponent)
                               : (long double)mantissa * power_of_ten(exponent));
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits into a mantissa of at most 19 digits; further digits only change the exponent. */
static const char *digits(const char *at, const char *end, uint64_t *mantissa, int *dropped, int *taken) {
  for (; at < end && is_digit(*at); at++, (*taken)++) {
    if (*mantissa < 1000000000000000000ull)
      *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    else
      (*dropped)++;
  }
  return at;
}

bool gt_parse_number(const char *text, size_t length, double *out) {
  const char *at = text, *end = text + length;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  uint64_t mantissa = 0;
  int whole = 0, fraction = 0, dropped = 0, dropped_fraction = 0, exponent = 0;
  at = digits(at, end, &mantissa, &dropped, &whole);
  if (at < end && *at == '.') at = digits(at + 1, end, &mantissa, &dropped_fraction, &fraction);
  if (!whole && !fraction) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    const bool below = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return false;
    for (; at < end && is_digit(*at); at++)
      if (exponent < 100000000) exponent = exponent * 10 + (*at - '0');
    if (below) exponent = -exponent;
  }
  if (at != end) return false;
  const double value = scaled(mantissa, exponent + dropped + dropped_fraction - fraction);
  *out = negative ? -value : value;
  return true;
}

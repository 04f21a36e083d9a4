/* CSV: cuts a table into chunks of whole records. */
#include "data/table/csv_chunks.h"
#include "base/memory.h"

/* begin: the beginning of the text. from: a position outside quotes. quote: the next quote at or after
 * `from`, or the end of the text. */
typedef struct cutter {
  const gt_csv *csv;
  char *begin, *from, *quote;
} cutter;

static char *find_quote(const cutter *c, char *from) {
  const bool may_quote = !c->csv->lines && from < c->csv->end;
  char *quote = may_quote ? memchr(from, '"', (size_t)(c->csv->end - from)) : NULL;
  return quote ? quote : c->csv->end;
}

static bool is_blank(const gt_csv *csv, char c) { return c == ' ' || (c == '\t' && csv->delimiter != '\t'); }

/* True if the quote opens a cell: only blanks are between it and the beginning of its cell. Other quotes are
 * part of a text. */
static bool opens_cell(const cutter *c) {
  const char *at = c->quote;
  while (at > c->begin && is_blank(c->csv, at[-1])) at--;
  return at == c->begin || c->csv->stops[(unsigned char)at[-1]] ||
         (at < c->quote && c->csv->delimiter == ' ');
}

/* Moves `from` past the quote or, if the quote opens a cell, past the closing quote. */
static void skip_quote(cutter *c) {
  char *at = c->quote + 1;
  if (opens_cell(c)) {
    at = find_quote(c, at);
    while (c->csv->end - at > 1 && at[1] == '"') at = find_quote(c, at + 2);
    if (at < c->csv->end) at++;
  }
  c->from = at;
  c->quote = find_quote(c, at);
}

/* The beginning of a record: after the first line end at or after `wanted` that is outside quotes. */
static char *next_record(cutter *c, char *wanted) {
  char *at = wanted, *end = c->csv->end;
  for (;;) {
    while (c->quote < at) skip_quote(c);
    if (at < c->from) at = c->from;
    while (at < end && *at != '\n' && *at != '\r' && at != c->quote) at++;
    if (at == end) return end;
    if (at != c->quote) break;
    at++;
  }
  return *at == '\r' && end - at > 1 && at[1] == '\n' ? at + 2 : at + 1;
}

void gt_csv_cut(const gt_csv *csv, size_t size, gt_csv_chunks *out) {
  cutter c = {csv, csv->at, csv->at, csv->end};
  c.quote = find_quote(&c, csv->at);
  for (char *at = csv->at; at < csv->end;) {
    char *end = (size_t)(csv->end - at) > size ? next_record(&c, at + size) : csv->end;
    *GT_PUSH(out) = (gt_csv_chunk){.at = at, .end = end};
    at = end;
  }
}

size_t gt_csv_count_lines(const char *at, const char *end) {
  size_t lines = 0;
  for (const char *c = at; c < end; c++) lines += *c == '\n';
  if (!memchr(at, '\r', (size_t)(end - at))) return lines;
  for (const char *c = at; c < end; c++) lines += *c == '\r' && !(end - c > 1 && c[1] == '\n');
  return lines;
}

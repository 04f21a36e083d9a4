/* Reading CSV files, for use inside src/data. csv_scan.c: records; csv_number.c: numbers; read.c: a file and
 * its rows; csv_layout.c: where the table begins and what separates its cells; csv_header.c: whether the
 * first line is a header; csv_columns.c: column names; facts.c: what the cells of each column are;
 * csv_chunks.c, parallel.c: reading on several threads; kinds.c: what the cells of the inputs mean;
 * csv_inputs.c: from columns to input tensors; targets.c: class labels and booleans; roles.c: columns with
 * the weight, the split or the group of a row; csv_lines.c: files of texts, one on each line; csv_list.c:
 * lists of texts or images; csv.c: the format itself. RFC 4180: quotes, doubled quotes, CRLF (also LF and
 * CR). Blank lines, a byte order mark, a line `sep=;` and comment lines (#) before the table are skipped. */
#ifndef GT_DATA_CSV_H
#define GT_DATA_CSV_H
#include "data/format.h"
#include <string.h>

enum { GT_CSV_MAX_COLUMNS = 1000000, GT_CSV_MAX_CELL = 1 << 20, GT_CSV_MAX_CLASSES = 10000 };

typedef struct gt_cell {
  const char *text;        /* in the file's bytes, not NUL-terminated */
  uint32_t length, column; /* column: of its first byte in the line, from 1 */
  uint32_t line;
  bool quoted;
} gt_cell;

typedef struct gt_cells {
  gt_cell *items;
  size_t count, capacity;
} gt_cells;

typedef enum gt_csv_header { GT_CSV_AUTO, GT_CSV_HEADER, GT_CSV_NO_HEADER } gt_csv_header;

/* What a line of the file is. */
typedef enum gt_csv_lines {
  GT_CSV_TABLE,    /* a row of a table */
  GT_CSV_LABELLED, /* a label, a tab and a text: columns "label" and "text" */
  GT_CSV_TEXTS     /* a text; if every line has a tab, as GT_CSV_LABELLED */
} gt_csv_lines;

enum { GT_CSV_KNOWN = 7 };   /* lists in gt_csv_form.known, in any order */
typedef struct gt_csv_form { /* how a file is written, as far as it is known before reading */
  char delimiter;  /* ' ': runs of blanks and tabs; 0: found from the text (default: comma; for .tsv: tab) */
  char decimal;    /* '.' or ','; 0: found from the text */
  int64_t skip;    /* lines before the table */
  bool is_trained; /* a later file, with the settings of the training file (gt_csv_has_header) */
  gt_csv_header header;
  gt_csv_lines lines;             /* if not GT_CSV_TABLE, the members above do not apply */
  gt_strings known[GT_CSV_KNOWN]; /* lists of possible column names: a line that contains them is a header */
} gt_csv_form;

struct gt_csv_sample; /* data/table/csv_layout.h */

/* Settings as words (csv_form.c). */
extern const char *const gt_csv_headers[], *const gt_csv_decimals[]; /* choices; end with NULL */
gt_csv_header gt_csv_header_of(const char *text);
char gt_csv_decimal_of(const char *text); /* NULL: 0 */
#define GT_CSV_DELIMITERS "one character such as \",\" or \";\", tab, or blanks"
/* False: the text is not a delimiter. text NULL: *out = 0. */
bool gt_csv_delimiter_of(const char *text, char *out);
const char *gt_csv_delimiter_text(char delimiter, gt_arena *arena); /* the inverse */

typedef struct gt_csv_unescaped { /* a cell whose doubled quotes were removed in the file's bytes */
  const char *text;               /* after the opening quote */
  char *end;                      /* its closing quote; the bytes from text + length to it are NUL */
  char *line_start;               /* gt_csv.line_start at its end */
  uint32_t length, line;          /* of the text; gt_csv.line at its end */
} gt_csv_unescaped;

typedef struct gt_csv_unescaped_cells {
  gt_csv_unescaped *items;
  size_t count, capacity;
} gt_csv_unescaped_cells;

typedef struct gt_csv { /* a file, how it is written, its column names, and the current record */
  const char *path;
  bool untrusted; /* messages other than *error must not quote the file */
  char delimiter, decimal;
  bool lines;      /* no table: each record is a line (gt_csv_read_line) */
  bool stops[256]; /* the characters that end a cell without quotes */
  gt_error *error;
  gt_bytes bytes;
  char *start;                 /* of the text, after a byte order mark */
  char *at, *end, *line_start; /* position; end of the text; start of the current line */
  uint32_t line;               /* number of the current line, from 1 */
  gt_arena arena;
  gt_cells record;                  /* the current record */
  gt_csv_unescaped_cells unescaped; /* of the records that were read */
  bool is_read_again;               /* the cells in `unescaped` are as after their first reading */
  bool header;
  uint32_t first_line; /* of the table, the header included */
  const char *doubt;   /* a warning if the decision about the header may be wrong; else NULL */
  const char **names;  /* from the header, or "1", "2", … */
  bool *nameless;      /* [columns] the header has no name for it, or pandas' name (Unnamed: 0) */
  bool row_names;      /* the header has no cell for the first column, which has the names of the rows */
  int32_t *same_name; /* [columns] the first column of the same name, -1: the name is unique; NULL: all are */
  struct gt_csv_name *sorted; /* the names, sorted, for gt_csv_find */
  int columns;
  const gt_strings *missing; /* the words for a missing value; NULL: those of gt_cell_is_missing */
} gt_csv;

void gt_csv_set_delimiter(gt_csv *csv, char delimiter);
/* Reads the next record into csv->record. Returns 1, 0 at the end of the file, -1 after an error. Removes the
 * escapes of quoted cells in the file's bytes. */
int gt_csv_record(gt_csv *csv);
/* gt_csv_record for a file of texts; the record is the text, after the label if there is one. */
int gt_csv_read_line(gt_csv *csv);
/* Parses a number in C notation with this decimal mark ('.' or ','), independent of the locale. False if the
 * text is anything else. May overflow to infinity. */
bool gt_parse_number(const char *text, size_t length, char decimal, double *out);
/* True for 1,234 and 12,345,678, in which commas may separate thousands. */
bool gt_csv_may_be_thousands(const gt_cell *cell);
static inline bool gt_csv_parse(const gt_csv *csv, const gt_cell *cell, double *out) {
  return gt_parse_number(cell->text, cell->length, csv->decimal, out);
}
/* gt_fail at a cell: "file:line:column: …" */
bool gt_csv_fail(const gt_csv *csv, const gt_cell *cell, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The cell's text for messages, shortened and without control characters. */
const char *gt_cell_shown(const gt_cell *cell, char out[48]);
bool gt_cell_is_utf8(const gt_cell *cell);
/* The first byte that is not part of a UTF-8 character; NULL: none. */
const char *gt_find_bad_utf8(const char *at, const char *end);
/* True for words that stand for a missing value: NA, N/A, nan, null, None, ?, -. False for an empty cell. */
bool gt_cell_is_missing(const gt_cell *cell);
/* True for an empty cell and for a word for a missing value: one of the config's list if there is one
 * (numbers in any notation), otherwise as gt_cell_is_missing. */
bool gt_csv_is_missing(const gt_csv *csv, const gt_cell *cell);
static inline bool gt_cell_is_same(const gt_cell *a, const gt_cell *b) {
  return a->length == b->length && !memcmp(a->text, b->text, a->length);
}
static inline bool gt_cell_is(const gt_cell *cell, const char *text) {
  return strlen(text) == cell->length && !memcmp(cell->text, text, cell->length);
}
/* True if the cell is UTF-8 without control characters, so that messages, JSON and file names can contain
 * it. */
bool gt_cell_is_clean(const gt_cell *cell);

/* Decides whether the current record is the header, and names the columns. A repeated name gets a number, as
 * in pandas: a, a.1. */
bool gt_csv_name_columns(gt_csv *csv, const gt_csv_form *form, const struct gt_csv_sample *sample);
/* True for "1", "2", … "columns": the names of columns in a file without a header. */
bool gt_csv_are_column_numbers(const char *const *names, int64_t count, int columns);
int gt_csv_find(const gt_csv *csv, const char *name); /* -1: no such column */
const char *gt_csv_nearest(const gt_csv *csv, const char *name);
/* Fails because the file has no such column. */
bool gt_csv_fail_no_column(const gt_csv *csv, const char *name);
/* Reports that the file has no such column, and how its first line was read if that is the probable reason.
 * The caller may complete the returned error. */
gt_diagnostic *gt_csv_report_no_column(gt_data_reader *reader, const gt_csv *csv, const char *name,
                                       gt_position at);
/* For messages about a missing column: the clause ": its first line is read as …"; "" if the file has a
 * similar name, so that the name is probably misspelled. */
const char *gt_csv_header_note(const gt_csv *csv, const char *name);
/* True if columns are matched by the names that another file or a model has for them. names: NULL if it has
 * none. False if this file has no header, or if those names are only the column numbers of a file without a
 * header: then columns are matched by position, with a warning if only one of the two sides has names. whose:
 * the owner of the names, for the warning. */
bool gt_csv_matches_by_name(const gt_csv *csv, const char *const *names, int64_t count, const char *whose);
#endif

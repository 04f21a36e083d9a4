/* Reading CSV files, for use inside src/data. csv_scan.c: records; csv_number.c: numbers; csv_file.c: a file
 * and its rows; csv_layout.c: where the table begins and what separates its cells; csv_header.c: whether the
 * first line is a header; csv_columns.c: column names; csv_facts.c: what the cells of each column are;
 * csv_chunks.c, csv_parallel.c: reading on several threads; csv_inputs.c: from columns to input tensors;
 * csv_labels.c: class labels; csv_lines.c: files of texts, one on each line; csv_roles.c: columns with the
 * weight, the split or the group of a row; csv_list.c: lists of texts or images; csv.c: the format itself.
 * RFC 4180: quotes, doubled quotes, CRLF (also LF and CR). Blank lines, a byte order mark, a line `sep=;` and
 * comment lines (#) before the table are skipped. */
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

/* Columns that are neither inputs nor targets, but describe the row. */
typedef enum gt_csv_role {
  GT_CSV_WEIGHT,
  GT_CSV_SPLIT,
  GT_CSV_GROUP,
  GT_CSV_ID,
  GT_CSV_TIME,
  GT_CSV_TARGET, /* for predictions of a series: the first target column, if the file has it */
  GT_CSV_ROLES
} gt_csv_role;

/* What a line of the file is. */
typedef enum gt_csv_lines {
  GT_CSV_TABLE,    /* a row of a table */
  GT_CSV_LABELLED, /* a label, a tab and a text: columns "label" and "text" */
  GT_CSV_TEXTS     /* a text; if every line has a tab, as GT_CSV_LABELLED */
} gt_csv_lines;

enum { GT_CSV_KNOWN = 7 };   /* lists in gt_csv_form.known, in any order */
typedef struct gt_csv_form { /* how a file is written, as far as it is known before reading */
  char delimiter; /* ' ': runs of blanks and tabs; 0: found from the text (default: comma; for .tsv: tab) */
  char decimal;   /* '.' or ','; 0: found from the text */
  int64_t skip;   /* lines before the table */
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

typedef struct gt_csv {
  const char *path;
  bool untrusted; /* messages other than *error must not quote the file */
  char delimiter, decimal;
  bool lines;      /* no table: each record is a line (gt_csv_read_line) */
  bool stops[256]; /* the characters that end a cell without quotes */
  gt_error *error;
  gt_bytes bytes;
  char *at, *end, *line_start; /* position; end of the text; start of the current line */
  uint32_t line;               /* number of the current line, from 1 */
  gt_arena arena;
  gt_cells record; /* the current record */
  bool header;
  uint32_t first_line; /* of the table, the header included */
  const char *doubt;   /* a warning if the decision about the header may be wrong; else NULL */
  const char **names;  /* from the header, or "1", "2", … */
  bool *nameless;      /* [columns] the header has no name for it, or pandas' name (Unnamed: 0) */
  bool row_names;      /* the header has no cell for the first column, which has the names of the rows */
  int32_t *same_name; /* [columns] the first column of the same name, -1: the name is unique; NULL: all are */
  struct gt_csv_name *sorted; /* the names, sorted, for gt_csv_find */
  int columns;
  /* The role of each column: -1: unused; 0 to inputs - 1: an input; inputs to inputs + targets - 1: a
   * target. */
  int32_t *role;
  int inputs, targets;
  bool targets_may_be_inputs; /* for a series */
  int32_t *also_target;       /* [columns] the target that an input column also is, -1: none; or NULL */
  /* For a series: the number of each row within its group, counting rows that are left out (csv_series.c);
   * heap; NULL: not a series. */
  int64_t *number;
  const bool *whole;         /* [inputs] must be whole numbers from 0; NULL: none must */
  const bool *as_text;       /* [inputs] cells are read as texts, also numbers; NULL: none are */
  bool has_rules;            /* `data.columns` applies to the file; it does not to a list of images */
  const gt_strings *missing; /* the words for a missing value; NULL: those of gt_cell_is_missing */
  /* [rows, inputs]; heap; a NaN with a code for a cell that is no number (data/table/csv_facts.h). After
   * gt_csv_type_values: raw values [rows, width], with those of each column from gt_typed_column.place on. */
  float *values;
  int width;
  struct gt_csv_facts *facts; /* [fact_count], by role (data/table/csv_facts.h); heap */
  int fact_count;             /* inputs + targets */
  size_t rows, capacity;
  uint32_t comment;      /* line of the first skipped comment in the table; 0: none */
  uint64_t memory;       /* limit in bytes for the text, values and cells together (gt_data_memory_limit) */
  uint64_t text_bytes;   /* size of gt_csv_odd.text and its hash tables */
  gt_cells target_cells; /* [rows, targets]; `targets` is the number of columns: a target may have several */
  int role_column[GT_CSV_ROLES];     /* by gt_csv_role; -1: none */
  gt_cells role_cells[GT_CSV_ROLES]; /* [rows] */
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
/* The same for a target, but without the default words, because a class may be called NA. */
static inline bool gt_csv_lacks_target(const gt_csv *csv, const gt_cell *cell) {
  return !cell->length || (csv->missing && gt_csv_is_missing(csv, cell));
}
static inline bool gt_cell_is_same(const gt_cell *a, const gt_cell *b) {
  return a->length == b->length && !memcmp(a->text, b->text, a->length);
}
static inline bool gt_cell_is(const gt_cell *cell, const char *text) {
  return strlen(text) == cell->length && !memcmp(cell->text, text, cell->length);
}
/* True if the cell is UTF-8 without control characters, so that messages, JSON and file names can contain
 * it. */
bool gt_cell_is_clean(const gt_cell *cell);

/* Reads the file, its layout and its first record. Call gt_csv_close after it, also if it fails. */
bool gt_csv_open(gt_csv *csv, gt_data_file file, const gt_csv_form *form, gt_error *error);
void gt_csv_close(gt_csv *csv);
/* Decides whether the current record is the header, and names the columns. A repeated name gets a number, as
 * in pandas: a, a.1. */
bool gt_csv_name_columns(gt_csv *csv, const gt_csv_form *form, const struct gt_csv_sample *sample);
/* True for "1", "2", … "columns": the names of columns in a file without a header. */
bool gt_csv_are_column_numbers(const char *const *names, int64_t count, int columns);
int gt_csv_find(const gt_csv *csv, const char *name); /* -1: no such column */
const char *gt_csv_nearest(const gt_csv *csv, const char *name);
/* Reports that the file has no such column, and how its first line was read if that is the probable reason.
 * The caller may complete the returned error. */
gt_diagnostic *gt_csv_report_no_column(gt_data_reader *reader, const gt_csv *csv, const char *name,
                                       gt_position at);
/* gt_csv_find, but reports a missing column. */
int gt_csv_find_or_report(gt_data_reader *reader, const gt_csv *csv, const char *name, gt_position at);
/* For messages about a missing column: the clause ": its first line is read as …"; "" if the file has a
 * similar name, so that the name is probably misspelled. */
const char *gt_csv_header_note(const gt_csv *csv, const char *name);
/* True if columns are matched by the names that another file or a model has for them. names: NULL if it has
 * none. False if this file has no header, or if those names are only the column numbers of a file without a
 * header: then columns are matched by position, with a warning if only one of the two sides has names. whose:
 * the owner of the names, for the warning. */
bool gt_csv_matches_by_name(const gt_csv *csv, const char *const *names, int64_t count, const char *whose);
/* Assigns the columns by the names that another file (or a model) has for them. */
bool gt_csv_assign_columns(gt_csv *csv, const char *const *inputs, int input_count,
                           const char *const *targets, int target_count);
/* Reads all records according to csv->role, and collects csv->facts. Accepts input cells that are not
 * numbers: csv_typed.c handles them. An error if there are no records. */
bool gt_csv_read(gt_csv *csv);

/* For a list of samples (csv_list.c): sets the targets of the CSV to the columns `targets` (if empty: the
 * last column) and after them the column `source`, which has the samples. clash: the end of the error message
 * if `source` is also a target. False after reporting. */
bool gt_csv_choose_source(gt_data_reader *reader, gt_csv *csv, gt_strings targets, int source,
                          const char *clash);
/* Removes the cells of the source from csv->target_cells. */
void gt_csv_drop_source(gt_csv *csv);

/* The columns that a model's inputs read, each listed once even if several inputs read it. */
typedef struct gt_csv_inputs {
  int count;
  const char *const *names; /* [count]; NULL: unnamed: the columns are in the order of the inputs */
  const bool *whole;        /* as in gt_csv */
  int inputs;
  const int32_t *place[GT_DATA_MAX_INPUTS]; /* [columns of input k] index of each of its columns in `names` */
  int64_t columns[GT_DATA_MAX_INPUTS];      /* number of columns that input k reads */
} gt_csv_inputs;
/* The columns of these inputs. Only `count` is set if an input has more than GT_CSV_MAX_COLUMNS columns. */
gt_csv_inputs gt_csv_inputs_of(const gt_input *input, int inputs, gt_arena *arena);
/* Moves csv->values into tensors, one per input: raw values F32 [rows, columns], or I32 for integer inputs of
 * plain numbers. */
struct gt_typed_table;
bool gt_csv_move_inputs(gt_csv *csv, const gt_csv_inputs *inputs, const gt_input *input,
                        const struct gt_typed_table *typed, gt_tensor *out);

/* Read the columns with the roles GT_CSV_WEIGHT (into a tensor), GT_CSV_SPLIT and GT_CSV_GROUP (into the
 * reader). No effect without these columns. False after reporting. */
bool gt_csv_read_weights(const gt_csv *csv, gt_tensor *out);
bool gt_csv_read_parts(gt_data_reader *reader, const gt_csv *csv);
/* The cells of the column with this role; NULL: there is no such column. */
const gt_cells *gt_csv_role_cells(const gt_csv *csv, gt_csv_role role);
/* Numbers the groups that the rows name, in order of appearance: the group of each row, and the names, in the
 * arena. Returns how many groups there are, -1 after reporting. */
int gt_csv_read_groups(const gt_csv *csv, gt_arena *arena, int32_t *group, const char *const **names);

/* Time series (csv_series.c): numbers the rows of each group. Call before rows are dropped. */
void gt_csv_number_rows(const gt_data_reader *reader, gt_csv *csv);
/* Read the groups and the times of the rows, with names in the arena. False after an error, also if the times
 * of a group do not increase. */
struct gt_series_rows;
bool gt_csv_read_series(gt_data_reader *reader, const gt_csv *csv, int part);
bool gt_csv_read_times(const gt_csv *csv, gt_arena *arena, struct gt_series_rows *out);
/* For predictions: find the columns of time and group, and store times, groups and which rows lack values in
 * the signature's rows. */
struct gt_typed_table;
bool gt_csv_find_times(gt_csv *csv, const gt_data_signature *signature);
bool gt_csv_store_times(const gt_csv *csv, const struct gt_csv_inputs *inputs,
                        const struct gt_typed_table *typed, const gt_data_signature *signature);

typedef struct gt_csv_labels { /* how target cells map to class numbers */
  bool text;
  bool open;   /* labels of other classes are allowed: texts become -1, numbers stay as they are */
  bool listed; /* the classes are those of the config's class_names */
  const char *const *names; /* text: sorted or as configured; in NFC (base/unicode.h) */
  const char *respelled;    /* a class that the training file has in two Unicode forms; NULL: none */
  int count;
  int column; /* the target column with the labels */
  int *slots; /* hash table of indices into names, -1 empty */
  size_t slot_count;
} gt_csv_labels;
/* In the functions below, `column` is the index of a target column. */
static inline gt_cell *gt_csv_target_cell(const gt_csv *csv, int column, size_t row) {
  return &csv->target_cells.items[row * (size_t)csv->targets + (size_t)column];
}
/* True if the cells of the target column in the training file look like class labels: all are text or, if
 * whole_numbers is true, they are the whole numbers from 0 to the largest, and each of these occurs. */
bool gt_csv_is_classification(const gt_csv *csv, int column, bool whole_numbers);
/* For `classes: [a, b]`: true if the target cells can be labels: texts or whole numbers. */
bool gt_csv_can_be_labels(const gt_csv *csv, int column);
/* Initializes text labels if a cell is not a number or if `text` is true. Their classes are class_names, or
 * if these are empty, the distinct labels of the file. */
bool gt_csv_labels_init(gt_csv_labels *labels, const gt_csv *csv, int column, gt_strings class_names,
                        bool text, gt_arena *arena);
bool gt_csv_labels_read(const gt_csv_labels *labels, const gt_csv *csv, gt_tensor *out);
/* gt_data_format.read_inputs of this format (csv_predict.c). */
bool gt_csv_predict(const char *path, const gt_data_signature *signature, gt_split *out, gt_error *error);
/* Reads the targets of a split. The first call must be for the training split (is_training): it fixes the
 * tasks and the classes. labels: one per target. */
bool gt_csv_read_targets(gt_data_reader *reader, gt_csv *csv, gt_csv_labels *labels, bool is_training,
                         gt_split *out);
#endif

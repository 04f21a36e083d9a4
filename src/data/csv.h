/* CSV inside the data room: records and numbers (csv_scan.c), a file (csv_file.c) with its columns
 * (csv_columns.c), the inputs that they make (csv_inputs.c), class labels (csv_labels.c). csv.c is the format
 * itself.
 * RFC 4180: quotes, doubled quotes, CRLF (and LF and CR); blank lines are skipped, a byte order mark too. */
#ifndef GT_DATA_CSV_H
#define GT_DATA_CSV_H
#include "data/format.h"

enum { GT_CSV_MAX_COLUMNS = 1000000, GT_CSV_MAX_CELL = 1 << 20, GT_CSV_MAX_CLASSES = 10000 };

typedef struct gt_cell { /* not terminated: it lies in the file's bytes */
  const char *text;
  uint32_t length, column; /* column: of its first character, from 1 */
  uint32_t line;
  bool quoted;
} gt_cell;

typedef struct gt_cells {
  gt_cell *items;
  size_t count, capacity;
} gt_cells;

typedef enum gt_csv_header { GT_CSV_AUTO, GT_CSV_HEADER, GT_CSV_NO_HEADER } gt_csv_header;

enum { GT_CSV_KNOWN = 5 };
typedef struct gt_csv_form { /* how a file is written */
  char delimiter;            /* 0: tab for .tsv, else comma */
  gt_csv_header header;
  gt_strings
      known[GT_CSV_KNOWN]; /* lists of names that columns may have: a line that holds them is a header */
} gt_csv_form;

typedef struct gt_csv {
  const char *path;
  char delimiter;
  gt_error *error;
  gt_bytes bytes;
  char *at, *end, *line_start;
  uint32_t line;
  gt_arena arena;
  gt_cells record;       /* the record at hand */
  bool header, doubtful; /* doubtful: the first line, taken for a sample, may be a header of numbers */
  const char **names;    /* from the header, or "1", "2", … */
  struct gt_csv_name *sorted;
  int columns;
  /* What each column is for: -1 nothing; else an index into the inputs or, from `inputs` on, the targets. */
  int32_t *role;
  int inputs, targets;
  const bool *whole; /* of each input column: it holds whole numbers from 0; NULL: none does */
  float *values;     /* [rows, inputs]; heap */
  size_t rows, capacity;
  uint64_t memory;       /* the most that bytes, values and target cells may take (gt_data_memory_limit) */
  gt_cells target_cells; /* [rows, targets] */
} gt_csv;

/* Reads the next record into csv->record: 1, 0 at the end, -1 on an error. Unescapes in place. */
int gt_csv_record(gt_csv *csv);
/* A whole number or decimal in C notation, nothing around it; the locale does not matter. May overflow to
 * infinity. */
bool gt_parse_number(const char *text, size_t length, double *out);
/* gt_fail at a cell: "file:line:column: …" */
bool gt_csv_fail(const gt_csv *csv, const gt_cell *cell, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A cell's text for messages: cut short, without control characters. */
const char *gt_cell_shown(const gt_cell *cell, char out[48]);
bool gt_cell_is_utf8(const gt_cell *cell);
/* Is it text that may go into messages, JSON and file names? UTF-8 without control characters. */
bool gt_cell_is_clean(const gt_cell *cell);

/* Reads the file and its first record. Always followed by gt_csv_close. */
bool gt_csv_open(gt_csv *csv, gt_data_file file, const gt_csv_form *form, gt_error *error);
void gt_csv_close(gt_csv *csv);
/* Decides whether the record at hand is the header, and names the columns. */
bool gt_csv_name_columns(gt_csv *csv, const gt_csv_form *form);
/* A warning about a doubtful first line, unless the record at hand, the second, is of the same kind. */
void gt_csv_doubt(const gt_csv *csv);
int gt_csv_find(const gt_csv *csv, const char *name); /* -1: no such column */
const char *gt_csv_nearest(const gt_csv *csv, const char *name);
/* Are this file's columns to be found by the names that another file, or a model, has for them (NULL: none)?
 * Without a header they are not, nor if those names only count the columns of a file without one: then they
 * are taken in their order, and unless both sides have no names a warning says so. `whose` is who has them.
 */
bool gt_csv_goes_by_name(const gt_csv *csv, const char *const *names, int64_t count, const char *whose);
/* Columns by the names that another file (or a model) has for them. */
bool gt_csv_take_columns(gt_csv *csv, const char *const *inputs, int input_count, const char *const *targets,
                         int target_count);
/* Reads all records, by csv->role. At least one. */
bool gt_csv_read(gt_csv *csv);
bool gt_csv_number(const gt_csv *csv, const gt_cell *cell, const char *column,
                   float *out); /* finite, or a message */

/* The columns that a model's inputs are made of, each once, however many inputs it belongs to. */
typedef struct gt_csv_inputs {
  int count;
  const char *const *names; /* NULL: they have none, and come in the order of the inputs */
  const bool *whole;        /* as in gt_csv */
  int inputs;
  const int32_t *place[GT_DATA_MOST_INPUTS]; /* of input k: the column of each feature */
  int64_t features[GT_DATA_MOST_INPUTS];
} gt_csv_inputs;
/* Of inputs whose features and, where they have any, columns are known. Of more features than a file has
 * columns only a count above GT_CSV_MAX_COLUMNS is told. */
gt_csv_inputs gt_csv_inputs_of(const gt_input *input, int inputs, gt_arena *arena);
/* What was read as tensors F32 [rows, features], one an input; or I32 for those of integers. */
bool gt_csv_move_inputs(gt_csv *csv, const gt_csv_inputs *inputs, const gt_input *input, gt_tensor *out);

typedef struct gt_csv_labels { /* how target cells become class numbers */
  bool text;
  bool open; /* there may be labels of other classes: a text gets -1, a number stays as it is */
  const char *const *names; /* text: sorted or as configured; in NFC (base/unicode.h) */
  const char *respelled;    /* a class that the training file writes in two forms of Unicode; NULL: none */
  int count;
  int *slots; /* hash table of indices into names, -1 empty */
  size_t slot_count;
} gt_csv_labels;
/* Decides by the training file's only target column whether it holds classes. */
bool gt_csv_is_classification(const gt_csv *csv);
/* Where the config says which classes it wants: could these be labels at all? */
bool gt_csv_can_be_labels(const gt_csv *csv);
/* Text, if any cell is none of a number or `text` says that the numbers are names; the classes are then
 * class_names, or without them those of the file. */
bool gt_csv_labels_init(gt_csv_labels *labels, const gt_csv *csv, gt_strings class_names, bool text,
                        gt_arena *arena);
bool gt_csv_labels_read(const gt_csv_labels *labels, const gt_csv *csv, gt_tensor *out);
/* The targets of a split: the first is the training split, which settles the task and the classes. */
bool gt_csv_read_targets(gt_data_reader *reader, gt_csv *csv, gt_csv_labels *labels, bool first,
                         gt_split *out);
#endif

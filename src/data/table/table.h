/* A CSV file as a table: which of its columns are read and for what, facts about their cells, and their
 * values. One pass (gt_table_read) reads inputs, targets, weights, splits and groups alike, on all cores;
 * what the cells mean is decided after it, from the facts: kinds.c for inputs, targets.c, roles.c and
 * csv_series.c for the others. */
#ifndef GT_DATA_TABLE_H
#define GT_DATA_TABLE_H
#include "base/names.h"
#include "data/table/column_rule.h"
#include "data/table/csv.h"

/* --- columns --- */

typedef enum gt_column_use {
  GT_USE_INPUT,
  GT_USE_TARGET,
  GT_USE_WEIGHT,
  GT_USE_SPLIT,
  GT_USE_GROUP,
  GT_USE_ID,
  GT_USE_TIME,
  GT_USE_SOURCE, /* texts, or paths of images */
  GT_USES
} gt_column_use;

/* How the cells of a column are read. A number becomes a float; any other cell a code (GT_CELL_…), boxed in a
 * NaN. */
typedef enum gt_reading {
  GT_READ_NUMBERS,
  GT_READ_LABELS, /* a number of one to three digits, which may be a class, becomes the code of its text */
  GT_READ_TEXTS,  /* every cell becomes a code */
  GT_READ_CODES,  /* the same, with plain codes (uint32_t), of more texts; no text means a missing value */
  GT_READ_CELLS   /* the cells themselves are kept; no facts */
} gt_reading;

/* Codes of cells. */
enum {
  GT_CELL_UNFIT, /* a number that does not fit its column */
  GT_CELL_EMPTY,
  GT_CELL_MISSING, /* a word for a missing value; of a target, whose class may be NA, only a listed one */
  GT_CELL_MORE,    /* a text beyond the largest number of texts */
  GT_CELL_TEXT,    /* + i: text i of the column's dictionary */
  GT_TABLE_MAX_TEXTS = (1 << 22) - GT_CELL_TEXT,
  GT_TABLE_MAX_CODES = (1 << 28) - GT_CELL_TEXT,
  GT_CELL_NUMBER = INT32_MAX /* of gt_table_code: a number without a code */
};

typedef struct gt_text_slot { /* of the hash table of a dictionary (slot_for in facts.c) */
  uint64_t head;
  uint32_t tail;
  uint32_t text : 28, length : 4; /* text: index; length 0: the slot is empty */
} gt_text_slot;

typedef struct gt_texts { /* dictionary of the texts of a column; heap */
  gt_cell *text;          /* [distinct] the first cell with each text, in order of appearance */
  gt_text_slot *slot;     /* [2 * capacity] hash table */
  int distinct, capacity;
  /* [GT_CELL_TEXT + distinct] of a target (gt_table_count_target), by code: number of cells; the number that
   * the text is, NaN: none. */
  uint64_t *cells;
  double *value;
} gt_texts;

/* The sum of the five numbers is the number of cells. */
typedef struct gt_column_facts {
  uint64_t numbers;      /* cells that are numbers and fit the column */
  uint64_t unfit;        /* numbers too large for a float, or not a whole number where the input needs one */
  uint64_t empty;        /* cells without text */
  uint64_t missing;      /* words for a missing value (gt_csv_is_missing) */
  uint64_t texts;        /* all other cells */
  double least, largest; /* of numbers; least > largest: no number yet */
  bool whole;            /* all numbers are whole */
  bool counts;           /* every cell is a number that is the cell above it plus 1 */
  bool more;             /* there are more distinct texts than the dictionary keeps */
  gt_texts dictionary;
} gt_column_facts;

typedef struct gt_table_column {
  gt_column_facts facts;
  int index;             /* in the file */
  int place;             /* in a row of the values of inputs, of the other values, or of the cells */
  gt_column_use use : 8; /* a column of the file that has several uses is listed once for each */
  gt_reading reading : 8;
  bool needs_whole; /* an input of whole numbers from 0 */
} gt_table_column;

typedef struct gt_table_file {
  gt_csv csv;
  gt_table_column *column; /* [columns] those that are read: inputs, then targets, then others; heap */
  int columns, inputs, targets, room;
  int others, cell_columns;   /* columns with a value in `other`; with cells in `cells` */
  bool targets_may_be_inputs; /* for a series */
  bool has_rules;             /* `data.columns` applies to the file; it does not to a list of images */
  size_t rows, capacity;
  /* [rows, inputs] of the inputs; heap. After gt_csv_type_values: raw values [rows, width], with those of
   * each column from gt_typed_column.place on. */
  float *values;
  int width;
  float *other;   /* [rows, others] of the other columns; heap */
  gt_cell *cells; /* [rows, cell_columns]; heap */
  uint32_t *line; /* [rows] in which the record begins; heap */
  /* For a series: the number of each row within its group, counting rows that are left out (csv_series.c);
   * heap; NULL: not a series. */
  int64_t *number;
  uint32_t comment;    /* line of the first skipped comment in the table; 0: none */
  uint64_t memory;     /* limit in bytes for the text, values and cells together (gt_data_memory_limit) */
  uint64_t text_bytes; /* size of the dictionaries */
} gt_table_file;

/* Reads the file, its layout and its first record. Call gt_table_close after it, also if it fails. */
bool gt_table_open(gt_table_file *file, gt_data_file source, const gt_csv_form *form, gt_error *error);
void gt_table_close(gt_table_file *file);
/* Adds a column; inputs first, then targets. It is read as its use needs; see also
 * gt_csv_set_known_kinds and gt_csv_set_target_readings. */
void gt_table_use(gt_table_file *file, gt_column_use use, int index);
/* Adds inputs and targets by the names that another file (or a model) has for them. */
bool gt_table_assign(gt_table_file *file, const char *const *inputs, int input_count,
                     const char *const *targets, int target_count);
/* Reads all records. Input cells need not be numbers. An error if there are no records. */
bool gt_table_read(gt_table_file *file);
/* Moves values, cells and lines of rows; the arrays may overlap. */
void gt_table_move_rows(gt_table_file *to, size_t at, const gt_table_file *from, size_t row, size_t rows);
/* The first column with this use that is not an input; NULL: none. */
gt_table_column *gt_table_find(const gt_table_file *file, gt_column_use use);
static inline gt_table_column *gt_table_target(const gt_table_file *file, int target) {
  return &file->column[file->inputs + target];
}
static inline const char *gt_table_name(const gt_table_file *file, const gt_table_column *column) {
  return file->csv.names[column->index];
}
/* The cell in this row, read again from the text; for messages. */
gt_cell gt_table_locate(const gt_table_file *file, const gt_table_column *column, size_t row);
/* A cell of a column that is read as cells. */
static inline gt_cell *gt_table_cell(const gt_table_file *file, const gt_table_column *column, size_t row) {
  return &file->cells[row * (size_t)file->cell_columns + (size_t)column->place];
}
/* The value of a cell in this row: of an input, before gt_csv_type_values. */
static inline float gt_table_value(const gt_table_file *file, const gt_table_column *column, size_t row) {
  return column->use == GT_USE_INPUT ? file->values[row * (size_t)file->inputs + (size_t)column->place]
                                     : file->other[row * (size_t)file->others + (size_t)column->place];
}

/* A quiet NaN with the code of a cell as its payload. */
static inline float gt_cell_boxed(uint32_t code) {
  const uint32_t bits = 0x7FC00000u | code;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
/* The code of a NaN. */
static inline uint32_t gt_cell_code(float boxed) {
  uint32_t bits;
  memcpy(&bits, &boxed, sizeof bits);
  return bits & 0x3FFFFFu;
}
/* The code of a value of a column; GT_CELL_NUMBER: it is a number. */
static inline uint32_t gt_value_code(const gt_table_column *column, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return column->reading == GT_READ_CODES ? bits : value != value ? bits & 0x3FFFFFu : GT_CELL_NUMBER;
}
static inline uint32_t gt_table_code(const gt_table_file *file, const gt_table_column *column, size_t row) {
  return gt_value_code(column, gt_table_value(file, column, row));
}
/* True if the cell is empty or a word for a missing value. */
static inline bool gt_table_is_gap(const gt_table_file *file, const gt_table_column *column, size_t row) {
  const uint32_t code = gt_table_code(file, column, row);
  return code == GT_CELL_EMPTY || code == GT_CELL_MISSING ||
         (column->use == GT_USE_TARGET && code >= GT_CELL_TEXT && code != GT_CELL_NUMBER &&
          !file->csv.missing && gt_cell_is_missing(&column->facts.dictionary.text[code - GT_CELL_TEXT]));
}

/* --- facts (facts.c) --- */

extern const gt_column_facts gt_no_cells;
void gt_facts_start(gt_table_file *file); /* empty facts of all columns */
void gt_facts_finish(gt_column_facts *facts);
/* Number of cells that are not numbers of the column. */
static inline uint64_t gt_facts_bad(const gt_column_facts *f) {
  return f->unfit + f->empty + f->missing + f->texts;
}
/* Adds a number. */
static inline void gt_facts_number(gt_column_facts *f, double value) {
  if (f->counts && f->numbers) f->counts = value - f->largest == 1;
  if (value < f->least) f->least = value;
  if (value > f->largest) f->largest = value;
  if (f->whole && value >= -9e15 && value <= 9e15) f->whole = (double)(int64_t)value == value;
  f->numbers++;
}
/* True if the numbers count the rows: 0, 1, 2, … or 1, 2, 3, … or consecutive numbers from 10,000 or more, as
 * ids of a survey or a database. Smaller ones may be years. */
static inline bool gt_facts_count_rows(const gt_column_facts *f) {
  return f->counts && f->numbers > 1 && (f->least == 0 || f->least == 1 || f->least >= 10000);
}
/* Adds a cell that is not a number to the facts of its column. Returns its code. */
uint32_t gt_facts_text(gt_table_file *file, gt_table_column *column, const gt_cell *cell);
/* The code of a text in the dictionary of a column; adds a new text. *bytes: size of the dictionaries. */
uint32_t gt_text_code(gt_table_column *column, const gt_cell *cell, uint64_t *bytes);
/* Adds the facts `from` of the rows that follow, and frees `from`. Returns [from's texts] the code in `to` of
 * each text i, whose code in `from` was GT_CELL_TEXT + i; NULL if all codes are the same. Heap. */
uint32_t *gt_facts_merge(gt_table_column *to, gt_table_column *from);

/* --- targets (targets.c) --- */

/* Counts the cells of a target by their codes, and computes its facts from these. Call it after a change. */
void gt_table_count_target(gt_table_file *file, gt_table_column *target);

/* The value of one of the words that spreadsheets and databases write for a boolean: no and yes, false and
 * true, n and y, f and t, off and on, 0 and 1, in lower or upper case; -1: the cell is none of them. */
int gt_csv_boolean(const gt_cell *cell);
/* The value, 0 to 999, of a cell of one to three digits; else -1. */
int gt_cell_digits(const gt_cell *cell);

/* Sets how the columns of the targets are read: known from their tasks, or decided by the cells. */
void gt_csv_set_target_readings(const gt_data_reader *reader, gt_table_file *file);
/* [target columns] true for the columns of targets that must be numbers. undecided: the tasks of the targets
 * are not set yet. booleans: if false, all columns of a target that has a boolean column are false, because
 * booleans are converted later. In the arena. */
const bool *gt_csv_number_columns(gt_data_reader *reader, const gt_table_file *file, bool undecided,
                                  bool booleans);
/* Reads the weights and the targets of a split. The first call must be for the training split (is_training):
 * it fixes the tasks and the classes. */
bool gt_csv_read_targets(gt_data_reader *reader, gt_table_file *file, bool is_training, gt_split *out);
/* For a list of samples (csv_list.c): adds the targets `targets` (if empty: the last column) and the column
 * `source` (NULL: the first), which has the samples; at: where the config names it. clash: the end of the
 * error message if it is also a target. False after reporting. */
bool gt_csv_choose_source(gt_data_reader *reader, gt_table_file *file, gt_strings targets, const char *source,
                          gt_position at, const char *clash);

/* --- weights, splits, groups, times (roles.c, csv_series.c) --- */

/* Read the columns with the weights (into a tensor), the splits and the groups (into the reader). No effect
 * without these columns. False after reporting. */
bool gt_csv_read_weights(const gt_table_file *file, gt_tensor *out);
bool gt_csv_read_parts(gt_data_reader *reader, const gt_table_file *file);
/* Numbers the groups that the rows name, in order of appearance: the group of each row, and the names, in the
 * arena. Returns how many groups there are, -1 after reporting. */
int gt_csv_read_groups(const gt_table_file *file, gt_arena *arena, int32_t *group, const char *const **names);

/* Numbers the rows of each group of a series. Call before rows are dropped. */
void gt_csv_number_rows(const gt_data_reader *reader, gt_table_file *file);
/* Read the groups and the times of the rows, with names in the arena. False after an error, also if the times
 * of a group do not increase. */
bool gt_csv_read_series(gt_data_reader *reader, const gt_table_file *file, int part);
/* For predictions: find the columns of time and group, and store times, groups and which rows lack values in
 * reader->series. */
struct gt_typed_table;
struct gt_csv_inputs;
bool gt_csv_find_times(gt_table_file *file, const gt_input_reader *reader);
bool gt_csv_store_times(const gt_table_file *file, const struct gt_csv_inputs *inputs,
                        const struct gt_typed_table *typed, const gt_input_reader *reader);

/* --- inputs: kinds and raw values (kinds.c; data/column.h) --- */

/* The columns that a model's inputs read, each listed once even if several inputs read it. */
typedef struct gt_csv_inputs {
  int count;
  const char *const *names; /* [count]; NULL: unnamed: the columns are in the order of the inputs */
  const bool *whole;        /* [count] must be whole numbers from 0 */
  int inputs;
  const int32_t *place[GT_DATA_MAX_INPUTS]; /* [columns of input k] index of each of its columns in `names` */
  int64_t columns[GT_DATA_MAX_INPUTS];      /* number of columns that input k reads */
} gt_csv_inputs;
/* The columns of these inputs. Only `count` is set if an input has more than GT_CSV_MAX_COLUMNS columns. */
gt_csv_inputs gt_csv_inputs_of(const gt_input *input, int inputs, gt_arena *arena);
/* Moves file->values into tensors, one per input: raw values F32 [rows, columns], or I32 for integer inputs
 * of plain numbers. */
bool gt_csv_move_inputs(gt_table_file *file, const gt_csv_inputs *inputs, const gt_input *input,
                        const struct gt_typed_table *typed, gt_tensor *out);

/* An input column of the training file, or of a trained model. */
typedef struct gt_typed_column {
  /* gt_csv_type_values sets kind, order and `fills`; gt_data_fit_columns the rest. */
  gt_column column;
  gt_column_rule rule;
  bool decided;      /* its kind is known from a file that was read */
  bool final;        /* of a trained model: all is decided */
  gt_names index;    /* categories: text to code, for all texts of the files */
  const char **text; /* [texts] code to text */
  int texts, capacity;
  uint64_t gaps;   /* of the training file: number of missing values */
  double first[3]; /* its first values; NaN: missing */
  int place;       /* of its first raw value in a row of gt_table_file.values */
} gt_typed_column;

typedef struct gt_typed_table {
  int count; /* input columns of the file */
  gt_typed_column *item;
  gt_strings missing;      /* `missing_values` */
  bool has_missing_values; /* the config has that key */
  bool may_lack;           /* for a forecast: values may be missing, because not all rows are used */
  const bool *drops;       /* [target columns] rows without a value of it are dropped; NULL: none */
} gt_typed_table;

/* The kind of an input column by its cells, after the file is read. False if it is free text, or numbers and
 * texts. */
bool gt_csv_kind_of(const gt_table_file *file, int input, gt_column_kind *kind);
/* True if the column has dates, and in all of them either number could be the day. */
bool gt_csv_has_ambiguous_dates(const gt_table_file *file, int input);
/* Sets how the inputs are read, by the kinds that are known before the file is read, and the words for
 * missing values. */
void gt_csv_set_known_kinds(gt_table_file *file, const gt_typed_table *table, const bool *whole);
/* Decides the kinds that are not yet known (for the training file), drops rows as the rules say, and replaces
 * file->values by raw values. are_numbers [target columns]: the column must be numbers; if not, the message
 * reports it, too. False after an error that names every column that cannot be read, with the config that
 * fixes it. */
bool gt_csv_type_values(gt_table_file *file, gt_typed_table *table, const bool *are_numbers, gt_arena *arena);

/* After gt_csv_type_values for a trained model: the sentence about missing values in columns that had none in
 * training, and the values that replace them; NULL: none. */
const char *gt_csv_filled_gaps(const gt_table_file *file, const gt_typed_table *table, gt_arena *arena);
#define GT_FILLED_GAPS_HELP \
  "to refuse such files: missing: error for these columns in data.columns of the training"

/* Texts that are numbers with a unit, a sign or thousands separators (csv_units.c). */
typedef struct gt_csv_units {
  bool unit;              /* true: a unit or a sign; false: only separators */
  const char *what, *fix; /* "numbers with the unit 'mg'", "to read the column as numbers, remove …" */
  const char *example;    /* "12 mg" */
} gt_csv_units;
/* True if nearly all texts of the column are numbers with the same unit. arena: NULL to set only
 * out->unit. */
bool gt_csv_find_units(const gt_csv *csv, const gt_column_facts *facts, gt_arena *arena, gt_csv_units *out);

/* Adds the findings about the training file (csv_review.c). Call after its targets are read, before
 * file->values is moved into the dataset. */
void gt_csv_review(gt_data_reader *reader, const gt_table_file *file);
/* Adds one finding for the file if input columns have whole numbers that are too large for a float. */
void gt_csv_report_large(gt_data_reader *reader, const gt_table_file *file);

/* --- messages (csv_problems.c) --- */

/* Why the cells of a column cannot be read. */
typedef struct gt_column_problem {
  int column;       /* of the table */
  const char *what; /* "has numbers and texts" */
  const char *fix;  /* an entry of data.columns without the name: "ignore"; NULL: none */
  const char *also; /* another solution, or NULL */
  bool gaps;        /* it is about missing values */
} gt_column_problem;
/* Lists target columns that must be numbers (are_numbers) and have other cells in problem[targets];
 * returns their number. */
int gt_csv_target_problems(const gt_table_file *file, const bool *are_numbers, gt_column_problem *problem,
                           gt_arena *arena);
/* Reports the problems in one message. Returns false. */
bool gt_csv_fail_columns(const gt_table_file *file, const gt_column_problem *problem, int problems);
/* True if all cells of the target columns marked in are_numbers are numbers. Else an error that names the
 * columns with other cells. */
bool gt_csv_check_targets(const gt_table_file *file, const bool *are_numbers);
enum { GT_CSV_DROP_HELP = 192 };
/* For the end of a message: how the config can drop the rows without a value of this target; "" if it
 * cannot. */
const char *gt_csv_drop_help(const gt_table_file *file, const gt_table_column *target,
                             char out[GT_CSV_DROP_HELP]);
/* Reports why the cell is not a valid number of its column; `more` is appended to the message. Returns
 * false. */
bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more);

/* --- the inputs of a dataset (typed_inputs.c, column_fit.c) --- */

/* The table of the input columns `names`, with the rules of data.columns; for a trained model
 * (reader->wanted) with as many columns, that of the model. */
gt_typed_table *gt_typed_table_of(const gt_data_reader *reader, const char *const *names, int count,
                                  const gt_column_rules *rules);
/* True if the input's columns are numbers with nothing to fill, encode or transform. */
bool gt_typed_is_plain(const gt_typed_use *use);
int64_t gt_typed_raw(const gt_typed_use *use); /* number of raw values of a row */
/* Learns a column's fill and categories from the training rows' raw values, F32 [rows, raw], where those of
 * the column begin at `place`. False after an error if it has no value. */
bool gt_typed_fit(gt_data_reader *reader, gt_typed_column *column, const gt_tensor *raw, int64_t place);
/* Receives a finding, a sentence and help: what to change. to: the reporter's own argument. */
typedef void (*gt_table_report)(void *to, gt_finding finding, const char *text, const char *help);
/* Replaces raw values F32 [rows, raw] by stored values: F32, or I32 if `codes` is true. The columns must
 * be fitted. report: receives the categories that training did not have; NULL for training rows. */
bool gt_typed_store(const gt_typed_use *use, const gt_table *table, gt_tensor *tensor, bool codes,
                    gt_arena *arena, gt_table_report report, void *to, gt_error *error);
/* gt_csv_type_values for a file of a dataset; missing values that the model fills are a finding. */
bool gt_data_type_values(gt_data_reader *reader, gt_table_file *file, int part);
/* gt_typed_store for a split of a dataset; unseen categories are a finding. */
bool gt_data_store_columns(gt_data_reader *reader, gt_split *split, int part);
/* The columns of a trained model's inputs. */
gt_typed_table gt_typed_table_of_model(const gt_input *input, int inputs, gt_arena *arena);
/* gt_data_format.read_inputs of this format (csv_predict.c). */
bool gt_csv_predict(gt_input_reader *reader);
#endif

/* Columns of a CSV file: facts about their cells, collected in the pass that reads the file (gt_csv_read),
 * and the kinds of input columns, decided from them after the pass. Messages quote the facts.
 *
 * csv->facts has one entry per used column, by its role: the inputs, then the targets. After gt_csv_read has
 * returned true, for each of them:
 *   cells == numbers + unfit + empty + missing + texts
 * In csv->values, a cell that is not a number is a NaN whose payload says what it is (gt_csv_cell_code).
 * Cells point into the file's bytes and are valid until gt_csv_close. Memory is allocated only for columns
 * with cells that are not numbers. */
#ifndef GT_DATA_TABLE_H
#define GT_DATA_TABLE_H
#include "base/names.h"
#include "data/table/column_rule.h"
#include "data/table/csv.h"

enum {
  GT_CSV_FIRST_BAD = 3, /* this many of the first cells that are not numbers are kept for messages */
  /* Codes of cells that are not numbers. */
  GT_CSV_CELL_UNFIT = 0, /* a number that does not fit its column */
  GT_CSV_CELL_EMPTY,
  GT_CSV_CELL_MISSING, /* a word for a missing value */
  GT_CSV_CELL_MORE,    /* a text beyond GT_CSV_MAX_TEXTS */
  GT_CSV_CELL_TEXT,    /* GT_CSV_CELL_TEXT + i: text i of the column (gt_csv_odd.text) */
  GT_CSV_MAX_TEXTS = (1 << 22) - GT_CSV_CELL_TEXT /* distinct texts of a column that are kept */
};

typedef struct gt_csv_slot { /* of the hash table of a column's texts (slot_for in facts.c) */
  uint64_t head;
  uint32_t tail;
  uint32_t text : 22, length : 10; /* text: index; length 0: the slot is empty */
} gt_csv_slot;

typedef struct gt_csv_odd { /* the cells of a column that are not numbers; its size grows with their number */
  gt_cell bad[GT_CSV_FIRST_BAD]; /* [bads] the first cells of the file that are not numbers */
  int bads;
  gt_cell gap;   /* the first missing value; line 0: none */
  gt_cell *text; /* [distinct] the first cell with each text, in order of appearance; heap */
  int distinct, capacity;
  bool more;         /* there are more than GT_CSV_MAX_TEXTS distinct texts */
  gt_csv_slot *slot; /* [slots] hash table; heap */
  size_t slots;
} gt_csv_odd;

typedef struct gt_csv_facts {
  uint64_t numbers;      /* cells that are numbers and fit the column */
  uint64_t unfit;        /* numbers too large for a float, or not a whole number where the input needs one */
  uint64_t empty;        /* cells without text */
  uint64_t missing;      /* words for a missing value (gt_cell_is_missing) */
  uint64_t texts;        /* all other cells */
  double least, largest; /* of numbers; least > largest: no number yet */
  bool whole;            /* all numbers are whole */
  bool counts;           /* every cell is a number that is the cell above it plus 1 */
  gt_csv_odd *odd;       /* heap; NULL while all cells are numbers */
} gt_csv_facts;

void gt_csv_facts_finish(gt_csv_facts *facts);
/* Number of cells that are not numbers of the column. */
static inline uint64_t gt_csv_facts_bad(const gt_csv_facts *f) {
  return f->unfit + f->empty + f->missing + f->texts;
}
/* Adds a number. */
static inline void gt_csv_facts_number(gt_csv_facts *f, double value) {
  if (f->counts && f->numbers) f->counts = value - f->largest == 1;
  if (value < f->least) f->least = value;
  if (value > f->largest) f->largest = value;
  if (f->whole && value >= -9e15 && value <= 9e15) f->whole = (double)(int64_t)value == value;
  f->numbers++;
}
/* True if the numbers count the rows: 0, 1, 2, … or 1, 2, 3, … or consecutive numbers from 10,000 or more, as
 * ids of a survey or a database. Smaller ones may be years. */
static inline bool gt_csv_facts_count_rows(const gt_csv_facts *f) {
  return f->counts && f->numbers > 1 && (f->least == 0 || f->least == 1 || f->least >= 10000);
}
/* Adds a cell that is not a number, or a number that does not fit (unfit). Returns its code,
 * GT_CSV_CELL_…. */
uint32_t gt_csv_facts_odd(gt_csv *csv, gt_csv_facts *f, const gt_cell *cell, bool unfit);

/* Adds the facts `from` of the rows that follow, and frees `from`. Returns [from's texts] the code in `to` of
 * each text i, whose code in `from` was GT_CSV_CELL_TEXT + i; NULL if all codes are the same. Heap. */
uint32_t *gt_csv_facts_merge(gt_csv_facts *to, gt_csv_facts *from);

/* A quiet NaN with the code of a cell as its payload. */
static inline float gt_csv_boxed(uint32_t code) {
  const uint32_t bits = 0x7FC00000u | code;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
/* The code of a NaN in csv->values. */
static inline uint32_t gt_csv_cell_code(float boxed) {
  uint32_t bits;
  memcpy(&bits, &boxed, sizeof bits);
  return bits & 0x3FFFFFu;
}

/* Allocates empty facts for csv->inputs and csv->targets. */
void gt_csv_facts_start(gt_csv *csv);
/* Computes the facts of a target from csv->target_cells, after all rows are read. */
void gt_csv_facts_of_target(gt_csv *csv, int target);
/* True if all cells of the target columns marked in are_numbers are numbers. Else an error that names the
 * columns with other cells. */
bool gt_csv_check_targets(const gt_csv *csv, const bool *are_numbers);
enum { GT_CSV_DROP_HELP = 192 };
/* For the end of a message: how the config can drop the rows without a value of this target; "" if it
 * cannot. */
const char *gt_csv_drop_help(const gt_csv *csv, int target, char out[GT_CSV_DROP_HELP]);
/* Reports why the cell is not a valid number of its column; `more` is appended to the message. Returns
 * false. */
bool gt_csv_fail_number(const gt_csv *csv, const gt_cell *cell, const char *column, const char *more);

/* --- booleans: the words that spreadsheets and databases write: no and yes, false and true, n and y, f and
 * t, off and on, 0 and 1, in lower or upper case --- */

/* The value of the cell, 0 or 1; -1 if it is not one of these words. */
int gt_csv_boolean(const gt_cell *cell);
/* True if all cells of a target column are booleans, except missing ones. */
bool gt_csv_is_boolean_target(const gt_csv *csv, int target);
/* For target `index`, whose columns begin at `first` and must be numbers: replaces the cells of boolean
 * columns by 0 and 1, and logs which word is 1. Columns of the numbers 0 and 1 are boolean if the loss needs
 * this (gt_data_loss_needs.bits). training: this is the training file, which decides which columns are
 * boolean (sets gt_data_target.words). */
void gt_csv_convert_boolean_targets(gt_data_reader *reader, gt_csv *csv, int index, int first, bool training);

/* --- the kinds of input columns, and their raw values (data/column.h) --- */

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
  uint64_t gaps, distinct; /* of the training file: number of missing values, of distinct texts */
  double first[3];         /* its first values; NaN: missing */
  int place;               /* of its first raw value in a row of gt_csv.values */
} gt_typed_column;

typedef struct gt_typed_table {
  int count; /* input columns of the file, by role */
  gt_typed_column *item;
  gt_strings missing;      /* `missing_values` */
  bool has_missing_values; /* the config has that key */
  bool may_lack;           /* for a forecast: values may be missing, because not all rows are used */
  const bool *drops;       /* [target columns] rows without a value of it are dropped; NULL: none */
} gt_typed_table;

/* The kind of an input column by its cells, after the file is read. False if it is free text, or numbers and
 * texts. */
bool gt_csv_kind_of(const gt_csv *csv, int role, gt_column_kind *kind);
/* True if the column has dates, and in all of them either number could be the day. */
bool gt_csv_has_ambiguous_dates(const gt_csv *csv, int role);
/* Sets csv->as_text and csv->missing for columns whose kind is known before the file is read. */
void gt_csv_set_known_kinds(gt_csv *csv, const gt_typed_table *table, gt_arena *arena);
/* Decides the kinds that are not yet known (for the training file), drops rows as the rules say, and replaces
 * csv->values by raw values. are_numbers [target columns]: the column must be numbers; if not, the message
 * reports it, too. False after an error that names every column that cannot be read, with the config that
 * fixes it. */
bool gt_csv_type_values(gt_csv *csv, gt_typed_table *table, const bool *are_numbers, gt_arena *arena);

/* After gt_csv_type_values for a trained model: the sentence about missing values in columns that had none in
 * training, and the values that replace them; NULL: none. */
const char *gt_csv_filled_gaps(const gt_csv *csv, const gt_typed_table *table, gt_arena *arena);
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
bool gt_csv_find_units(const gt_csv *csv, const gt_csv_facts *facts, gt_arena *arena, gt_csv_units *out);

/* Adds the findings about the training file (csv_review.c). Call after its targets are read, before
 * csv->values is moved into the dataset. */
void gt_csv_review(gt_data_reader *reader, const gt_csv *csv);

/* Why the cells of a column cannot be read. */
typedef struct gt_column_problem {
  int role;
  const char *what; /* "has numbers and texts" */
  const char *fix;  /* an entry of data.columns without the name: "ignore"; NULL: none */
  const char *also; /* another solution, or NULL */
  bool gaps;        /* it is about missing values */
} gt_column_problem;
/* The name as a key of a flow mapping in YAML. */
const char *gt_csv_yaml_key(const char *name, gt_arena *arena);
/* Lists target columns that must be numbers (are_numbers) and have other cells in problem[csv->targets];
 * returns their number. */
int gt_csv_target_problems(const gt_csv *csv, const bool *are_numbers, gt_column_problem *problem);
/* Reports the problems in one message. Returns false. */
bool gt_csv_fail_columns(const gt_csv *csv, const gt_column_problem *problem, int problems);

/* The table of the input columns `names`, by role, with the rules of data.columns; for a trained model
 * (reader->wanted) with as many columns, that of the model. */
gt_typed_table *gt_typed_table_of(const gt_data_reader *reader, const char *const *names, int count,
                                  const gt_column_rules *rules);

/* True if the input's columns are numbers with nothing to fill, encode or transform. */
bool gt_typed_is_plain(const gt_typed_use *use);
int64_t gt_typed_raw(const gt_typed_use *use); /* number of raw values of a row */
/* Learns a column's fill and categories from the training rows' raw values, F32 [rows, raw], where those of
 * the column begin at `place`. False after an error if it has no value. */
bool gt_typed_fit(gt_data_reader *reader, gt_typed_column *column, const gt_tensor *raw, int64_t place);
/* Receives the sentence about categories that training did not have, and help: what to change. to: the
 * reporter's own argument. */
typedef void (*gt_unseen_report)(void *to, const char *text, const char *help);
/* Replaces raw values F32 [rows, raw] by stored values: F32, or I32 if `codes` is true. The columns must
 * be fitted. report: NULL for training rows; `to` is passed to it. */
bool gt_typed_store(const gt_typed_use *use, const gt_table *table, gt_tensor *tensor, bool codes,
                    gt_arena *arena, gt_unseen_report report, void *to, gt_error *error);
/* gt_csv_type_values for a file of a dataset; missing values that the model fills are a finding. */
bool gt_data_type_values(gt_data_reader *reader, gt_csv *csv, const bool *are_numbers, int part);
/* gt_typed_store for a split of a dataset; unseen categories are a finding. */
bool gt_data_store_columns(gt_data_reader *reader, gt_split *split, int part);
/* The columns of a trained model's inputs. */
gt_typed_table gt_typed_table_of_model(const gt_input *input, int inputs, gt_arena *arena);
#endif

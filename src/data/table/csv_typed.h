/* CSV: decides the kind of each input column and converts its cells to raw values (data/column.h). */
#ifndef GT_DATA_CSV_TYPED_H
#define GT_DATA_CSV_TYPED_H
#include "base/names.h"
#include "data/table/column_rule.h"
#include "data/table/csv_facts.h"

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

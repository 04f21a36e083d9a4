/* CSV: what kind of values each input column holds, and from cells to raw values (data/column.h). */
#ifndef GT_DATA_CSV_TYPED_H
#define GT_DATA_CSV_TYPED_H
#include "base/names.h"
#include "data/column_rule.h"
#include "data/csv_facts.h"

/* An input column of the training file, or of a trained model. */
typedef struct gt_typed_column {
  gt_column column; /* kind, order and `fills` are decided with the files; the rest by gt_data_fit_columns */
  gt_column_rule rule;
  bool decided;      /* its kind is known from a file that was read */
  bool final;        /* of a trained model: nothing is left to decide */
  gt_names index;    /* categories: the code of each text of the files … */
  const char **text; /* … and its text, [texts] */
  int texts, capacity;
  uint64_t gaps, distinct; /* of the training file: missing values, distinct texts */
  float first[3];          /* its first raw values */
} gt_typed_column;

typedef struct gt_typed_table {
  int count; /* input columns of the file, by role */
  gt_typed_column *item;
  gt_strings missing; /* `missing_values` */
  bool has_missing;   /* it is given */
  bool may_lack;      /* of a forecast: rows may lack values of columns, because not all rows are used */
  const bool *drops;  /* by target: rows without its value are left out; NULL: none does */
} gt_typed_table;

/* The kind of values that the cells of an input column show, when the file is read. False: it is free text,
 * or numbers and texts. */
bool gt_csv_kind_of(const gt_csv *csv, int role, gt_column_kind *kind);
/* True if the column holds dates, and day and month could be either way round in all of them. */
bool gt_csv_has_ambiguous_dates(const gt_csv *csv, int role);
/* Sets csv->as_text and csv->missing for columns whose kind is known before the file is read. */
void gt_csv_expect(gt_csv *csv, const gt_typed_table *table, gt_arena *arena);
/* Decides kinds that are open (the training file) and replaces csv->values by raw values, after leaving out
 * the rows of columns that drop them. are_numbers: by target column, whether its problems are in the message,
 * too. False after an error that names every column that cannot be read, with the lines of the config that
 * fix it. */
bool gt_csv_type_values(gt_csv *csv, gt_typed_table *table, const bool *are_numbers, gt_arena *arena);

/* After gt_csv_type_values for a trained model: the sentence about missing values in columns that had none in
 * training, and what fills them; NULL: there are none. */
const char *gt_csv_filled_gaps(const gt_csv *csv, const gt_typed_table *table, gt_arena *arena);
#define GT_FILLED_GAPS_HELP \
  "to refuse such files: missing: error for these columns in data.columns of the training"

/* Texts that are a number with a unit, a sign or separators of thousands (csv_units.c). */
typedef struct gt_csv_units {
  bool unit;              /* there is a unit or a sign */
  const char *what, *fix; /* "numbers with 'mg' after them", "to read them as numbers, remove …" */
} gt_csv_units;
/* True if nearly all texts of the column are numbers with the same unit. arena NULL: only out->unit is set.
 */
bool gt_csv_find_units(const gt_csv *csv, const gt_csv_facts *facts, gt_arena *arena, gt_csv_units *out);

/* Adds the findings about the training file (csv_review.c): after its targets are read, before its values are
 * moved. */
void gt_csv_review(gt_data_reader *reader, const gt_csv *csv);

/* Why the cells of a column cannot be read. */
typedef struct gt_column_problem {
  int role;
  const char *what; /* "has numbers and texts" */
  const char *fix;  /* an entry of data.columns without the name: "ignore"; NULL: none */
  const char *also; /* a further way out, or NULL */
  bool gaps;        /* it is about missing values */
} gt_column_problem;
/* The name as a key of a flow mapping in YAML. */
const char *gt_csv_yaml_key(const char *name, gt_arena *arena);
/* Target columns that are to be numbers (are_numbers) and have other cells, [csv->targets]; returns their
 * number. */
int gt_csv_target_problems(const gt_csv *csv, const bool *are_numbers, gt_column_problem *problem);
/* Reports problems in one message. False. */
bool gt_csv_fail_columns(const gt_csv *csv, const gt_column_problem *problem, int problems);

/* The columns of the config, or of a trained model (reader->wanted). names: by role. */
gt_typed_table *gt_typed_table_of(const gt_data_reader *reader, const char *const *names, int count,
                                  const gt_column_rules *rules);

/* True if the input's columns are numbers with nothing to fill, encode or transform. */
bool gt_typed_is_plain(const gt_typed_use *use, int columns);
/* Learns a column's fill and categories from the raw values of training rows, F32 [rows, columns], of which
 * it is column `place`. False after an error if there is none. */
bool gt_typed_fit(gt_data_reader *reader, gt_typed_column *column, const gt_tensor *raw, int64_t place);
/* Receives the sentence about categories that training has not seen, and what to change. */
typedef void (*gt_unseen_report)(void *to, const char *text, const char *help);
/* Replaces raw values F32 [rows, columns] by stored values, F32 or (codes) I32. Columns are final.
 * report NULL: for training rows. */
bool gt_typed_store(const gt_typed_use *use, const gt_table *table, gt_tensor *tensor, bool codes,
                    gt_arena *arena, gt_unseen_report report, void *to, gt_error *error);
/* gt_csv_type_values for a file of a dataset; missing values that the model fills are a finding. */
bool gt_data_type_values(gt_data_reader *reader, gt_csv *csv, const bool *number_targets, int part);
/* gt_typed_store for a split of a dataset; unseen categories are a finding. */
bool gt_data_store_columns(gt_data_reader *reader, gt_split *split, int part);
/* The columns of a trained model's inputs. */
gt_typed_table gt_typed_table_of_model(const gt_input *input, int inputs, gt_arena *arena);
#endif

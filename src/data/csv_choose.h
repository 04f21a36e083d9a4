/* CSV: which columns of the training file are inputs, targets or neither. */
#ifndef GT_DATA_CSV_CHOOSE_H
#define GT_DATA_CSV_CHOOSE_H
#include "data/csv_typed.h"

typedef struct gt_csv_options {
  const char *train, *test, *header, *delimiter, *decimal, *weight, *id;
  int64_t skip;
  gt_strings target, ignore, missing_values, future;
  gt_named inputs, targets; /* gt_strings */
  const gt_spec *columns;
  double test_fraction;
} gt_csv_options;

/* The columns that the config or a trained model names. */
typedef struct gt_csv_asked {
  gt_strings target; /* the columns of all targets; named_targets: how many each of several has */
  int named_targets[GT_DATA_MAX_TARGETS];
  gt_strings ignore, input[GT_DATA_MAX_INPUTS];
  int inputs;                     /* 0: the remaining columns form the one input (of a series, the first) */
  const char *role[GT_CSV_ROLES]; /* NULL: none */
  gt_position role_at[GT_CSV_ROLES];
  gt_column_rules rules; /* of `columns` */
} gt_csv_asked;

/* Reads what the config names. False after reporting. */
bool gt_csv_ask(gt_data_reader *reader, const gt_csv_options *o, gt_csv_asked *out);
/* How the file is written, with the names that its header may have. */
bool gt_csv_read_form(gt_data_reader *reader, const gt_csv_options *o, const gt_csv_asked *a,
                      gt_csv_form *form);
/* Chooses the input and target columns: in the order of the lists if the config has them, else in file
 * order. Sets reader->typed. */
bool gt_csv_choose(gt_data_reader *reader, gt_csv_asked a, const gt_strings *missing, gt_csv *csv,
                   gt_csv_inputs *inputs);
/* Adds one finding for the file if input columns have whole numbers that are too large for a float. */
void gt_csv_report_large(gt_data_reader *reader, const gt_csv *csv);
/* When the file is read: row numbers that pandas and R write, empty and constant columns are not inputs
 * unless the config names them. */
bool gt_csv_leave_out(gt_data_reader *reader, gt_csv *csv, gt_csv_inputs *inputs);
#endif

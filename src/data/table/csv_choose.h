/* CSV: chooses the columns of the training file that are inputs and targets. */
#ifndef GT_DATA_CSV_CHOOSE_H
#define GT_DATA_CSV_CHOOSE_H
#include "data/table/table.h"

typedef struct gt_csv_options {
  const char *train, *test, *header, *delimiter, *decimal, *weight, *id;
  int64_t skip;
  gt_strings target, ignore, missing_values, future;
  gt_named inputs, targets; /* gt_strings */
  const gt_spec *columns;
  double test_fraction;
} gt_csv_options;

/* The columns that the config or a trained model names. */
typedef struct gt_csv_request {
  gt_strings target;                       /* the columns of all targets, one after the other */
  int target_columns[GT_DATA_MAX_TARGETS]; /* number of columns of each target, if there are several */
  gt_strings ignore, input[GT_DATA_MAX_INPUTS];
  int inputs;                /* 0: all other columns are the only input (of a series, the first) */
  const char *role[GT_USES]; /* of other uses; NULL: none */
  gt_position role_at[GT_USES];
  gt_column_rules rules; /* of `columns` */
} gt_csv_request;

/* Reads the columns that the config names. False after reporting. */
bool gt_csv_read_request(gt_data_reader *reader, const gt_csv_options *o, gt_csv_request *out);
/* Reads how the file is written, and lists the names that its header may have. False after reporting. */
bool gt_csv_read_form(gt_data_reader *reader, const gt_csv_options *o, const gt_csv_request *a,
                      gt_csv_form *form);
/* Chooses the input and target columns, in the order of the config's lists, or in file order if there are
 * none. Sets reader->typed. */
bool gt_csv_choose(gt_data_reader *reader, gt_csv_request a, const gt_strings *missing, gt_table_file *file,
                   gt_csv_inputs *inputs);
/* After the file is read: removes row numbers as pandas and R write them, empty and constant columns from the
 * inputs, unless the config names them. */
bool gt_csv_drop_columns(gt_data_reader *reader, gt_table_file *file, gt_csv_inputs *inputs);
#endif

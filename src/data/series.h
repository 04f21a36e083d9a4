/* Time series (`data.series`): samples are windows of consecutive rows, and their targets are the rows after
 * them. It works on the rows that a format has read, in this order:
 *   gt_series_read      the options, and keys that do not go with them
 *   gt_csv_read_series  times and groups of a CSV; other formats have one group of equally spaced rows
 *   gt_series_sort_by_group   brings the rows of each group together
 *   gt_series_assign    of each group the oldest rows train, the newest test
 *   gt_series_make_stretches    the stretches of each split: rows of one group without a gap
 *   … columns are fitted, inputs are scaled …
 *   gt_series_make_windows       windows inside the stretches: gt_tensor.start
 * No window crosses the end of a stretch, so training windows hold no row of another split.
 * Owner: the reader; gt_series_close frees it. */
#ifndef GT_DATA_SERIES_H
#define GT_DATA_SERIES_H
#include "data/format.h"

typedef struct gt_series_lack { /* for predictions: a column of a row without a value; or NULL */
  const char *past, *ahead;     /* of the inputs with the window; of the rows ahead */
} gt_series_lack;

typedef struct gt_series_rows { /* what is known about the rows of a file besides their values */
  const char *path;
  bool dates, months;    /* times are dates; all of them months without a day, 2024-01 */
  gt_series_lack *lacks; /* [rows]; heap; NULL: every row has all values */
  bool *has_target;      /* for predictions: [rows] the first target has a value; heap; NULL: unknown */
  const char *target;    /* its name */
  double *time;          /* [rows] a number, or hours of a date (data/date.h); heap; NULL: equally spaced */
  uint32_t *line;        /* [rows] of the file; heap; NULL: unknown */
  int32_t *group;        /* [rows] index into `name`, by first appearance; heap; NULL: one group */
  int64_t *number; /* [rows] within the group, counting rows that were left out; heap; NULL: none were */
  const char *const *name;
  int groups; /* at least 1 */
} gt_series_rows;

typedef struct gt_stretch { /* rows of one group without a gap, all in one split */
  int part, group;
  int64_t first, rows; /* in the rows of the split */
} gt_stretch;

typedef struct gt_stretches {
  gt_stretch *items;
  size_t count, capacity;
} gt_stretches;

typedef struct gt_series_breaks { /* why stretches end before their group and split do */
  int64_t gaps, left_out;         /* steps that are too wide; rows left out */
  uint32_t gap_line, left_line;   /* the row after the first of them; 0: unknown */
  const char *gap_path;
} gt_series_breaks;

typedef struct gt_series {
  gt_data_series options;
  gt_series_rows file[2]; /* training file, test file */
  gt_stretches stretches;
  gt_series_breaks breaks;
  int64_t joined; /* windows there would be if no stretch ended at a break */
} gt_series;

enum { GT_SERIES_TRAIN, GT_SERIES_TEST };

/* Reads `data.series` into reader->series. False after reporting. */
bool gt_series_read(gt_data_reader *reader);
bool gt_series_sort_by_group(gt_data_reader *reader);
/* gt_data_assign for a series. */
void gt_series_assign(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]);
/* part: the split of each row of the training file. */
void gt_series_make_stretches(gt_data_reader *reader, const uint8_t *part);
/* Turns inputs and targets into windows. False after reporting, also if a split has none. */
bool gt_series_make_windows(gt_data_reader *reader);
void gt_series_close(gt_data_reader *reader);
/* True if this input holds the rows after the window, which are known ahead. */
bool gt_series_is_ahead(const gt_input *input);
#define GT_SERIES_PAST  "past"   /* the input with the window if there is one with the rows ahead */
#define GT_SERIES_AHEAD "future" /* that one */

/* The description of one row of a model's windows: what its inputs and targets are before windows are cut.
 * In the arena. */
const gt_data_wanted *gt_series_row_wanted(const gt_data_wanted *wanted, const gt_data_series *options,
                                           gt_arena *arena);
/* Replaces the rows that were read for a prediction by windows [groups, rows, columns] (series_predict.c),
 * and fills model->forecast. */
bool gt_series_make_last_windows(const gt_data_signature *model, const gt_series_rows *rows, gt_tensor *out,
                                 gt_error *error);
void gt_series_rows_finish(gt_series_rows *rows);
/* An input of a model without its windows: what one row of it is. */
gt_input gt_series_row_input(const gt_input *input);
/* The windows that fit into so many neighboring rows. */
int64_t gt_series_windows_in(const gt_data_series *options, int64_t rows);

/* How the times of a group rise (series_pace.c). */
typedef struct gt_series_pace {
  double step;  /* the most frequent step: a difference of times or, with `day`, calendar months; 0: none */
  int day;      /* of the month on which all times are; 31: the last. 0: steps are not calendar months */
  bool regular; /* nearly all steps are the usual one */
} gt_series_pace;
/* dates: times are hours as in data/date.h, else numbers. They must rise. */
gt_series_pace gt_series_measure_pace(const double *time, int64_t rows, bool dates);
/* The step between two times, in the unit of pace->step. */
double gt_series_step(const gt_series_pace *pace, double from, double to);
/* True for a step wider than 1.5 usual ones. */
bool gt_series_is_gap(const gt_series_pace *pace, double from, double to);
/* The time so many usual steps later. */
double gt_series_advance(const gt_series_pace *pace, double time, int64_t steps);
#endif

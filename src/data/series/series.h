/* Time series (`data.series`): samples are windows of consecutive rows, and their targets are the rows after
 * them. The steps, on the rows that a format has read:
 * - gt_series_read: the options; fails for keys that do not go with them
 * - gt_csv_read_series: times and groups of a CSV; other formats have one group of equally spaced rows
 * - gt_series_sort_by_group: brings the rows of each group together
 * - gt_series_assign: of each group, the oldest rows train and the newest test
 * - gt_series_make_stretches: the stretches of each split: rows of one group without a gap
 * - then columns are fitted and inputs are scaled
 * - gt_series_make_windows: windows inside the stretches (gt_tensor.start)
 *
 * No window crosses the end of a stretch, so training windows contain no row of another split. Owner: the
 * reader; gt_series_close frees it. */
#ifndef GT_DATA_SERIES_H
#define GT_DATA_SERIES_H
#include "data/format.h"

/* For predictions: names of columns in which a row has no value; NULL: none. */
typedef struct gt_series_lack {
  const char *past;  /* a column of the inputs with the window */
  const char *ahead; /* a column of the input with the rows after the window */
} gt_series_lack;

typedef struct gt_series_rows { /* what is known about the rows of a file besides their values */
  const char *path;
  bool dates, months;    /* times are dates; all are months without a day, as 2024-01 */
  unsigned order;        /* of dates: GT_DATE_…; before reading: the one that they must have, 0: any */
  gt_series_lack *lacks; /* [rows]; heap; NULL: every row has all values */
  bool *has_target;      /* for predictions: [rows] the first target has a value; heap; NULL: unknown */
  const char *target;    /* name of the first target */
  double *time;          /* [rows] a number, or hours of a date (data/date.h); heap; NULL: equally spaced */
  uint32_t *line;        /* [rows] line of the file; heap; NULL: unknown */
  int32_t *group;        /* [rows] index into `name`, in order of appearance; heap; NULL: one group */
  int64_t *number; /* [rows] number within the group, counting dropped rows; heap; NULL: none were dropped */
  const char *const *name; /* [groups] */
  int groups;              /* at least 1 */
} gt_series_rows;

typedef struct gt_stretch { /* rows of one group without a gap, all in one split */
  int part, group;
  int64_t first, rows; /* first row, in the rows of the split; number of rows */
} gt_stretch;

typedef struct gt_stretches {
  gt_stretch *items;
  size_t count, capacity;
} gt_stretches;

/* Why stretches end inside a group and split. */
typedef struct gt_series_breaks {
  int64_t gaps, left_out;       /* number of gaps in time, of places with dropped rows */
  uint32_t gap_line, left_line; /* line of the row after the first of each; 0: unknown */
  const char *gap_path;         /* file of gap_line */
} gt_series_breaks;

typedef struct gt_series {
  gt_data_series options;
  gt_series_rows file[2]; /* training file, test file */
  gt_stretches stretches;
  gt_series_breaks breaks;
  int64_t joined; /* number of windows if there were no breaks */
} gt_series;

enum { GT_SERIES_TRAIN, GT_SERIES_TEST };

/* Reads `data.series` into reader->series. False after reporting. */
bool gt_series_read(gt_data_reader *reader);
bool gt_series_sort_by_group(gt_data_reader *reader);
/* gt_data_assign for a series. */
void gt_series_assign(gt_data_reader *reader, uint8_t *part, int64_t count[GT_PARTS]);
/* Divides the rows into stretches. part: the split of each row of the training file. */
void gt_series_make_stretches(gt_data_reader *reader, const uint8_t *part);
/* Makes windows of the inputs and targets. False after reporting, also if a split has no window. */
bool gt_series_make_windows(gt_data_reader *reader);
void gt_series_close(gt_data_reader *reader);

/* A copy of `wanted` whose signature describes single rows: the model's inputs and targets before windows are
 * made. In the arena. */
const gt_data_requirements *gt_series_row_wanted(const gt_data_requirements *wanted,
                                                 const gt_data_series *options, gt_arena *arena);
/* For predictions: replaces the rows in reader->out by the last window of each group, [groups, rows,
 * columns], and fills reader->rows->forecast (series_predict.c). reader->signature: the model's, of windows.
 */
bool gt_series_make_last_windows(const gt_input_reader *reader, const gt_series_rows *rows);
void gt_series_rows_finish(gt_series_rows *rows);
/* The description of one row of the input's windows. */
gt_input gt_series_row_input(const gt_input *input);
/* Number of windows in this many consecutive rows. */
int64_t gt_series_windows_in(const gt_data_series *options, int64_t rows);

/* The usual step between the times of a group (series_pace.c). */
typedef struct gt_series_pace {
  double step; /* the most frequent step, in units of time or, if `day` is set, in calendar months; 0: none */
  int day;     /* the day of the month of all times, 31: the last day; 0: steps are not calendar months */
  bool regular; /* nearly all steps are equal to `step` */
} gt_series_pace;
/* time: must increase. dates: times are hours as in data/date.h, else any numbers. */
gt_series_pace gt_series_measure_pace(const double *time, int64_t rows, bool dates);
/* The step between two times, in the unit of pace->step. */
double gt_series_step(const gt_series_pace *pace, double from, double to);
/* True if the step is wider than 1.5 usual steps. */
bool gt_series_is_gap(const gt_series_pace *pace, double from, double to);
/* The time this many usual steps later. */
double gt_series_advance(const gt_series_pace *pace, double time, int64_t steps);
#endif

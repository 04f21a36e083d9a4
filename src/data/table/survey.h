/* Describes the columns of a CSV file before there is a config (for `gtrain init`). The file is read as in
 * training: delimiter, decimal mark and header are found from its text. */
#ifndef GT_DATA_SURVEY_H
#define GT_DATA_SURVEY_H
#include "base/arena.h"
#include "base/error.h"
#include "spec/spec.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_survey_column {
  const char *name;                 /* in the header, or "1", "2", … */
  uint64_t numbers, texts, missing; /* number of cells; missing: empty, or a word such as NA */
  uint64_t empty;                   /* number of empty cells, which `missing` includes */
  double least, largest;            /* of the numbers */
  bool whole;                       /* all numbers are whole */
  bool counts_rows;                 /* 0, 1, 2, … or 1, 2, 3, … or consecutive numbers from 10,000 on */
  int distinct;                     /* number of different texts */
  const char *kind;                 /* "number", "category", …; NULL: free text, or numbers and texts */
  bool ambiguous_dates;             /* dates in which either number could be the day, and no order decides */
  /* For dates in which either number could be the day: "day_first" or "month_first" if the rows are in order
   * of time only when the dates are read so; else NULL. */
  const char *date_order;
  /* 1: times that do not fall from row to row, except in one row of 100; -1: that do not rise; 0: else. Times
   * are dates, or numbers of a column with a name such as `year`. */
  int time_order;
  bool time_rises;   /* time_order is 1, and the time of each row is later than that of the row before */
  bool too_large;    /* some numbers are too large for a 32-bit float */
  const char *units; /* for texts that are numbers with a unit: "numbers with the unit 'mg'"; else NULL */
} gt_survey_column;

typedef struct gt_survey {
  gt_survey_column *column; /* [columns] */
  int columns;
  uint64_t rows;
  bool known_suffix; /* the file has the name of a CSV file */
} gt_survey;

/* targets: names of columns; a first line with one of them is a header. *out is in the arena. False with
 * *error. */
bool gt_survey_read(const char *path, gt_strings targets, gt_arena *arena, gt_survey *out, gt_error *error);
#endif

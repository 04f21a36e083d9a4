/* Predictions as a table, and its writers: text, CSV, JSON. prediction_columns.c lists the columns; a column
 * says what its cells hold and where each writer shows them, so that a further column is one more row of that
 * list. */
#ifndef GT_CLI_PREDICTION_TABLE_H
#define GT_CLI_PREDICTION_TABLE_H
#include "train/eval/predict.h"
#include <stdio.h>

typedef enum gt_cell_part { /* what a cell holds: */
                            /* a text, or nothing; */
                            GT_CELL_NAME,     /* of the sample: its file, id or group */
                            GT_CELL_TIME,     /* of a forecast's row; nothing if unknown */
                            GT_CELL_TARGET,   /* name of the target */
                            GT_CELL_WORD,     /* name of the predicted class; predicted word of a boolean */
                            GT_CELL_POSITIVE, /* name of the positive one of two classes */
                            GT_CELL_LABEL, /* name of a boolean column that is predicted as true; nothing if
                                              false */
                            /* or a number */
                            GT_CELL_STEP, /* of a forecast's row, from 1 */
                            GT_CELL_CLASS,
                            GT_CELL_PROBABILITY, /* of the predicted class */
                            GT_CELL_VALUE,       /* an output of the model, in units of the data */
} gt_cell_part;

/* One cell per row; a cell for each of its outputs if it holds labels or values. */
typedef struct gt_prediction_column {
  gt_cell_part part;
  int target;              /* -1: describes the row */
  int64_t first, outputs;  /* outputs of the target that the cells are made of, at each step of a forecast */
  const char *const *name; /* [cells] in the header of a CSV; NULL: only values are in a CSV */
  const char *const *key;  /* [cells] in JSON; NULL: not in JSON */
  bool is_list;            /* in JSON the cells are a list, with a single key */
  bool in_text;
} gt_prediction_column;
static inline int64_t gt_prediction_cells(const gt_prediction_column *column) { /* of a row */
  return column->part == GT_CELL_LABEL || column->part == GT_CELL_VALUE ? column->outputs : 1;
}

/* The names of the samples: of their files, the ids of a table's rows, or the groups of a time series. */
typedef struct gt_row_names {
  bool are_files;
  const char *key;         /* of a name in a JSON object */
  const char *column;      /* of the names in a CSV file */
  const char *const *name; /* [samples]; NULL: samples have no names */
} gt_row_names;

/* Borrows the model file, names, times and outputs. */
typedef struct gt_prediction_table {
  const gt_model_file *file;
  const gt_row_names *names;
  const gt_prediction *prediction;
  const char *const *time;     /* [rows] of a forecast, "" if unknown; or NULL */
  int64_t steps;               /* rows of each sample's forecast; 0: no forecast, one row per sample */
  gt_prediction_column *items; /* heap, freed by the owner of the table; names and keys are in an arena */
  size_t count, capacity;
} gt_prediction_table;

/* The table of a model's predictions; of its forecasts, if its outputs are numbers or classes for each step
 * ahead (prediction_columns.c). */
gt_prediction_table gt_prediction_table_make(const gt_model_file *file, const gt_row_names *names,
                                             const gt_forecast_rows *forecast,
                                             const gt_prediction *prediction, gt_arena *arena);

/* A line for each row: "NAME: CLASS PROBABILITY" or "NAME: VALUE …"; of several targets "TARGET …  TARGET …";
 * of a forecast "GROUP TIME +STEP …". */
void gt_prediction_write_text(FILE *to, const gt_prediction_table *table);
/* First the columns that are no values, then the values; names and classes are quoted if needed. A repeated
 * header gets .1, .2, …. If no column has a name, there is no header. */
void gt_prediction_write_csv(FILE *to, const gt_prediction_table *table);
/* An object for each sample: {KEY: NAME, "class": …, "name": …, "positive": …, "outputs": […]}; with several
 * targets {KEY: NAME, TARGET: {…}, …}; of a forecast {"group": …, "forecast": [{"time": …, "step": 1, TARGET:
 * …}, …]}. Numbers that are not finite are null. list: as an array; otherwise as lines. */
void gt_prediction_write_json(FILE *to, const gt_prediction_table *table, bool list);
#endif

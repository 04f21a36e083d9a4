/* `gtrain init`: the config that it writes for a table. init.c: the command; init_table.c: the columns and
 * the `data:` map, for all kinds; init_time.c: rows in order of time; init_csv.c, init_formula.c: one kind
 * each; init_heads.c: several targets with losses of their own. */
#ifndef GT_CLI_INIT_H
#define GT_CLI_INIT_H
#include "cli/command.h"
#include "data/data.h"
#include "data/table/survey.h"

typedef struct gt_scaffold {
  gt_arena *arena;
  const struct gt_scaffold_kind *kind;
  const char *file;   /* path of the table, as the user gave it */
  const char *config; /* path of the config to write */
  gt_survey table;
  const int *target; /* [targets]: indices of the target columns */
  int targets;
  bool target_given;   /* by --target */
  const char **reason; /* [columns]: why the column is left out of the inputs; NULL: it is not */
  gt_dataset dataset;  /* the table, as the config reads it; zeroed: not opened yet */
  /* For a table in order of time: the name of a class that the first rows do not have, so that the config
   * does not split in time; NULL: there is none. */
  const char *late_class;
  const char *series; /* the map `series` that reads the table as a time series; NULL: none does */
  bool tries_series;  /* the `data:` map is written with it, to try whether it does */
} gt_scaffold;

/* The KIND of `gtrain init KIND TABLE`: csv, a dense network; formula, a KAN that is turned into a formula.
 * Both read a table. */
typedef struct gt_scaffold_kind {
  const char *name;
  const char *task;                                  /* of `data:`; NULL: inferred from the target column */
  bool needs_numbers;                                /* inputs must be numbers without missing values */
  void (*write)(const gt_scaffold *init, FILE *out); /* the sections after `data:` */
} gt_scaffold_kind;

extern const gt_scaffold_kind gt_scaffold_csv, gt_scaffold_formula;

/* Sets init->target to the columns of these names; without names, to the last column. */
bool gt_scaffold_choose_targets(gt_scaffold *init, gt_strings names, gt_error *error);
bool gt_scaffold_is_target(const gt_scaffold *init, int column);
/* "'price', 'days'" */
const char *gt_scaffold_target_names(const gt_scaffold *init);
/* True if there are several targets and all are yes or no: the labels of a sample. */
bool gt_scaffold_has_labels(const gt_scaffold *init);
/* True if there are several targets and some have classes: each target then has its own output layer (head)
 * and loss. */
bool gt_scaffold_has_heads(const gt_scaffold *init);
/* For targets with heads: write the lines of the `data:` map, the heads, which read the layer `body`, and the
 * losses. */
void gt_scaffold_write_head_targets(const gt_scaffold *init, FILE *out);
void gt_scaffold_write_heads(const gt_scaffold *init, FILE *out);
void gt_scaffold_write_head_losses(const gt_scaffold *init, FILE *out);
/* The share of the rarest class among the samples of all splits, and its name. Returns 1 if no class is rare:
 * a rare one has less than 10 % of the samples and less than a third of an equal share. */
double gt_scaffold_rarest(const gt_scaffold *init, const char **name);
/* The name of the positive one of two classes, that of metrics such as f1, if the config names it (the rarer
 * one) or one of them is rare. Beside its opposite a word such as yes is positive: if the other one is rare,
 * *rare is its name, else NULL. Returns NULL if no metric is that of a single class. */
const char *gt_scaffold_measured(const gt_scaffold *init, const char **rare);
/* "'price'", with escapes. In the arena. */
const char *gt_scaffold_quoted(const gt_scaffold *init, const char *name);
/* The column by whose times the rows are ordered; NULL: none, or the config is for a formula. */
const gt_survey_column *gt_scaffold_time(const gt_scaffold *init);
/* Sets init->late_class from the opened dataset, which is split in time. */
void gt_scaffold_find_late_class(gt_scaffold *init);
/* Writes the lines on the split of a table in order of time. */
void gt_scaffold_write_time(const gt_scaffold *init, FILE *out);
/* What `init` says about that split. In the arena. */
const char *gt_scaffold_time_text(const gt_scaffold *init);
/* Sets init->series to a map `series` with which the table can be read; NULL if there is none. */
void gt_scaffold_choose_series(gt_scaffold *init);
/* Closes *dataset, and opens it as the `data:` map describes it so far. */
bool gt_scaffold_open_dataset(const gt_scaffold *init, gt_dataset *dataset, gt_diagnostics *diagnostics,
                              gt_error *error);
/* The share of the training samples that the config holds out to choose the best epoch; 0: none. */
double gt_scaffold_validation(const gt_scaffold *init);
/* Opens the dataset with the `data:` map of the config, without the columns that cannot be inputs. False
 * after an error, which is reported; *code is then the exit code. */
bool gt_scaffold_open(gt_scaffold *init, int *code);
/* The whole config, in the arena. */
const char *gt_scaffold_text(const gt_scaffold *init);
/* The number of rows that the config drops because target `index` is missing. */
uint64_t gt_scaffold_dropped_rows(const gt_scaffold *init, int index);
/* The number of training samples, and of inputs. */
int64_t gt_scaffold_samples(const gt_scaffold *init);
int64_t gt_scaffold_inputs(const gt_scaffold *init);
#endif

/* gt_baseline: the result on a split of a predictor that ignores the inputs: it always outputs the most
 * frequent class of the training samples, or the mean of their targets; for a time series it is the better
 * naive forecast, for one of classes or booleans the better of both. A model that is no better has learned
 * nothing. */
#ifndef GT_TRAIN_BASELINE_H
#define GT_TRAIN_BASELINE_H
#include "train/config.h"
#include "train/metrics.h"

enum { GT_MAX_BASELINES = 4 };
typedef struct gt_baseline {
  const char *guess; /* "always 'no'"; in the arena; NULL: there is no baseline, and count is 0 */
  int count;
  gt_metric metric[GT_MAX_BASELINES]; /* named as in results: accuracy; loss, rmse, mae */
  bool forecast;                      /* of a time series: the guess is the better naive forecast */
  bool balances; /* class weights, a balanced sampler or a threshold: the model does not aim at it */
} gt_baseline;

/* The mean of numeric targets of a split, for one output; means are weighted by the samples' weights. */
double gt_target_mean(const gt_split *split, int target, int64_t output);
typedef struct gt_target_errors {
  double squared, absolute; /* means of (t - guess)² and |t - guess| */
  double wrong;             /* share of targets on the other side of 1/2 */
} gt_target_errors;
gt_target_errors gt_target_errors_of(const gt_split *split, int target, int64_t output, double guess);

/* The better of the naive forecasts of a time series for an output's column. NaN if there is none. */
typedef struct gt_naive_error {
  double of_step, of_steps; /* mean absolute error: at the output's step, over all steps of its column */
} gt_naive_error;
gt_naive_error gt_naive_error_of(const gt_split *split, int64_t horizon, int64_t output);
/* "mae 3.6 with the last value, 4.1 with the value 7 rows before (validation)": the naive errors to compare a
 * forecast with, of each column; of classes and booleans the accuracy. NULL: the data is not a series. In the
 * arena. */
const char *gt_naive_text(const gt_config *config, gt_arena *arena);

/* count is 0 for losses whose targets only measure an error, for automata, and for many outputs. */
gt_baseline gt_baseline_of(const gt_config *config, const gt_split *split, int target, gt_arena *arena);
/* The baselines of all targets. */
typedef struct gt_baselines {
  int count;
  gt_baseline item[GT_DATA_MAX_TARGETS];
} gt_baselines;
gt_baselines gt_baselines_of(const gt_config *config, const gt_split *split, gt_arena *arena);
/* The most informative metric that the results also have; NULL: none. */
const gt_metric *gt_baseline_main(const gt_baseline *baseline, const gt_results *results);
/* True if the results have that metric, it is not better than the baseline, and the model aims at it. */
bool gt_is_guessing(const gt_baseline *baseline, const gt_results *results);
/* The input column with the value farthest from 0 that is not scaled; farthest 0: there is none. */
typedef struct gt_unscaled_column {
  const gt_input *input;
  int64_t column;
  double farthest;
} gt_unscaled_column;
gt_unscaled_column gt_farthest_column(const gt_dataset *data);
/* "input column 'fare' reaches 512 and is not scaled" */
const char *gt_unscaled_column_text(const gt_unscaled_column *column, gt_arena *arena);
/* The likeliest reason, and what to do: a target or an input with values far from 0 that is not scaled; NULL:
 * unknown. */
const char *gt_guessing_reason(const gt_config *config, gt_arena *arena);
#endif

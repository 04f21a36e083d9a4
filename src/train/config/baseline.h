/* gt_baseline: the metrics on a split of a predictor that ignores the inputs. It always outputs the most
 * frequent class of the training samples, or the mean of their targets. For a time series it is the better
 * naive forecast; for a series of classes or booleans, the better of the two predictors. A model that is no
 * better has learned nothing. */
#ifndef GT_TRAIN_BASELINE_H
#define GT_TRAIN_BASELINE_H
#include "train/config/config.h"
#include "train/config/results.h"

enum { GT_BASELINE_MAX_METRICS = 4 };
typedef struct gt_baseline {
  const char *guess; /* "always 'no'"; in the arena; NULL: there is no baseline, and count is 0 */
  int count;
  gt_result_item metric[GT_BASELINE_MAX_METRICS]; /* accuracy; loss, rmse, mae */
  bool forecast; /* the guess is the better naive forecast of a time series */
  bool balances; /* class weights or a balanced sampler: training does not aim at this metric */
  /* With eval.threshold: the metrics that a threshold is chosen for, its own first, and what the better of
   * the two constant answers reaches. A threshold gives up accuracy to gain these. */
  const char *guess_at_threshold; /* "always 'yes'"; in the arena */
  int at_thresholds;
  gt_result_item at_threshold[GT_BASELINE_MAX_METRICS];
} gt_baseline;

/* The mean of the numeric targets of a split, for one output. This and the means below are weighted by the
 * samples' weights. */
double gt_target_mean(const gt_split *split, int target, int64_t output);
/* Sets gt_data_target.training from the training split, in the arena. No effect for texts and automata, and
 * for numbers with more than GT_METRIC_MAX_OUTPUTS outputs. */
void gt_measure_training(gt_dataset *data, int target, gt_arena *arena);
typedef struct gt_target_errors {
  double squared, absolute; /* means of (t - guess)² and |t - guess| */
  double wrong;             /* fraction of the targets on the other side of 1/2 */
} gt_target_errors;
gt_target_errors gt_target_errors_of(const gt_split *split, int target, int64_t output, double guess);

/* Mean absolute error of a naive forecast of a time series: at an output's step, over all steps of its
 * column. */
typedef struct gt_naive_error {
  double at_step, all_steps;
} gt_naive_error;
/* For the naive forecast that is better for the output's column. NaN if the data is not a series. */
gt_naive_error gt_naive_error_of(const gt_split *split, int64_t horizon, int64_t output);
/* The errors of naive forecasts for each column, as in "mae 3.6 with the last value, 4.1 with the value 7
 * rows before (validation)"; for classes and booleans, the accuracy. NULL: the data is not a series. In the
 * arena. */
const char *gt_naive_text(const gt_config *config, gt_arena *arena);

/* The baseline of a target. Its count is 0 if targets only measure the error of another loss, for automata,
 * and for many outputs. */
gt_baseline gt_baseline_of(const gt_config *config, const gt_split *split, int target, gt_arena *arena);
/* The baselines of all targets. */
typedef struct gt_baselines {
  int count;
  gt_baseline item[GT_DATA_MAX_TARGETS];
} gt_baselines;
gt_baselines gt_baselines_of(const gt_config *config, const gt_split *split, gt_arena *arena);
/* The most informative metric that the results also have; NULL: none. */
const gt_result_item *gt_baseline_main(const gt_baseline *baseline, const gt_results *results);
/* The first metric of at_threshold that the results also have; NULL: none. */
const gt_result_item *gt_baseline_at_threshold(const gt_baseline *baseline, const gt_results *results);
/* True if training aims at the baseline's metrics: it does not balance the classes, or a threshold is chosen
 * for a metric of at_threshold that the results have. */
bool gt_baseline_is_aim(const gt_baseline *baseline, const gt_results *results);
/* True if the results have the metric of gt_baseline_main, training aims at it, and neither it nor, with a
 * threshold, any metric of at_threshold is better than the baseline. */
bool gt_is_guessing(const gt_baseline *baseline, const gt_results *results);
/* The unscaled input column with the value of the largest magnitude; magnitude 0: all columns are scaled. */
typedef struct gt_unscaled_column {
  const gt_input *input;
  int64_t column;
  double magnitude;
} gt_unscaled_column;
gt_unscaled_column gt_largest_unscaled_column(const gt_dataset *data);
/* "input column 'fare' reaches 512 and is not scaled" */
const char *gt_unscaled_column_text(const gt_unscaled_column *column, gt_arena *arena);
/* The likeliest reason, and what to do: that of a finding (gt_diagnostic.reason), or an input with values far
 * from 0 that is not scaled; NULL: unknown. */
const char *gt_guessing_reason(const gt_config *config, gt_arena *arena);
#endif

/* Skill of a forecast: 1 - MAE / (MAE of the better naive forecast: the last value or the value one season
 * before), as in Murphy, "Skill scores based on the mean square error", 1988, but with absolute errors. It is
 * 1 - MASE with the naive errors of the evaluated split. 0: no better than the naive forecast; 1: exact. */
#include "metric/metric.h"
#include <math.h>

/* If both errors are 0, no forecast can be better than the naive one: the skill is 0. */
static double skill_of(double error, double naive) {
  if (naive > 0 || isnan(error) || isnan(naive)) return 1 - error / naive;
  return error > 0 ? -INFINITY : 0;
}

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return skill_of(sum[0] / targets->weight, targets->naive);
}

GT_DEFINE(metric, skill) = {
    .name = "skill",
    .help = "of a forecast: 1 - MAE / MAE of the better naive forecast (last value, or a season before)",
    .tasks = GT_METRIC_NUMBERS,
    .larger = true,
    .needs_series = true,
    .sums = 1,
    .emit = gt_emit_absolute_error,
    .of_sums = of_sums};

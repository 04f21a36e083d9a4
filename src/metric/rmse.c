/* Root mean squared error, as sklearn.metrics.root_mean_squared_error. */
#include "metric/metric.h"
#include <math.h>

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return sqrt(sum[0] / targets->weight);
}

GT_DEFINE(metric, rmse) = {.name = "rmse",
                           .help = "root mean squared error",
                           .tasks = GT_METRIC_NUMBERS,
                           .sums = 1,
                           .emit = gt_emit_squared_error,
                           .of_sums = of_sums};

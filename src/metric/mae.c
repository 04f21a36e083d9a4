/* Mean absolute error, as sklearn.metrics.mean_absolute_error. */
#include "metric/metric.h"

GT_DEFINE(metric, mae) = {.name = "mae",
                          .help = "mean absolute error",
                          .tasks = GT_METRIC_NUMBERS,
                          .sums = 1,
                          .emit = gt_emit_absolute_error};

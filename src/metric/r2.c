/* Coefficient of determination, as sklearn.metrics.r2_score: 1 - Σ (x - t)² / Σ (t - mean)². If the targets
 * do not vary, it is 1 for exact predictions and 0 otherwise. */
#include "metric/metric.h"

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return targets->variance > 0 ? 1 - sum[0] / (targets->weight * targets->variance) : sum[0] > 0 ? 0 : 1;
}

GT_DEFINE(metric, r2) = {.name = "r2",
                         .help = "coefficient of determination, at most 1",
                         .tasks = GT_METRIC_NUMBERS,
                         .larger = true,
                         .needs_variance = true,
                         .sums = 1,
                         .emit = gt_emit_squared_error,
                         .of_sums = of_sums};

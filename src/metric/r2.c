/* Coefficient of determination, as sklearn.metrics.r2_score: 1 - Σ (x - t)² / Σ (t - mean)². If the targets
 * do not vary, it is 1 for exact predictions and 0 otherwise. */
#include "metric/metric.h"
#include "op/elementwise.h"

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  const gt_id error = gt_sub(graph, items->prediction, items->targets);
  term[0] = gt_mul(graph, error, error);
}

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return targets->variance > 0 ? 1 - sum[0] / (targets->weight * targets->variance) : sum[0] > 0 ? 0 : 1;
}

GT_DEFINE(metric, r2) = {.name = "r2",
                         .help = "coefficient of determination, at most 1",
                         .tasks = GT_METRIC_NUMBERS,
                         .larger = true,
                         .needs_variance = true,
                         .sums = 1,
                         .emit = emit,
                         .of_sums = of_sums};

/* Mean absolute error, as sklearn.metrics.mean_absolute_error. */
#include "metric/metric.h"
#include "op/elementwise.h"

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  const gt_id error = gt_sub(graph, items->prediction, items->targets);
  term[0] = gt_abs(graph, error);
}

GT_DEFINE(metric, mae) = {
    .name = "mae", .help = "mean absolute error", .tasks = GT_METRIC_NUMBERS, .sums = 1, .emit = emit};

/* Root mean squared error, as sklearn.metrics.root_mean_squared_error. */
#include "metric/metric.h"
#include "op/elementwise.h"
#include <math.h>

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  const gt_id error = gt_sub(graph, items->prediction, items->targets);
  term[0] = gt_mul(graph, error, error);
}

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return sqrt(sum[0] / targets->weight);
}

GT_DEFINE(metric, rmse) = {.name = "rmse",
                           .help = "root mean squared error",
                           .tasks = GT_METRIC_NUMBERS,
                           .sums = 1,
                           .emit = emit,
                           .of_sums = of_sums};

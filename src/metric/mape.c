/* Mean absolute percentage error as a fraction, as sklearn.metrics.mean_absolute_percentage_error: the mean
 * of |x - t| / max(|t|, ε) with the machine epsilon of float64. A target of 0 makes it huge. */
#include "metric/metric.h"
#include "op/elementwise.h"
#include <float.h>

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  const gt_id magnitude = gt_max(graph, gt_abs(graph, items->targets), gt_constant(graph, DBL_EPSILON));
  term[0] = gt_div(graph, gt_abs(graph, gt_sub(graph, items->prediction, items->targets)), magnitude);
}

GT_DEFINE(metric, mape) = {.name = "mape",
                           .help = "mean absolute percentage error, as a fraction",
                           .tasks = GT_METRIC_NUMBERS,
                           .sums = 1,
                           .emit = emit};

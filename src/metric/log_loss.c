/* Cross-entropy of the predicted probabilities, as sklearn.metrics.log_loss: without the label smoothing and
 * class weights that the loss may have. */
#include "metric/metric.h"
#include "op/cross_entropy.h"
#include "op/elementwise.h"

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  if (task == GT_METRIC_CLASSES)
    term[0] = gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL);
  else
    term[0] = gt_sub(graph, gt_softplus(graph, items->prediction),
                     gt_mul(graph, items->targets, items->prediction));
}

GT_DEFINE(metric, log_loss) = {.name = "log_loss",
                               .help = "cross-entropy without label smoothing or class weights",
                               .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                               .sums = 1,
                               .emit = emit};

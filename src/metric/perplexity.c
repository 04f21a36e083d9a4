/* Perplexity: e to the power of the mean cross-entropy, without the label smoothing and class weights that
 * the loss may have. A model that chooses among n equally likely tokens has perplexity n. */
#include "metric/metric.h"
#include "op/cross_entropy.h"
#include <math.h>

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  term[0] = gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL);
}

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return exp(sum[0] / targets->weight);
}

GT_DEFINE(metric, perplexity) = {.name = "perplexity",
                                 .help = "e to the power of the cross-entropy, of classes or tokens",
                                 .tasks = GT_METRIC_CLASSES,
                                 .sums = 1,
                                 .emit = emit,
                                 .of_sums = of_sums};

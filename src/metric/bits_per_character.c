/* Bits per character: the mean cross-entropy of the next character or byte, to base 2, without label
 * smoothing and class weights. It is the length per character to which an arithmetic coder with this model
 * compresses the text. */
#include "metric/metric.h"
#include "op/cross_entropy.h"
#include <math.h>

static void emit(gt_graph *graph, const gt_loss_items *items, gt_metric_task task, gt_id *term) {
  (void)task;
  term[0] = gt_cross_entropy(graph, items->prediction, items->targets, 0, NULL);
}

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return sum[0] / targets->weight / M_LN2;
}

GT_DEFINE(metric, bits_per_character) = {
    .name = "bits_per_character",
    .help = "cross-entropy to the base 2 of the next character or byte of a text",
    .tasks = GT_METRIC_CLASSES,
    .needs_text = true,
    .sums = 1,
    .emit = emit,
    .of_sums = of_sums};

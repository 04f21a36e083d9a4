/* Perplexity: e to the power of the mean cross-entropy, without the label smoothing and class weights that
 * the loss may have. A model that chooses among n equally likely tokens has perplexity n. */
#include "metric/metric.h"
#include <math.h>

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return exp(sum[0] / targets->weight);
}

GT_DEFINE(metric, perplexity) = {.name = "perplexity",
                                 .help = "e to the power of the cross-entropy, of classes or tokens",
                                 .tasks = GT_METRIC_CLASSES,
                                 .sums = 1,
                                 .emit = gt_emit_cross_entropy,
                                 .of_sums = of_sums};

/* Bits per character: the mean cross-entropy of the next character or byte, to base 2, without label
 * smoothing and class weights. It is the length per character to which an arithmetic coder with this model
 * compresses the text. */
#include "metric/metric.h"
#include <math.h>

static double of_sums(const double *sum, const gt_metric_targets *targets) {
  return sum[0] / targets->weight / M_LN2;
}

GT_DEFINE(metric, bits_per_character) = {
    .name = "bits_per_character",
    .help = "cross-entropy to the base 2 of the next character or byte of a text",
    .tasks = GT_METRIC_CLASSES,
    .needs_text = true,
    .sums = 1,
    .emit = gt_emit_cross_entropy,
    .of_sums = of_sums};

/* Cross-entropy of the predicted probabilities, as sklearn.metrics.log_loss: without the label smoothing and
 * class weights that the loss may have. */
#include "metric/metric.h"

GT_DEFINE(metric, log_loss) = {.name = "log_loss",
                               .help = "cross-entropy without label smoothing or class weights",
                               .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                               .sums = 1,
                               .emit = gt_emit_cross_entropy};

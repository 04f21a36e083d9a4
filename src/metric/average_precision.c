/* Average precision, as sklearn.metrics.average_precision_score: Σ (R_k - R_{k-1}) P_k over the thresholds,
 * with precision P_k and recall R_k of the items with scores at or above threshold k; equal scores are one
 * threshold. */
#include "metric/ranking.h"

static double average(const gt_ranked *item, int64_t items, int64_t positives) {
  double sum = 0, found = 0; /* found: positive items so far */
  for (int64_t i = 0, next; i < items; i = next) {
    double at_threshold = 0; /* positive items with this score */
    for (next = i; next < items && item[next].score >= item[i].score; next++)
      at_threshold += item[next].positive;
    found += at_threshold;
    sum += at_threshold / (double)positives * found / (double)next;
  }
  return sum;
}

static double of_scores(const gt_metric_scores *scores) { return gt_ranking(scores, average); }

GT_DEFINE(metric, average_precision) = {.name = "average_precision",
                                        .help = "area under the precision-recall curve",
                                        .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                                        .larger = true,
                                        .of_positive = true,
                                        .of_scores = of_scores};

/* Average precision, as sklearn.metrics.average_precision_score: Σ (R_k - R_{k-1}) P_k over the thresholds,
 * with precision P and recall R of the items at or above each; equal scores are one threshold. */
#include "metric/ranking.h"

static double average(const gt_ranked *item, int64_t items, int64_t positives) {
  double sum = 0, found = 0;
  for (int64_t i = 0, next; i < items; i = next) {
    double more = 0;
    for (next = i; next < items && item[next].score >= item[i].score; next++) more += item[next].positive;
    found += more;
    sum += more / (double)positives * found / (double)next;
  }
  return sum;
}

static double of_scores(const gt_metric_scores *scores) { return gt_ranking(scores, average); }

GT_DEFINE(metric, average_precision) = {.name = "average_precision",
                                        .help = "area under the precision-recall curve",
                                        .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                                        .larger = true,
                                        .of_scores = of_scores};

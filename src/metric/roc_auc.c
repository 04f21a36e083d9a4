/* Area under the receiver operating characteristic, as sklearn.metrics.roc_auc_score (for more than two
 * classes with multi_class='ovr'): the probability that a positive item has a larger score than a negative
 * one; an equal score counts half (Mann and Whitney 1947). */
#include "metric/ranking.h"

static double area(const gt_ranked *item, int64_t items, int64_t positives) {
  double pairs = 0, above = 0; /* pairs in the right order; positive items with larger scores */
  for (int64_t i = 0, next; i < items; i = next) {
    double equal[2] = {0, 0}; /* negative and positive items with this score */
    for (next = i; next < items && item[next].score >= item[i].score; next++) equal[item[next].positive]++;
    pairs += equal[0] * (above + equal[1] / 2);
    above += equal[1];
  }
  return pairs / ((double)positives * (double)(items - positives));
}

static double of_scores(const gt_metric_scores *scores) { return gt_ranking(scores, area); }

GT_DEFINE(metric, roc_auc) = {.name = "roc_auc",
                              .help = "area under the ROC curve; of many classes the mean",
                              .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                              .larger = true,
                              .of_scores = of_scores};

/* Metrics that tell how well scores rank the items of a class above the others. Only for metric/. */
#ifndef GT_METRIC_RANKING_H
#define GT_METRIC_RANKING_H
#include "metric/metric.h"

typedef struct gt_ranked {
  double score;
  bool positive;
} gt_ranked;
/* A metric of a ranking. Items are in descending order of their scores; at least one is positive and at least
 * one is negative. */
typedef double (*gt_of_ranking)(const gt_ranked *item, int64_t items, int64_t positives);

/* The metric of the positive one of two classes; for bits, of 1. For more classes, the mean over
 * all classes: each is the positive one in turn, and items are ranked by its probability. NAN if a class has
 * no items or all of them, or if a score is not finite. */
double gt_ranking(const gt_metric_scores *scores, gt_of_ranking value);
#endif

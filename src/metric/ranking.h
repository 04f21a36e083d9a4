/* Metrics of how well scores rank the items of a class above the others. Within metric/ only. */
#ifndef GT_METRIC_RANKING_H
#define GT_METRIC_RANKING_H
#include "metric/metric.h"

typedef struct gt_ranked {
  double score;
  bool positive;
} gt_ranked;
/* The value of items in descending order of their scores, of which some are positive and some are not. */
typedef double (*gt_of_ranking)(const gt_ranked *item, int64_t items, int64_t positives);

/* Of two classes and of bits, that of class 1; of more classes the mean over them, each against the rest,
 * with scores that are probabilities. NAN if a class has no items, or all. */
double gt_ranking(const gt_metric_scores *scores, gt_of_ranking value);
#endif

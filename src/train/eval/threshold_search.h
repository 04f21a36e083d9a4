/* The choice of `eval: {threshold: auto}` (train/config/threshold.h) when a run ends. */
#ifndef GT_TRAIN_THRESHOLD_SEARCH_H
#define GT_TRAIN_THRESHOLD_SEARCH_H
#include "train/eval/evaluator.h"

/* A prediction for an item with a label. */
typedef struct gt_scored {
  double probability, weight; /* of the positive class */
  bool label;                 /* it is the positive class */
} gt_scored;
typedef struct gt_chosen_threshold {
  double value, best, half; /* the threshold; the metric with it, and with 1/2 */
} gt_chosen_threshold;
/* Sorts the items and chooses the threshold: a number with few digits between two neighboring probabilities;
 * of equally good ones, the nearest to 1/2. False if a probability is not finite. */
bool gt_threshold_search(gt_scored *item, int64_t items, const gt_metric_type *metric,
                         gt_chosen_threshold *out);
/* Chooses config->threshold with the weights on the device; logs it. averaged: as in gt_evaluator_open. */
bool gt_threshold_choose(gt_session *session, unsigned averaged, gt_error *error);
/* Makes evaluations of the session use config->threshold. */
bool gt_threshold_apply(gt_session *session, gt_error *error);
#endif

/* F1 score, as sklearn.metrics.f1_score: the harmonic mean of precision and recall. */
#include "metric/counts.h"

static double f1(gt_class_count c) { return gt_count_share(2 * c.correct, c.labels + c.predicted); }

GT_REGISTER(metric, f1)
GT_COUNT_ROW(f1, "F1 score of class 1 if there are two classes, else the mean over the classes", f1, binary);
GT_REGISTER(metric, f1_macro)
GT_COUNT_ROW(f1_macro, "F1 score, mean over the classes", f1, macro);
GT_REGISTER(metric, f1_micro)
GT_COUNT_ROW(f1_micro, "F1 score of the counts summed over all classes", f1, micro);
GT_REGISTER(metric, f1_weighted)
GT_COUNT_ROW(f1_weighted, "F1 score, mean over the classes weighted by their labels", f1, weighted);

/* F1 score, as sklearn.metrics.f1_score: the harmonic mean of precision and recall. */
#include "metric/counts.h"

GT_REGISTER(metric, f1)
GT_COUNT_ROW(f1, "F1 score of the positive class if there are two, else the mean over the classes",
             gt_count_f1, binary);
GT_REGISTER(metric, f1_macro)
GT_COUNT_ROW(f1_macro, "F1 score, mean over the classes", gt_count_f1, macro);
GT_REGISTER(metric, f1_micro)
GT_COUNT_ROW(f1_micro, "F1 score of the counts summed over all classes", gt_count_f1, micro);
GT_REGISTER(metric, f1_weighted)
GT_COUNT_ROW(f1_weighted, "F1 score, mean over the classes weighted by their labels", gt_count_f1, weighted);

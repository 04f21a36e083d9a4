/* Precision, as sklearn.metrics.precision_score: the fraction of the items predicted as a class that have
 * its label. */
#include "metric/counts.h"

GT_REGISTER(metric, precision)
GT_COUNT_ROW(precision, "precision of the positive class if there are two, else the mean over the classes",
             gt_count_precision, binary);
GT_REGISTER(metric, precision_macro)
GT_COUNT_ROW(precision_macro, "precision, mean over the classes", gt_count_precision, macro);
GT_REGISTER(metric, precision_micro)
GT_COUNT_ROW(precision_micro, "precision of the counts summed over all classes", gt_count_precision, micro);
GT_REGISTER(metric, precision_weighted)
GT_COUNT_ROW(precision_weighted, "precision, mean over the classes weighted by their labels",
             gt_count_precision, weighted);

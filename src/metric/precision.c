/* Precision, as sklearn.metrics.precision_score: the fraction of the items predicted as a class that have
 * its label. */
#include "metric/counts.h"

static double precision(gt_class_count c) { return gt_count_share(c.correct, c.predicted); }

GT_REGISTER(metric, precision)
GT_COUNT_ROW(precision, "precision of class 1 if there are two classes, else the mean over the classes",
             precision, binary);
GT_REGISTER(metric, precision_macro)
GT_COUNT_ROW(precision_macro, "precision, mean over the classes", precision, macro);
GT_REGISTER(metric, precision_micro)
GT_COUNT_ROW(precision_micro, "precision of the counts summed over all classes", precision, micro);
GT_REGISTER(metric, precision_weighted)
GT_COUNT_ROW(precision_weighted, "precision, mean over the classes weighted by their labels", precision,
             weighted);

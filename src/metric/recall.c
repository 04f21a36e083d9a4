/* Recall, as sklearn.metrics.recall_score: the fraction of a class's items that are predicted as it. */
#include "metric/counts.h"

GT_REGISTER(metric, recall)
GT_COUNT_ROW(recall, "recall of the positive class if there are two, else the mean over the classes",
             gt_count_recall, binary);
GT_REGISTER(metric, recall_macro)
GT_COUNT_ROW(recall_macro, "recall, mean over the classes", gt_count_recall, macro);
GT_REGISTER(metric, recall_micro)
GT_COUNT_ROW(recall_micro, "recall of the counts summed over all classes", gt_count_recall, micro);
GT_REGISTER(metric, recall_weighted)
GT_COUNT_ROW(recall_weighted, "recall, mean over the classes weighted by their labels", gt_count_recall,
             weighted);

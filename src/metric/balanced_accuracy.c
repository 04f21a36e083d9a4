/* Balanced accuracy, as sklearn.metrics.balanced_accuracy_score: the mean recall of the classes that have
 * labels. Guessing reaches 1 / classes, whatever the frequencies of the classes. */
#include "metric/counts.h"

GT_REGISTER(metric, balanced_accuracy)
GT_COUNT_ROW(balanced_accuracy, "mean recall of the classes", gt_count_recall, labeled);

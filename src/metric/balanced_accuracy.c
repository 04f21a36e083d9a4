/* Balanced accuracy, as sklearn.metrics.balanced_accuracy_score: the mean recall of the classes that have
 * labels. Guessing reaches 1 / classes, whatever the frequencies of the classes. */
#include "metric/counts.h"

static double of_counts(const gt_metric_counts *counts) {
  double sum = 0, classes = 0;
  for (int64_t c = 0; c < counts->classes; c++) {
    const gt_class_count count = gt_count_class(counts, c);
    if (count.labels <= 0) continue;
    sum += count.correct / count.labels;
    classes++;
  }
  return gt_count_share(sum, classes);
}

GT_DEFINE(metric, balanced_accuracy) = {.name = "balanced_accuracy",
                                        .help = "mean recall of the classes",
                                        .tasks = GT_METRIC_CLASSES | GT_METRIC_BITS,
                                        .larger = true,
                                        .of_counts = of_counts};

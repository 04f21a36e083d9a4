/* gt_confusion_matrix: how often an evaluation predicted each class for each label, and metrics per class.
 * The device counts (op/confusion.h) if the loss has class labels and there are at most GT_CONFUSION_MAX
 * classes. Owner: the arena. */
#ifndef GT_TRAIN_CONFUSION_H
#define GT_TRAIN_CONFUSION_H
#include "base/arena.h"
#include "metric/metric.h"
#include <stdint.h>

enum { GT_CONFUSION_MAX = GT_METRIC_MAX_CLASSES };

typedef struct gt_confusion_matrix {
  int64_t classes;
  int32_t *count;           /* [label][predicted class] */
  const char *const *names; /* NULL: classes are called by their numbers */
} gt_confusion_matrix;

/* Metrics of one class. NAN if the denominator is 0, because there is no prediction, or no label, of this
 * class. As in scikit-learn, f1 is 0 if no prediction of the class is correct. */
typedef struct gt_class_metrics {
  int64_t samples, predicted, correct;
  double precision, recall, f1;
} gt_class_metrics;

/* The number of items with this label and prediction. */
int64_t gt_confusion_at(const gt_confusion_matrix *matrix, int64_t label, int64_t predicted);
gt_class_metrics gt_confusion_class(const gt_confusion_matrix *matrix, int64_t class);
/* Means over the classes that have samples, with NAN counted as 0; counts are sums. */
gt_class_metrics gt_confusion_mean(const gt_confusion_matrix *matrix);
/* The class's name, or its number. */
const char *gt_confusion_name(const gt_confusion_matrix *matrix, int64_t class, char number[24]);
#endif

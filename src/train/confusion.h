/* gt_confusion_matrix: how often an evaluation took which class for which, and what that says of each class.
 * Counted on the device (op/confusion.h), where the loss has class labels and there are not too many classes.
 * Owner: the arena. */
#ifndef GT_TRAIN_CONFUSION_H
#define GT_TRAIN_CONFUSION_H
#include "base/arena.h"
#include <stdint.h>

enum { GT_CONFUSION_MOST = 1024 }; /* classes */

typedef struct gt_confusion_matrix {
  int64_t classes;
  int32_t *count;           /* [label][answer] */
  const char *const *names; /* NULL: classes are called by their numbers */
} gt_confusion_matrix;

/* Of one class; NAN where there is nothing to divide by: no answer was this class, or no label. As in
 * scikit-learn, f1 is 0 where both happen to the wrong samples. */
typedef struct gt_class_metrics {
  int64_t samples, answers, correct;
  double precision, recall, f1;
} gt_class_metrics;

int64_t gt_confusion_at(const gt_confusion_matrix *matrix, int64_t label, int64_t answer);
gt_class_metrics gt_confusion_class(const gt_confusion_matrix *matrix, int64_t class);
/* Their means over the classes that have samples; what is NAN counts as 0. Counts are sums. */
gt_class_metrics gt_confusion_mean(const gt_confusion_matrix *matrix);
/* The class's name, or its number. */
const char *gt_confusion_name(const gt_confusion_matrix *matrix, int64_t class, char number[24]);
#endif

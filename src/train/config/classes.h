/* The classes of a config's data and the number of samples of each class in each split. */
#ifndef GT_TRAIN_CLASSES_H
#define GT_TRAIN_CLASSES_H
#include "train/config/config.h"

typedef struct gt_class_counts {
  int classes; /* 0: the targets are not classes, or were not read */
  const int64_t
      *split[3]; /* samples of each class, [classes], in train, validation and test; NULL: no split */
  const char *const *names; /* of the classes; NULL: they are numbers */
  const char *target;       /* name of the target; NULL: the only one */
} gt_class_counts;

/* Counts the labels of each class. The result is in the arena. */
gt_class_counts gt_class_counts_of(const gt_dataset *data, int target, gt_arena *arena);
/* "a 8, b 8", for the training samples; only the first classes if there are many. */
const char *gt_class_counts_text(const gt_class_counts *counts, gt_arena *arena);
const char *gt_class_name(const gt_class_counts *counts, int index, gt_arena *arena);
/* Help for the error that a model's outputs do not fit the targets: the names of the classes, how to read
 * whole numbers as classes, or how to number classes without gaps; NULL: no help. In the arena. */
const char *gt_class_advice(const gt_dataset *data, int target, gt_arena *arena);
/* Adds findings (spec/diagnostics.h) for targets with the same value in all samples, and for classes without
 * samples or in only some of the splits. */
void gt_config_review_classes(gt_config *config, gt_arena *arena);
/* Replaces `class_weights: balanced` in the config's loss by numbers, n / (classes · count of the class) for
 * n training samples, as scikit-learn does; classes without samples get 1. Logs the weights. */
void gt_config_balance_classes(gt_config *config, gt_arena *arena);
#endif

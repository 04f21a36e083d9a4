/* Advice and findings on the classes of a config's data, and balanced class weights. */
#ifndef GT_TRAIN_CLASSES_H
#define GT_TRAIN_CLASSES_H
#include "train/config/class_table.h"
#include "train/config/config.h"

/* Help for the error that a model's outputs do not fit the targets: the names of the classes, how to read
 * whole numbers as classes, or how to number classes without gaps; NULL: no help. In the arena. */
const char *gt_class_advice(const gt_dataset *data, int target, gt_arena *arena);
/* Adds findings (spec/diagnostics.h) for targets with the same value in all samples, for classes without
 * samples or in only some of the splits, and for a positive class that nothing names. */
void gt_config_review_classes(gt_config *config, gt_arena *arena);
/* Adds the key `positive` to the `data:` map, for targets whose positive class follows from nothing in the
 * data, so that later versions and other exports of the same table keep it. */
void gt_config_write_positive(gt_config *config, gt_arena *arena);
/* Replaces `class_weights: balanced` in the config's loss by numbers, n / (classes · count of the class) for
 * n training samples, as scikit-learn does; classes without samples get 1. Logs the weights. */
void gt_config_balance_classes(gt_config *config, gt_arena *arena);
#endif

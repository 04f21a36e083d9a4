/* Dice coefficient, 2 |A ∩ B| / (|A| + |B|), of the predicted and the labeled items (pixels) of each class
 * (Dice 1945): the mean over the classes that occur. For one class it equals the F1 score. */
#include "metric/counts.h"

static double dice(gt_class_count c) { return gt_count_share(2 * c.correct, c.labels + c.predicted); }

GT_REGISTER(metric, dice)
GT_COUNT_ROW(dice, "Dice coefficient, mean over the classes", dice, macro);

/* Dice coefficient, 2 |A ∩ B| / (|A| + |B|), of the predicted and the labeled items (pixels) of each class
 * (Dice 1945): the mean over the classes that occur. For one class it equals the F1 score. */
#include "metric/counts.h"

GT_REGISTER(metric, dice)
GT_COUNT_ROW(dice, "Dice coefficient, mean over the classes", gt_count_f1, macro);

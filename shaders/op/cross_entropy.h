/* Own spec constant 3, mode: 0 y[row] = loss; 1 y[row, column] = d loss / d logit * row_gradient[row];
 * 2 y[row] = 1 if the first largest logit is the label. */
#include "lib/args.h"
GT_ARGS(gt_cross_entropy_args) {
  GT_FLOATS logits;
  GT_WORDS labels;
  GT_FLOATS row_gradient, y;
  uint rows, columns;
  float smoothing;
};

/* Softmax cross-entropy of each row of logits [rows, columns] with its label, and its gradient
 * (src/op/cross_entropy.h). */
#include "lib/args.h"
#include "lib/labels.h"
#define GT_CROSS_ENTROPY_SPEC_MODE     3 /* the next id is GT_SPEC_PER_LANE */
#define GT_CROSS_ENTROPY_SPEC_WEIGHTED 5 /* 1: classes have weights */
/* Modes. */
#define GT_CROSS_ENTROPY_LOSS     0 /* y[row] = loss */
#define GT_CROSS_ENTROPY_GRADIENT 1 /* y[row, column] = d loss / d logit * row_gradient[row] */
#define GT_CROSS_ENTROPY_CORRECT  2 /* y[row] = 1 if the label is the first of the largest logits */
#define GT_CROSS_ENTROPY_WEIGHT   3 /* y[row] = the weight of the label */
GT_ARGS(gt_cross_entropy_args) {
  GT_FLOATS logits;
  GT_WORDS labels;
  GT_FLOATS row_gradient, y, weights;
  uint rows, columns;
  float smoothing, total; /* smoothing: of the labels; total: sum of the class weights */
};

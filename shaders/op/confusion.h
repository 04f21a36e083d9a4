/* Confusion matrix (src/op/confusion.h): counts[label, prediction] is incremented for every row whose weight
 * is above 0. An invocation, or a tile on the CPU, processes whole rows; counts are integers, so the order of
 * additions does not matter. */
#include "lib/args.h"
GT_ARGS(gt_confusion_args) {
  GT_FLOATS logits;
  GT_WORDS labels;
  GT_FLOATS weight;
  GT_WORDS counts;
  uint rows, columns;
};

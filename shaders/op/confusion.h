/* Counts how often each class is taken for each other (src/op/confusion.h): counts[label, answer] grows by
 * one for every row that weighs more than 0. An invocation, or a tile of the CPU, takes whole rows; counts
 * are whole numbers, whose order of addition is all the same. */
#include "lib/args.h"
GT_ARGS(gt_confusion_args) {
  GT_FLOATS logits;
  GT_WORDS labels;
  GT_FLOATS weight;
  GT_WORDS counts;
  uint rows, columns;
};

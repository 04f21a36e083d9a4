/* Confusion matrix (src/op/confusion.h): increments counts[label, prediction] for every row whose weight is
 * above 0 and whose label is a class. An invocation, or a tile on the CPU, processes whole rows; counts are
 * integers, so the order of additions does not matter. */
#include "lib/args.h"
GT_ARGS(gt_confusion_args) {
  GT_FLOATS logits; /* [rows, columns] */
  GT_WORDS labels;  /* [rows] */
  GT_FLOATS weight; /* [rows] */
  GT_WORDS counts;  /* [columns, columns] */
  uint rows, columns;
};

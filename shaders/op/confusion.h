/* Confusion matrix (src/op/confusion.h): increments counts[label, prediction, 0] for every row whose weight
 * is above 0 and whose label is a class; with 3 words, adds weight * scale, cut to an integer, to the 64 bits
 * in words 1 and 2. An invocation, or a tile on the CPU, processes whole rows; all are integers, so the order
 * of additions does not matter. */
#include "lib/args.h"
GT_ARGS(gt_confusion_args) {
  GT_FLOATS logits; /* [rows, columns] */
  GT_WORDS labels;  /* [rows] */
  GT_FLOATS weight; /* [rows] */
  GT_WORDS counts;  /* [columns, columns, words] */
  uint rows, columns, words;
  float scale;
};

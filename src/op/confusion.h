/* The confusion matrix of a classifier: counts [label, predicted class], and sums of weights. */
#ifndef GT_OP_CONFUSION_H
#define GT_OP_CONFUSION_H
#include "graph/graph.h"

enum { GT_CONFUSION_WORDS = 3 /* of a cell with a sum of weights */ };
/* Increments the variable counts, I32 [classes, classes], at [label, prediction] for every row of logits, F32
 * [B, classes], and labels, I32 [B], with a weight, F32 [B], above 0. The prediction is the argmax of the
 * logits, the first one if several are equal, as in gt_correct. If counts is I32 [classes, classes, 3], a
 * cell is the count, and the low and the high word of the unsigned sum of weight * scale, each cut to an
 * integer and below 2^32: sums of integers have the same bits in any order. A root of the graph; its value is
 * unused. */
gt_id gt_confusion(gt_graph *graph, uint32_t counts, gt_id logits, gt_id labels, gt_id weight, float scale);
#endif

/* The confusion matrix of a classifier: counts [label, predicted class]. */
#ifndef GT_OP_CONFUSION_H
#define GT_OP_CONFUSION_H
#include "graph/graph.h"

/* Increments the variable counts, I32 [classes, classes], at [label, prediction] for every row of logits, F32
 * [B, classes], and labels, I32 [B], with a weight, F32 [B], above 0. The prediction is the argmax of the
 * logits, the first one if several are equal, as in gt_correct. A root of the graph; its value is unused. */
gt_id gt_confusion(gt_graph *graph, uint32_t counts, gt_id logits, gt_id labels, gt_id weight);
#endif

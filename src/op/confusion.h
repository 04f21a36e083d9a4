/* The confusion matrix of a classifier: how often which class was taken for which. */
#ifndef GT_OP_CONFUSION_H
#define GT_OP_CONFUSION_H
#include "graph/graph.h"

/* The variable counts, I32 [classes, classes], grows by one at [label, answer] for every row of logits, F32
 * [B, classes], and labels, I32 [B], whose weight, F32 [B], is above 0. The answer is the first of the
 * largest logits, as gt_correct has it. A root of the graph; nobody reads its value. */
gt_id gt_confusion(gt_graph *graph, uint32_t counts, gt_id logits, gt_id labels, gt_id weight);
#endif

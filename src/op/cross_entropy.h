/* Fused softmax cross-entropy with integer labels (src/op/cross_entropy.c). logits F32 [B, C], labels I32
 * [B]. With label smoothing s the target is (1-s) one-hot + s/C (Szegedy et al. 2016); with a weight for each
 * class every term of the target counts as often as its class weighs. A row labelled -1 does not
 * count: its loss, gradient and class weight are 0. Other labels outside [0, C) give NaN. */
#ifndef GT_OP_CROSS_ENTROPY_H
#define GT_OP_CROSS_ENTROPY_H
#include "graph/graph.h"
/* F32 [B], one loss per row. weight: one for each of the C classes; NULL: 1. */
gt_id gt_cross_entropy(gt_graph *graph, gt_id logits, gt_id labels, double smoothing, const double *weight);
/* F32 [B]: what the label's class weighs, by which means of such losses are divided. */
gt_id gt_class_weight(gt_graph *graph, gt_id labels, const double *weight, int64_t classes);
gt_id gt_correct(gt_graph *graph, gt_id logits,
                 gt_id labels); /* F32 [B]: 1 where the first largest logit is the label */
/* Of a loss, or its gradient, that follows a product (gt_op.follows), and whose further inputs are labels
 * and, of a gradient, that of each row's loss: the smoothing. */
float gt_cross_entropy_smoothing(const gt_node *node);
#endif

/* Fused softmax cross-entropy with integer labels (src/op/cross_entropy.c). logits F32 [B, C], labels I32
 * [B]. With label smoothing s the target is (1-s) one-hot + s/C (Szegedy et al. 2016); with class weights
 * each term of the sum over classes is multiplied by the weight of its class. A row with label -1 is ignored:
 * its loss, gradient and class weight are 0. Other labels outside [0, C) give NaN. */
#ifndef GT_OP_CROSS_ENTROPY_H
#define GT_OP_CROSS_ENTROPY_H
#include "graph/graph.h"
/* F32 [B], one loss per row. weight: one per class, [C]; NULL: all 1. */
gt_id gt_cross_entropy(gt_graph *graph, gt_id logits, gt_id labels, double smoothing, const double *weight);
/* F32 [B]: the weight of the label's class; the mean loss is divided by the sum of these. */
gt_id gt_class_weight(gt_graph *graph, gt_id labels, const double *weight, int64_t classes);
/* F32 [B]: 1 if the label is the argmax of the logits, the first of equal ones; else 0. */
gt_id gt_correct(gt_graph *graph, gt_id logits, gt_id labels);
/* The label smoothing of a cross-entropy node, or of its gradient node, that is fused into a GEMM
 * (gt_op.follows). Besides the logits its inputs are the labels and, for the gradient, the gradient of each
 * row's loss. */
float gt_cross_entropy_smoothing(const gt_node *node);
#endif

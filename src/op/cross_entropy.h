/* Fused softmax cross-entropy with integer labels (src/op/cross_entropy.c). logits F32 [B, C], labels I32
 * [B]. With label smoothing s the target is (1-s) one-hot + s/C (Szegedy et al. 2016). A label outside [0, C)
 * gives NaN. */
#ifndef GT_OP_CROSS_ENTROPY_H
#define GT_OP_CROSS_ENTROPY_H
#include "graph/graph.h"
typedef struct gt_cross_entropy_attribute {
  float smoothing;
} gt_cross_entropy_attribute;
gt_id gt_cross_entropy(gt_graph *graph, gt_id logits, gt_id labels,
                       double smoothing); /* F32 [B], one loss per row */
gt_id gt_correct(gt_graph *graph, gt_id logits,
                 gt_id labels); /* F32 [B]: 1 where the first largest logit is the label */
#endif

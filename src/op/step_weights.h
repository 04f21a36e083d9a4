/* Weights of the steps of sequences whose lengths differ (src/op/step_weights.c): F32 [B, T], or [T, B] if
 * time comes first, of lengths I32 [B] in [0, T]. All are 0 after a row's end, and for a row of length 0.
 * Integers have no gradient, so neither have the weights. */
#ifndef GT_OP_STEP_WEIGHTS_H
#define GT_OP_STEP_WEIGHTS_H
#include "graph/graph.h"

typedef enum gt_step_weight {
  GT_STEPS_COUNTED, /* 1 */
  GT_STEPS_MEAN,    /* 1 / length */
  GT_STEPS_LAST     /* 1 at the last step, else 0 */
} gt_step_weight;

gt_id gt_step_weights(gt_graph *graph, gt_id lengths, int64_t steps, gt_step_weight kind, bool time_major);
#endif

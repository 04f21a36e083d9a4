/* Weights of the steps of sequences of different lengths (src/op/step_weights.c): F32 [B, T], or [T, B] if
 * time_major, from lengths I32 [B] in [0, T]. They are 0 after a row's end, and for a row of length 0. They
 * have no gradient, because lengths are integers. */
#ifndef GT_OP_STEP_WEIGHTS_H
#define GT_OP_STEP_WEIGHTS_H
#include "graph/graph.h"

typedef enum gt_step_weight {
  GT_STEPS_COUNTED, /* 1 at each step of the sequence */
  GT_STEPS_MEAN,    /* 1 / length */
  GT_STEPS_LAST     /* 1 at the last step, else 0 */
} gt_step_weight;

gt_id gt_step_weights(gt_graph *graph, gt_id lengths, int64_t steps, gt_step_weight kind, bool time_major);
#endif

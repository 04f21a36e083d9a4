/* How many steps sequences of different lengths have after a layer that changes the number of steps
 * (src/op/step_count.c): I32 [B] from lengths I32 [B],
 *   y = (length · multiplier + offset) / divisor, rounded down, at least 0 and at most `most`;
 * 0 for a row of length 0. It has no gradient. The numerator must fit into 32 bits. */
#ifndef GT_OP_STEP_COUNT_H
#define GT_OP_STEP_COUNT_H
#include "graph/graph.h"

typedef struct gt_step_change {
  int32_t multiplier, offset, divisor, most;
} gt_step_change;

int64_t gt_changed_steps(const gt_step_change *change, int64_t length);
/* The change that the node makes, and the lengths that it changes; NULL: it is no step_count. */
const gt_step_change *gt_step_change_of(const gt_graph *graph, gt_id node, gt_id *lengths);
gt_id gt_step_count(gt_graph *graph, gt_id lengths, gt_step_change change);
#endif

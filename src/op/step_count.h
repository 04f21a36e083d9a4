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
/* Changes that only add or remove steps become one, and none if they cancel out (a causal convolution behind
 * its padding): lengths itself is returned. A change that adds steps must not be limited by `most`. */
gt_id gt_step_count(gt_graph *graph, gt_id lengths, gt_step_change change);
/* True if both are made from the same lengths by the same changes. */
bool gt_step_count_equal(const gt_graph *graph, gt_id a, gt_id b);
#endif

/* Sums over groups of consecutive features, times a scale (src/op/group_sum.c): they convert the bits of the
 * last layer of a logic network to class scores. group_size: features per group. */
#ifndef GT_OP_GROUP_SUM_H
#define GT_OP_GROUP_SUM_H
#include "graph/graph.h"

/* y F32 [B, groups] from x F32 [groups * group_size, B]. */
gt_id gt_group_sum(gt_graph *graph, gt_id x, int64_t groups, double scale);

/* If `gradient` [groups * group_size, B] is the gradient of a group sum's input, each of its rows in group k
 * is row k of a node [groups, B], times scale. Returns that node, which an op can read instead of the copies;
 * else GT_NONE. */
gt_id gt_group_sum_source(const gt_graph *graph, gt_id gradient, uint32_t *group_size, float *scale);

struct gt_lowering;
/* Emits the step of a group sum whose x is in scratch memory; `node` is the result [B, groups]. */
void gt_group_sum_lower(struct gt_lowering *lowering, gt_id node, uint32_t scratch, uint32_t groups,
                        uint32_t group_size, float scale);
#endif

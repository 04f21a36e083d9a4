/* gt_group_order: an incremental topological order of fusion groups. A path from one group to another is
 * searched only among the units ordered between them, and when the two are merged, only one side of these
 * units is moved (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs",
 * 2007). A unit is a group, identified by one of its nodes, or a node in no group. A reshape of a group's
 * value that the group itself reads does not count as a path. Landmarks, a few groups whose reachability is
 * known, decide long paths at once, such as the path from a layer through all later layers to its gradient.
 * Owner: the arena. */
#ifndef GT_PLAN_GROUP_ORDER_H
#define GT_PLAN_GROUP_ORDER_H
#include "plan/fuse.h"

typedef struct gt_group_order gt_group_order;

/* Each group must have only one node. */
gt_group_order *gt_group_order_create(gt_arena *arena, const gt_fusion *fusion);
/* True if there is a path from group a to group b, which reads it, other than the direct edge. */
bool gt_group_order_has_other_path(gt_group_order *order, int a, int b);
/* Call before group a is merged with b. The last call of gt_group_order_has_other_path must have returned
 * false for them. */
void gt_group_order_merge(gt_group_order *order, int a, int b);
#endif

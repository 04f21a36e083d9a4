/* gt_ways: an incremental topological order of fusion groups. While groups are merged, a path from one group
 * to another is searched only among the units ordered between them (Pearce and Kelly, "A dynamic topological
 * sort algorithm for directed acyclic graphs", 2007), and only one side of these is moved. A unit is a group,
 * identified by its first node, or a node in no group. A reshape of the group's own value that the group
 * itself reads does not count as a path out of the group and back. Landmarks, a few groups with known
 * reachability, decide long paths at once, such as from a layer through all later ones to its own gradient.
 * Owner: the arena. */
#ifndef GT_PLAN_WAYS_H
#define GT_PLAN_WAYS_H
#include "plan/fuse.h"

typedef struct gt_ways gt_ways;

gt_ways *gt_ways_create(gt_arena *arena, const gt_fusion *fusion); /* every group is one node still */
/* True if there is a path from group a to group b, which reads it, other than the direct edge. */
bool gt_ways_lead_around(gt_ways *ways, int a, int b);
/* Call before group a is merged with b. The last call of gt_ways_lead_around must have returned false for
 * them. */
void gt_ways_join(gt_ways *ways, int a, int b);
#endif

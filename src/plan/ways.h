/* Incremental topological order of fusion groups.
 *
 * gt_ways: an order in which what fusion makes can run, kept while groups join, so that a way from one group
 * to another is looked for only among what stands between them (Pearce and Kelly, "A dynamic topological sort
 * algorithm for directed acyclic graphs", 2007), and only one end of that is put elsewhere. A unit is a
 * group, called by its first node, or a node in no group. A reshape that a group reads and that shows the
 * group's own value is no way out of the group and back. Landmarks, a few groups of which it is known who can
 * be reached from where, tell at once of long ways, as from a layer by way of all later ones to its own
 * gradient. Owner: the arena. */
#ifndef GT_PLAN_WAYS_H
#define GT_PLAN_WAYS_H
#include "plan/fuse.h"

typedef struct gt_ways gt_ways;

gt_ways *gt_ways_create(gt_arena *arena, const gt_fusion *fusion); /* every group is one node still */
/* True if there is a path from group a to group b, which reads it, other than the direct edge. */
bool gt_ways_lead_around(gt_ways *ways, int a, int b);
/* Group a is about to join b; no way may lead around, as the last question was answered. */
void gt_ways_join(gt_ways *ways, int a, int b);
#endif

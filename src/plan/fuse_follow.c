/* Followers: a node that is computed row by row from another node's value, such as a loss and its gradient
 * from logits, joins the group that writes this value as its only output. The leader's kernel computes the
 * follower in its epilogue if a tile holds full rows; otherwise a kernel of its own runs after the leader's
 * (gt_group.follower). */
#include "graph/op.h"
#include "plan/fuse.h"

/* Inputs of the epilogue, at most: the follower uses the addresses of the others (op/matmul/follow.glsl). */
enum { MOST_INPUTS = 2 };

/* True if the group can have another follower, which reads rows of `columns` elements of the value. */
static bool may_lead(const gt_fusion *f, const gt_group *group, gt_id value, int64_t columns) {
  return group->followers < GT_FOLLOWERS && group->program.inputs <= MOST_INPUTS &&
         gt_group_writes_rows(f, group, value, columns);
}

void gt_fuse_followers(gt_arena *arena, gt_fusion *f) {
  for (int b = 0; b < f->groups; b++) {
    const gt_group *group = &f->group[b];
    if (group->leader == GT_NONE || group->nodes != 1) continue;
    const gt_node *node = gt_node_at(f->graph, group->leader);
    if (!node->op->follows || !node->op->follows(f->graph, node)) continue;
    const gt_shape shape = gt_node_at(f->graph, node->input[0])->shape;
    const gt_id value = f->origin[node->input[0]];
    const int a = f->group_of[value];
    if (a >= 0 && a != b && may_lead(f, &f->group[a], value, shape.dim[shape.rank - 1]))
      gt_fusion_join(arena, f, a, b, NULL);
  }
}

/* Fuses a consumer that works row by row (softmax cross-entropy and its gradient) after the kernel that
 * writes the rows.
 *
 * Followers: a node computed row by row from another's value, as a loss and its gradient from logits, joins
 * the group that writes that value as its only output. The leader's kernel computes it after each row if a
 * tile holds the full row; otherwise a kernel of its own runs after the leader's (gt_group.follower). */
#include "graph/op.h"
#include "plan/fuse.h"

/* Of the epilogue, which leaves the others to the follower: op/matmul/follow.glsl. */
enum { MOST_INPUTS = 2 };

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

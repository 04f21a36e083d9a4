/* By-products: a node that joins the columns of a value which a group has as its only output lets the group's
 * leader do that, tile of rows by tile, while it writes them. The node stays a group of its own, for it joins
 * the tiles; nothing is moved or rewritten. */
#include "graph/op.h"
#include "plan/fuse.h"

static bool may_join(const gt_fusion *f, const gt_group *group, gt_id value, int64_t columns) {
  return !group->columns && !group->followers && gt_group_writes_rows(f, group, value, columns);
}

void gt_fuse_columns(gt_fusion *f) {
  for (int b = 0; b < f->groups; b++) {
    const gt_group *group = &f->group[b];
    if (group->leader == GT_NONE || group->nodes != 1) continue;
    const gt_node *node = gt_node_at(f->graph, group->leader);
    const uint32_t kind = node->op->columns ? node->op->columns(f->graph, node) : 0;
    if (!kind) continue;
    const gt_shape shape = gt_node_at(f->graph, node->input[0])->shape;
    const gt_id value = f->origin[node->input[0]];
    const int a = f->group_of[value];
    if (a < 0 || !may_join(f, &f->group[a], value, shape.dim[shape.rank - 1])) continue;
    f->group[a].joins = group->leader;
    f->group[a].columns = kind;
  }
}

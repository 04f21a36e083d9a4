/* Row programs: what a layer norm or a softmax's gradient is made of. A reduction of rows that fusion has
 * found stands alone at first, led by its own kernel; it becomes a row program when what follows it joins. */
#include "base/memory.h"
#include "graph/op.h"
#include "plan/fuse.h"
#include <stdlib.h>

/* Rows up to this length: one workgroup works on one, and a longer one is worth several. */
enum { MOST_WIDTH = 4096 };

/* How many kernels a node has to wait for, one after another, if all that can join does. */
static uint32_t *find_depths(const gt_graph *graph) {
  uint32_t *depth = gt_alloc(sizeof *depth * ((size_t)graph->count + 1));
  for (gt_id id = 0; id < graph->count; id++) {
    const gt_node *node = gt_node_at(graph, id);
    depth[id] = 0;
    for (int i = 0; i < node->inputs; i++)
      if (depth[node->input[i]] > depth[id]) depth[id] = depth[node->input[i]];
    depth[id] += node->op->kind == GT_OP_KERNEL && !node->op->row;
  }
  return depth;
}

/* The rows of a row program, or of a reduction that may become one. */
static bool rows_of(const gt_fusion *f, const gt_group *group, gt_group *rows) {
  gt_row_form form;
  *rows = *group;
  if (group->width) return true;
  if (group->leader == GT_NONE || group->nodes != 1) return false;
  const gt_node *node = gt_node_at(f->graph, group->leader);
  if (!node->op->row || !node->op->row(f->graph, node, &form)) return false;
  if (form.width < 2 || form.width > MOST_WIDTH) return false;
  rows->width = (uint32_t)form.width;
  rows->shape = gt_shape_2(gt_shape_count(node->shape), form.width);
  return true;
}

static bool may_join(const gt_fusion *f, const gt_group *rows, const gt_group *group) {
  gt_group own;
  if (rows_of(f, group, &own)) return own.width == rows->width && own.shape.dim[0] == rows->shape.dim[0];
  const int64_t count = gt_shape_count(group->shape);
  return group->leader == GT_NONE && (count == rows->shape.dim[0] || count == gt_shape_count(rows->shape));
}

static bool join_inputs(gt_arena *arena, gt_fusion *f, const uint32_t *depth, gt_id id) {
  const gt_node *node = gt_node_at(f->graph, id);
  bool joined = false;
  for (int i = 0; i < node->inputs; i++) {
    const gt_id p = f->origin[node->input[i]];
    const int a = f->group_of[p], b = f->group_of[id];
    gt_group rows;
    if (a < 0 || a == b || depth[p] != depth[id] || !rows_of(f, &f->group[a], &rows) ||
        !may_join(f, &rows, &f->group[b]) || f->group[a].nodes + f->group[b].nodes > GT_PROGRAM_CODE)
      continue;
    joined |= gt_fusion_join(arena, f, a, b, &rows);
  }
  return joined;
}

void gt_fuse_rows(gt_arena *arena, gt_fusion *f) {
  uint32_t *depth = find_depths(f->graph);
  for (bool joined = true; joined;) {
    joined = false;
    for (gt_id id = 0; id < f->graph->count; id++)
      if (f->group_of[id] >= 0) joined |= join_inputs(arena, f, depth, id);
  }
  free(depth);
}

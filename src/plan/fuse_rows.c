/* Builds row programs: reductions over a row together with the elementwise work around them (layer norm,
 * gradients of softmax) as one kernel.
 *
 * Row programs: what a layer norm or a softmax's gradient is made of. A reduction of rows that fusion has
 * found stands alone at first, led by its own kernel; it becomes a row program when what follows it joins. */
#include "base/count.h"
#include "base/memory.h"
#include "graph/op.h"
#include "plan/fuse.h"
#include <stdlib.h>

/* Rows up to this length: one workgroup works on one, and a longer one is worth several. */
enum { MOST_WIDTH = 16384 };

static bool is_reduction(const gt_graph *graph, const gt_node *node, gt_row_form *form) {
  return node->op->row && node->op->row(graph, node, form) && form->width > 1 && form->width <= MOST_WIDTH;
}

/* After how many kernels, one after another, a node's value can be there, if all that can join does; and
 * marks the nodes that nobody wants until later who could not compute them himself. A kernel wants what it
 * reads as soon as it is there. */
static void find_times(gt_fusion *f, uint32_t *wanted, bool *waits) {
  const gt_graph *graph = f->graph;
  uint32_t *there = f->there;
  gt_row_form form;
  for (gt_id id = 0; id < graph->count; id++) {
    const gt_node *node = gt_node_at(graph, id);
    waits[id] = node->op->kind == GT_OP_KERNEL && !is_reduction(graph, node, &form);
    there[id] = 0;
    for (int i = 0; i < node->inputs; i++) there[id] = gt_max_u32(there[id], there[node->input[i]]);
    there[id] += waits[id];
    wanted[id] = UINT32_MAX;
  }
  for (gt_id id = graph->count; id-- > 0;) {
    const gt_node *node = gt_node_at(graph, id);
    if (!f->live[id]) continue;
    if (f->kept[id] || wanted[id] == UINT32_MAX || wanted[id] < there[id]) wanted[id] = there[id];
    for (int i = 0; i < node->inputs; i++) {
      uint32_t *when = &wanted[node->input[i]];
      *when = gt_min_u32(*when, waits[id] ? 0 : wanted[id]);
    }
    f->later[id] = wanted[id] > there[id];
  }
}

/* The rows of a row program, or of a reduction that may become one. */
static bool rows_of(const gt_fusion *f, const gt_group *group, gt_group *rows) {
  gt_row_form form;
  *rows = *group;
  if (group->width) return true;
  if (group->leader == GT_NONE || group->nodes != 1) return false;
  const gt_node *node = gt_node_at(f->graph, group->leader);
  if (!is_reduction(f->graph, node, &form)) return false;
  rows->leader = GT_NONE;
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

static bool join_inputs(gt_arena *arena, gt_fusion *f, gt_id id) {
  const gt_node *node = gt_node_at(f->graph, id);
  bool joined = false;
  if (f->later[id]) return false; /* it joins those who want it */
  for (int i = 0; i < node->inputs; i++) {
    const gt_id p = f->origin[node->input[i]];
    const int a = f->group_of[p], b = f->group_of[id];
    gt_group rows;
    if (a < 0 || a == b || f->there[p] != f->there[id] || !rows_of(f, &f->group[a], &rows) ||
        !may_join(f, &rows, &f->group[b]) || f->group[a].nodes + f->group[b].nodes > GT_PROGRAM_CODE)
      continue;
    joined |= gt_fusion_join(arena, f, a, b, &rows);
  }
  return joined;
}

/* One long row that nothing has joined, too: its own kernel would take two passes. */
static void take_lone_row(gt_fusion *f, int g) {
  enum { ONE_PASS = 4096 };
  gt_group rows;
  if (f->group[g].width || !rows_of(f, &f->group[g], &rows)) return;
  if (rows.shape.dim[0] > 1 || rows.width <= ONE_PASS) return;
  if (gt_group_encode(f, &rows)) f->group[g] = rows;
}

void gt_fuse_rows(gt_arena *arena, gt_fusion *f) {
  const size_t nodes = (size_t)f->graph->count + 1;
  uint32_t *wanted = gt_alloc(sizeof *wanted * nodes);
  bool *waits = gt_alloc(sizeof *waits * nodes);
  f->later = GT_NEW_N(arena, bool, nodes);
  f->there = GT_NEW_N(arena, uint32_t, nodes);
  find_times(f, wanted, waits);
  for (bool joined = true; joined;) {
    joined = false;
    for (gt_id id = 0; id < f->graph->count; id++)
      if (f->group_of[id] >= 0) joined |= join_inputs(arena, f, id);
  }
  for (int g = 0; g < f->groups; g++) take_lone_row(f, g);
  free(wanted);
  free(waits);
}

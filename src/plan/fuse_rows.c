/* Builds row programs: reductions over rows, together with the elementwise work around them, as one kernel
 * (layer norm, the gradient of softmax). A reduction of rows is at first a group of its own, with its own
 * kernel as the leader; it becomes a row program when one of its consumers is merged with it. */
#include "base/count.h"
#include "base/memory.h"
#include "graph/op.h"
#include "plan/fuse.h"
#include <stdlib.h>

/* The maximum length of rows: one workgroup processes a row, and longer rows are faster with several
 * workgroups. */
enum { MOST_WIDTH = 16384 };

static bool is_reduction(const gt_graph *graph, const gt_node *node, gt_row_form *form) {
  return node->op->row && node->op->row(graph, node, form) && form->width > 1 && form->width <= MOST_WIDTH;
}

/* Computes f->there: the number of kernels that must run one after another before a node's value can be
 * computed, if everything that can be merged is merged. Computes f->later: true for a node whose value is
 * needed only later than that, by consumers that could compute it themselves. Elementwise nodes and
 * reductions of rows need their inputs when their own values are needed (`wanted`, in the same unit); other
 * kernels (`waits`) as soon as possible. */
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

/* Sets *rows to the group as a row program, if it is one or is a reduction that can become one. */
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

/* True if the group's work is on the same rows: a reduction, or elementwise work on their elements or on one
 * value per row. */
static bool may_join(const gt_fusion *f, const gt_group *rows, const gt_group *group) {
  gt_group group_rows;
  if (rows_of(f, group, &group_rows))
    return group_rows.width == rows->width && group_rows.shape.dim[0] == rows->shape.dim[0];
  const int64_t count = gt_shape_count(group->shape);
  return group->leader == GT_NONE && (count == rows->shape.dim[0] || count == gt_shape_count(rows->shape));
}

/* Merges row programs that compute inputs of a node into its group. */
static bool join_inputs(gt_arena *arena, gt_fusion *f, gt_id id) {
  const gt_node *node = gt_node_at(f->graph, id);
  bool joined = false;
  if (f->later[id]) return false; /* it is merged with its consumers instead */
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

/* A reduction of one long row becomes a row program even if nothing was merged with it: its own kernel would
 * need two passes. */
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

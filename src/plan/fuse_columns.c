/* Fuses column reductions (bias gradients, batch-norm statistics) into the epilogue of the kernel that
 * computes the matrix. That kernel reduces the columns of its own tiles of rows. The node of the reduction
 * stays a group of its own, whose kernel combines the results of the tiles. A matrix that nothing else reads
 * is not stored (passing).
 *
 * In this file a node joins columns if it reduces them (gt_group.joins; gt_op.joins in contrast says that a
 * leader's kernel can reduce the columns of its result). Sums are whole if one tile covers all rows: then the
 * kernel stores complete sums, no second kernel is needed, and the reductions become part of the group
 * (GT_COLUMNS_WHOLE).
 *
 * Elementwise work between a leader's value and a sum of columns, as in the gradient of a norm's weight, is
 * usually the prologue of the sum, which reads the leader's value from memory. If the leader's kernel can sum
 * the result of this work, the work is reserved for it (gt_fusion.reserved_for) until all other groups are
 * merged. Then it becomes a further output of the leader's epilogue. */
#include "graph/op.h"
#include "lib/columns.h"
#include "plan/fuse.h"
#include "step/draft.h"

/* MOST_INPUTS: inputs of an epilogue with reserved work, besides the leader's value; the address of the
 * fourth may be used for the scales of an operand (op/matmul/product_matrix.h). MOST_VISITS: nodes that a
 * search visits. */
enum { MOST_INPUTS = 3, MOST_VISITS = 2 * GT_PROGRAM_CODE };

/* True if `reader` is the only reader of the value outside of the value's group, also through reshapes. */
static bool is_read_only_by(const gt_fusion *f, gt_id value, gt_id reader) {
  if (f->kept[value]) return false;
  for (uint32_t u = f->user_start[value]; u < f->user_start[value + 1]; u++) {
    const gt_id user = f->user[u];
    if (user == reader || f->group_of[user] == f->group_of[f->origin[value]]) continue;
    if (!gt_is_reshape(f->graph, user) || !is_read_only_by(f, user, reader)) return false;
  }
  return true;
}

/* The column reduction that the node computes (gt_op.columns), or 0; with GT_COLUMNS_WHOLE if its fusion is
 * faster only with complete sums. */
static uint32_t kind_of(const gt_fusion *f, gt_id id) {
  const gt_node *node = gt_node_at(f->graph, id);
  return f->live[id] && node->op->columns ? node->op->columns(f->graph, node) : 0;
}

static bool is_sum(uint32_t kind) { return (kind & ~(uint32_t)GT_COLUMNS_WHOLE) == GT_COLUMNS_SUM; }
static bool pays_only_whole(uint32_t kind) { return kind & GT_COLUMNS_WHOLE; }

/* --- reserved work -------------------------------------------------------------------------------------- */

/* True if the node is elementwise work that can still be fused into a leader's kernel. */
static bool is_free(const gt_fusion *f, gt_id id) {
  const int group = f->group_of[id];
  return group >= 0 && f->group[group].leader == GT_NONE && !f->group[group].width;
}

/* The value, usually a leader's, from which free elementwise work computes this value. GT_NONE if there are
 * several, or if another input of this work is not computed before the kernel of that value, which would then
 * have to wait for it. */
static gt_id find_source(const gt_fusion *f, gt_id value) {
  gt_id pending[MOST_VISITS] = {value}, found = GT_NONE;
  for (int at = 0, count = 1; at < count; at++) {
    const gt_node *node = gt_node_at(f->graph, pending[at]);
    for (int i = 0; i < node->inputs; i++) {
      const gt_id input = f->origin[node->input[i]];
      if (f->there[input] < f->there[value] || input == found) continue;
      if (is_free(f, input)) {
        if (count == MOST_VISITS) return GT_NONE;
        pending[count++] = input;
      } else if (found == GT_NONE) {
        found = input;
      } else {
        return GT_NONE;
      }
    }
  }
  return found;
}

/* True if the leader's kernel can compute reductions of this kind; for complete sums also whether the step is
 * faster with them. */
static bool makes_sums(const gt_fusion *f, gt_id leader, uint32_t kind) {
  const gt_node *node = gt_node_at(f->graph, leader);
  bool (*const can_compute)(gt_lowering *, const gt_node *) =
      pays_only_whole(kind) ? node->op->sums : node->op->joins;
  const bool makes = can_compute && can_compute(f->lowering, node);
  f->lowering->chosen = 0; /* discard the candidates that were chosen only to compare estimates */
  return makes;
}

/* The leader whose kernel can compute the node's sum of columns, if elementwise work precedes the sum and
 * only the sum reads it; or GT_NONE. */
static gt_id leader_for(const gt_fusion *f, gt_id sum) {
  const gt_id input = gt_node_at(f->graph, sum)->input[0], value = f->origin[input];
  if (!is_free(f, value) || !is_read_only_by(f, value, sum)) return GT_NONE;
  const gt_id leader = find_source(f, value);
  if (leader == GT_NONE || f->group_of[leader] < 0) return GT_NONE;
  const gt_node *node = gt_node_at(f->graph, leader);
  const gt_shape shape = gt_node_at(f->graph, input)->shape, leader_shape = node->shape;
  if (!node->op->epilogue || gt_shape_count(leader_shape) != gt_shape_count(shape) ||
      leader_shape.dim[leader_shape.rank - 1] != shape.dim[shape.rank - 1])
    return GT_NONE;
  return makes_sums(f, leader, kind_of(f, sum)) ? leader : GT_NONE;
}

void gt_fuse_reserve(gt_arena *arena, gt_fusion *f) {
  f->reserved_for = GT_NEW_N(arena, gt_id, f->graph->count + 1);
  for (gt_id id = 0; id < f->graph->count; id++) f->reserved_for[id] = GT_NONE;
  for (gt_id id = 0; id < f->graph->count; id++)
    if (gt_lowering_target(f->lowering)->device && is_sum(kind_of(f, id)))
      f->reserved_for[f->origin[gt_node_at(f->graph, id)->input[0]]] = leader_for(f, id);
}

bool gt_fuse_is_reserved(const gt_fusion *f, const gt_group *a, const gt_group *b, bool last) {
  for (int n = 0; n < b->nodes; n++) {
    const gt_id leader = f->reserved_for[b->node[n]];
    if (leader == GT_NONE || (a->leader == GT_NONE && !a->width)) continue;
    if (!last || a->leader != leader || a->program.inputs + b->program.inputs > MOST_INPUTS + 1) return true;
  }
  return false;
}

bool gt_fuse_release(gt_fusion *f) {
  bool any = false;
  for (gt_id id = 0; id < f->graph->count; id++) {
    any |= f->reserved_for[id] != GT_NONE && is_free(f, id);
    f->reserved_for[id] = GT_NONE;
  }
  return any;
}

/* --- column reductions of a group's outputs ------------------------------------------------------------- */

/* Records that node `joining` reduces the columns of one of the group's outputs. */
static void note_output(const gt_fusion *f, gt_group *g, gt_id joining) {
  const gt_id value = f->origin[gt_node_at(f->graph, joining)->input[0]];
  for (uint32_t k = 0; k < g->program.outputs && k < GT_JOINING; k++)
    if (f->origin[g->output[k]] == value && g->joins[k] == GT_NONE) g->joins[k] = joining;
}

static void clear_columns(gt_group *g) {
  for (int k = 0; k < GT_JOINING; k++) g->joins[k] = GT_NONE;
  g->columns = g->passing = 0;
}

/* Records the reduction in the group that computes its input, if that group can compute it. */
static void note_joining(gt_fusion *f, gt_id joining) {
  const gt_node *node = gt_node_at(f->graph, joining);
  const gt_shape shape = gt_node_at(f->graph, node->input[0])->shape;
  const gt_id value = f->origin[node->input[0]];
  if (f->group_of[value] < 0) return;
  gt_group *g = &f->group[f->group_of[value]];
  if (g->leader == GT_NONE || !gt_node_at(f->graph, g->leader)->op->epilogue || g->followers || g->width ||
      g->row_length != shape.dim[shape.rank - 1])
    return;
  note_output(f, g, joining);
}

static bool is_summed(const gt_fusion *f, const gt_group *g, int k) {
  return g->joins[k] != GT_NONE && is_sum(kind_of(f, g->joins[k]));
}

/* True if only a sum of columns reads the output, which then is not stored. (A reduction to moments may need
 * to read the values again.) */
static bool is_passing(const gt_fusion *f, const gt_group *g, int k) {
  return is_summed(f, g, k) && is_read_only_by(f, f->origin[g->output[k]], g->joins[k]);
}

static void swap_outputs(gt_group *g) {
  const gt_id output = g->output[0], joins = g->joins[0];
  const uint32_t operand = g->program.output[0];
  g->output[0] = g->output[1], g->joins[0] = g->joins[1], g->program.output[0] = g->program.output[1];
  g->output[1] = output, g->joins[1] = joins, g->program.output[1] = operand;
}

/* Sets which reductions the kernel computes. Their results are stored as the second output, so there must be
 * only one output, or the second must be one that is not stored. */
static void set_columns(const gt_fusion *f, gt_group *g) {
  if (g->program.outputs == 1) {
    g->columns = g->joins[0] == GT_NONE ? 0 : kind_of(f, g->joins[0]) & ~(uint32_t)GT_COLUMNS_WHOLE;
    g->passing = is_passing(f, g, 0);
    return;
  }
  if (!is_passing(f, g, 1)) {
    if (!is_passing(f, g, 0)) return;
    swap_outputs(g);
  }
  if (!is_summed(f, g, 0)) g->joins[0] = GT_NONE;
  g->columns = g->joins[0] == GT_NONE ? GT_COLUMNS_SUM : GT_COLUMNS_SUMS;
  g->passing = 2 | is_passing(f, g, 0);
}

/* True if the kernel should compute complete sums: each output is read only by a sum whose fusion is faster
 * only then (gt_op.columns: of few rows), and the step is faster with them (gt_op.sums). */
static bool wants_whole_sums(const gt_fusion *f, const gt_group *g) {
  bool all = g->program.outputs > 0 && g->columns;
  for (uint32_t k = 0; k < g->program.outputs && k < GT_JOINING; k++)
    all = all && is_passing(f, g, (int)k) && pays_only_whole(kind_of(f, g->joins[k]));
  return all && makes_sums(f, g->leader, GT_COLUMNS_WHOLE);
}

/* Removes the reductions that are faster only as complete sums; kernels of their own compute them. */
static void drop_whole_sums(const gt_fusion *f, gt_group *g) {
  gt_id joins[GT_JOINING];
  for (int k = 0; k < GT_JOINING; k++) joins[k] = g->joins[k];
  clear_columns(g);
  for (int k = 0; k < GT_JOINING; k++)
    if (joins[k] != GT_NONE && !pays_only_whole(kind_of(f, joins[k]))) g->joins[k] = joins[k];
  if (g->joins[0] != GT_NONE || g->joins[1] != GT_NONE) set_columns(f, g);
}

/* Merges the complete column sums into the group. If one cannot be merged, kernels of their own compute all
 * sums. */
static void merge_whole_sums(gt_arena *arena, gt_fusion *f, int g) {
  gt_id joins[GT_JOINING];
  for (int k = 0; k < GT_JOINING; k++) joins[k] = f->group[g].joins[k];
  clear_columns(&f->group[g]);
  for (int k = 0; k < GT_JOINING; k++) {
    if (joins[k] == GT_NONE) continue;
    const int sum = f->group_of[joins[k]];
    if (!gt_fusion_join(arena, f, g, sum, NULL)) return;
    g = sum;
  }
  gt_group *taken = &f->group[g];
  clear_columns(taken);
  for (int i = 0; i < taken->followers; i++) note_output(f, taken, taken->follower[i]);
  set_columns(f, taken);
}

void gt_fuse_columns(gt_arena *arena, gt_fusion *f) {
  for (int g = 0; g < f->groups; g++) clear_columns(&f->group[g]);
  for (int b = 0; b < f->groups; b++) {
    const gt_group *group = &f->group[b];
    if (group->leader != GT_NONE && group->nodes == 1 && kind_of(f, group->leader))
      note_joining(f, group->leader);
  }
  for (int g = 0; g < f->groups; g++) {
    gt_group *group = &f->group[g];
    if (group->followers || (group->joins[0] == GT_NONE && group->joins[1] == GT_NONE)) continue;
    set_columns(f, group);
    if (wants_whole_sums(f, group))
      merge_whole_sums(arena, f, g);
    else
      drop_whole_sums(f, group);
  }
}

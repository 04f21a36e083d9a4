/* Fusion of elementwise work with its producers and consumers (fuse.h).
 *
 * In this file a and b are groups, of which b reads a value p of a. A use of a value is firm if it needs the
 * value in memory: see count_firm_uses. */
#include "plan/fuse.h"
#include "base/memory.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "plan/group_order.h"
#include <stdlib.h>
#include <string.h>

/* Computes each origin from that of the input, because a walk per node would take quadratic time. */
static void find_origins(gt_fusion *f) {
  for (gt_id id = 0; id < f->graph->count; id++)
    f->origin[id] = gt_is_reshape(f->graph, id) ? f->origin[gt_node_at(f->graph, id)->input[0]] : id;
}

static void mark_live(gt_fusion *f, const gt_plan_options *options) {
  const gt_graph *graph = f->graph;
  for (uint32_t r = 0; r < graph->roots; r++) f->live[graph->root[r]] = true;
  for (int k = 0; k < options->keep_count; k++) {
    f->live[options->keep[k]] = true;
    f->kept[options->keep[k]] = true;
  }
  for (gt_id id = graph->count; id-- > 0;)
    if (f->live[id])
      for (int i = 0; i < graph->node[id].inputs; i++) f->live[graph->node[id].input[i]] = true;
}

/* While f->user is filled, user_start[n + 1] is the place of the next user of node n. */
static void list_users(gt_arena *arena, gt_fusion *f) {
  const gt_graph *graph = f->graph;
  f->user_start = GT_NEW_N(arena, uint32_t, graph->count + 2);
  for (gt_id id = 0; id < graph->count; id++)
    if (f->live[id])
      for (int i = 0; i < graph->node[id].inputs; i++) f->user_start[graph->node[id].input[i] + 2]++;
  for (gt_id id = 0; id < graph->count; id++) f->user_start[id + 2] += f->user_start[id + 1];
  f->user = GT_NEW_N(arena, gt_id, f->user_start[graph->count + 1] + 1);
  for (gt_id id = 0; id < graph->count; id++)
    if (f->live[id])
      for (int i = 0; i < graph->node[id].inputs; i++)
        f->user[f->user_start[graph->node[id].input[i] + 1]++] = id;
}

int gt_fusion_maker(const gt_fusion *fusion, gt_id id) {
  return fusion->group_of[gt_producer(fusion->graph, id)];
}

bool gt_group_writes_rows(const gt_fusion *f, const gt_group *group, gt_id value, int64_t length) {
  return group->leader != GT_NONE && gt_node_at(f->graph, group->leader)->op->epilogue && !group->width &&
         (group->program.outputs == 1 || group->passing & 2) && f->origin[group->output[0]] == value &&
         group->row_length == length;
}

/* True if the node gets a group: it has a kernel, or is elementwise. A constant gets one only if it must be
 * in memory: if something other than a program reads it. */
static bool needs_group(const gt_fusion *f, gt_id id) {
  const gt_node *node = gt_node_at(f->graph, id);
  if (node->op->kind == GT_OP_KERNEL) return true;
  if (node->op->kind != GT_OP_ELEMENTWISE) return false;
  if (!gt_is_constant(node) || f->kept[id]) return true;
  for (uint32_t u = f->user_start[id]; u < f->user_start[id + 1]; u++) {
    const gt_node *user = gt_node_at(f->graph, f->user[u]);
    if (user->op->kind == GT_OP_ELEMENTWISE) continue;
    if (user->op->kind == GT_OP_VIEW && f->origin[f->user[u]] == id && !f->kept[f->user[u]]) {
      bool programs_only = true;
      for (uint32_t v = f->user_start[f->user[u]]; v < f->user_start[f->user[u] + 1]; v++)
        programs_only &= gt_node_at(f->graph, f->user[v])->op->kind == GT_OP_ELEMENTWISE;
      if (programs_only) continue;
    }
    return true;
  }
  return false;
}

static bool make_groups(gt_arena *arena, gt_fusion *f, gt_error *error) {
  const gt_graph *graph = f->graph;
  f->group = GT_NEW_N(arena, gt_group, graph->count + 1);
  for (gt_id id = 0; id < graph->count; id++) {
    f->group_of[id] = -1;
    if (!f->live[id] || !needs_group(f, id)) continue;
    gt_group *group = &f->group[f->groups];
    group->leader = graph->node[id].op->kind == GT_OP_KERNEL ? id : GT_NONE;
    group->node = gt_arena_copy(arena, &id, sizeof id);
    group->nodes = 1;
    f->group_of[id] = f->groups++;
    if (!gt_group_encode(f, group))
      return gt_fail(error, GT_ERR_INTERNAL, "node %u (%s) does not fit a kernel", id,
                     graph->node[id].op->name);
  }
  return true;
}

/* True if all inputs of group b are values of group a. */
static bool reads_only(const gt_fusion *f, const gt_group *b, const gt_group *a) {
  for (uint32_t k = 0; k < b->program.inputs; k++)
    if (f->group_of[f->origin[b->input[k]]] != (int)(a - f->group)) return false;
  return true;
}

/* True if the leaders of group a (producer) and group b (consumer) allow them to be one group. */
static bool leaders_allow(const gt_fusion *f, const gt_group *a, const gt_group *b) {
  if (gt_shape_count(a->shape) != gt_shape_count(b->shape)) return false;
  if (a->width && b->width && a->width != b->width) return false;
  if (a->leader != GT_NONE && b->leader != GT_NONE) return false;
  if (b->leader != GT_NONE && a->width) return false;
  if (a->leader != GT_NONE && b->width) return gt_fuse_may_lead_rows(f, a, b);
  if (a->leader != GT_NONE) {
    const gt_op *op = gt_node_at(f->graph, a->leader)->op;
    return op->epilogue && (!op->early || reads_only(f, b, a));
  }
  if (b->leader == GT_NONE) return true;
  const gt_node *leader = gt_node_at(f->graph, b->leader);
  const bool prologue = gt_prologue_row(f->graph, leader);
  if (!leader->op->epilogue && !prologue) return false;
  /* Only the epilogue, or the prologue, which computes the first operand, may use a's value: the other
   * operands of the leader must be in memory. */
  for (int i = prologue; i < leader->inputs; i++)
    if (f->group_of[f->origin[leader->input[i]]] == (int)(a - f->group)) return false;
  return true;
}

/* True if group `user` could still be merged into group a. */
static bool may_follow(const gt_fusion *f, int user, int a) {
  const gt_id leader = f->group[a].leader;
  return user >= 0 && f->group[user].leader == GT_NONE &&
         (!f->group[user].width || leader == GT_NONE || gt_fuse_leads_rows(f, leader)) &&
         gt_shape_count(f->group[user].shape) == gt_shape_count(f->group[a].shape);
}

/* Counts the firm uses of each value. A use is firm if it needs the value in memory. These are not firm: a
 * use by a group that can still be merged with the value's group; a pack or an assign, for which the value
 * can be computed in place; and a further result, which is a different value. */
static void count_firm_uses(gt_fusion *f) {
  for (gt_id id = 0; id < f->graph->count; id++) {
    const gt_node *node = gt_node_at(f->graph, id);
    const gt_op_kind kind = node->op->kind;
    if (!f->live[id] || kind == GT_OP_ASSIGN || kind == GT_OP_PACK || kind == GT_OP_RESULT) continue;
    for (int i = 0; i < node->inputs; i++) {
      const gt_id p = f->origin[node->input[i]];
      if (f->group_of[p] < 0 || f->origin[id] == p) continue; /* p is in no group; or id is a reshape */
      f->firm[p] += !may_follow(f, f->group_of[id], f->group_of[p]);
    }
  }
}

/* Call when a group without a leader is merged with one that has a leader: its uses become firm, because it
 * can no longer be merged with another leader's group. */
static void make_firm(gt_fusion *f, int group) {
  for (int n = 0; n < f->group[group].nodes; n++) {
    const gt_node *node = gt_node_at(f->graph, f->group[group].node[n]);
    for (int i = 0; i < node->inputs; i++) {
      const gt_id p = f->origin[node->input[i]];
      f->firm[p] += f->group_of[p] >= 0 && may_follow(f, group, f->group_of[p]);
    }
  }
}

bool gt_fusion_join(gt_arena *arena, gt_fusion *f, int a, int b, const gt_group *rows) {
  gt_group *ga = &f->group[a], *gb = &f->group[b];
  gt_id merged[GT_PROGRAM_CODE];
  int n = 0, i = 0, k = 0;
  while (i < ga->nodes || k < gb->nodes)
    merged[n++] =
        k == gb->nodes || (i < ga->nodes && ga->node[i] < gb->node[k]) ? ga->node[i++] : gb->node[k++];
  gt_group candidate = *gb;
  candidate.leader = rows ? rows->leader : ga->leader != GT_NONE ? ga->leader : gb->leader;
  if (rows) {
    candidate.width = rows->width;
    candidate.shape = rows->shape;
  }
  memcpy(candidate.follower, ga->follower, sizeof candidate.follower);
  candidate.followers = ga->followers;
  if (!rows && ga->leader != GT_NONE && gb->leader != GT_NONE)
    candidate.follower[candidate.followers++] = gb->leader;
  candidate.node = merged;
  candidate.nodes = n;
  if (!gt_group_encode(f, &candidate) || gt_group_order_has_other_path(f->order, a, b)) return false;
  gt_group_order_merge(f->order, a, b);
  if (f->firm && (ga->leader == GT_NONE) != (gb->leader == GT_NONE))
    make_firm(f, ga->leader == GT_NONE ? a : b);
  candidate.node = gt_arena_copy(arena, merged, sizeof *merged * (size_t)n);
  for (i = 0; i < ga->nodes; i++) f->group_of[ga->node[i]] = b;
  ga->nodes = 0;
  ga->leader = GT_NONE;
  ga->width = 0;
  *gb = candidate;
  return true;
}

/* The number of uses of value p by the nodes of a group, if it has a leader; otherwise 0. */
static uint32_t firm_uses_in(const gt_fusion *f, gt_id p, const gt_group *group) {
  uint32_t uses = 0;
  if (group->leader == GT_NONE) return 0;
  for (int n = 0; n < group->nodes; n++) {
    const gt_node *node = gt_node_at(f->graph, group->node[n]);
    for (int i = 0; i < node->inputs; i++) uses += f->origin[node->input[i]] == p;
  }
  return uses;
}

/* True if value p, which a computes, needs no memory after a and b are merged. */
static bool only_used_within(const gt_fusion *f, gt_id p, int a, int b) {
  return f->firm[p] == firm_uses_in(f, p, &f->group[a]) + firm_uses_in(f, p, &f->group[b]);
}

/* For the passes TAKING and SUMMING: true if group a may absorb the group of elementwise node id, which reads
 * its value p. */
static bool takes_in(const gt_fusion *f, int a, gt_id p, gt_id id) {
  const gt_group *b = &f->group[f->group_of[id]];
  if (b->leader != GT_NONE) return false;
  return f->group[a].leader != GT_NONE || (f->group[a].width && !b->width && f->there[id] == f->there[p]);
}

/* Passes of merging (fuse.h, steps 2 and 3). SPARING: values that then need no memory. TAKING: further
 * outputs. SUMMING: values that are reserved for a leader which sums their columns. RELEASED: as SPARING, for
 * reserved values that were not merged. */
enum { SPARING, TAKING, SUMMING, RELEASED };

/* Merges the groups that compute the inputs of a node into its group, if the pass allows it. */
static bool merge_inputs(gt_arena *arena, gt_fusion *f, gt_id id, int pass) {
  const gt_node *node = gt_node_at(f->graph, id);
  bool merged = false;
  for (int i = 0; i < node->inputs; i++) {
    gt_id p = f->origin[node->input[i]];
    int a = f->group_of[p], b = f->group_of[id];
    if (a < 0 || a == b || !leaders_allow(f, &f->group[a], &f->group[b]) ||
        f->group[a].nodes + f->group[b].nodes > GT_PROGRAM_CODE || (f->group[a].width && f->later[id]))
      continue;
    if (f->reserved_for[p] != GT_NONE || gt_fuse_is_reserved(f, &f->group[a], &f->group[b], pass == SUMMING))
      continue;
    if (pass == SPARING || pass == RELEASED ? !only_used_within(f, p, a, b) : !takes_in(f, a, p, id))
      continue;
    gt_group rows = f->group[f->group[a].width ? a : b];
    rows.leader = f->group[f->group[a].leader != GT_NONE ? a : b].leader;
    merged |= gt_fusion_join(arena, f, a, b, rows.width ? &rows : NULL);
  }
  return merged;
}

static void merge(gt_arena *arena, gt_fusion *f, int pass) {
  for (bool merged = true; merged;) {
    merged = false;
    for (gt_id id = 0; id < f->graph->count; id++)
      if (f->group_of[id] >= 0) merged |= merge_inputs(arena, f, id, pass);
  }
}

bool gt_fuse(gt_arena *arena, const gt_graph *graph, const gt_plan_options *options, gt_lowering *lowering,
             gt_fusion *f, gt_error *error) {
  *f = (gt_fusion){.graph = graph, .lowering = lowering};
  f->leads = GT_NEW_N(arena, uint8_t, graph->count + 1);
  f->live = GT_NEW_N(arena, bool, graph->count + 1);
  f->kept = GT_NEW_N(arena, bool, graph->count + 1);
  f->group_of = GT_NEW_N(arena, int, graph->count + 1);
  f->origin = GT_NEW_N(arena, gt_id, graph->count + 1);
  find_origins(f);
  mark_live(f, options);
  list_users(arena, f);
  if (!make_groups(arena, f, error)) return false;
  if (options->no_fusion) return true;
  f->order = gt_group_order_create(arena, f);
  gt_fuse_rows(arena, f);
  f->firm = GT_NEW_N(arena, uint32_t, graph->count + 1);
  count_firm_uses(f);
  gt_fuse_reserve(arena, f);
  for (int pass = SPARING; pass <= SUMMING; pass++) merge(arena, f, pass);
  if (gt_fuse_release(f)) merge(arena, f, RELEASED);
  /* A merge may change which values of neighboring groups are outputs, so all groups are encoded again. */
  for (int g = 0; g < f->groups; g++)
    if (f->group[g].nodes && !gt_group_encode(f, &f->group[g]))
      return gt_fail(error, GT_ERR_INTERNAL, "fused group %d no longer fits a kernel", g);
  gt_fuse_followers(arena, f);
  gt_fuse_columns(arena, f);
  return true;
}

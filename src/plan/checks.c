/* Checks: a flag is 1 if all elements of a pack are finite (gt_op.flag). The kernels that write parts of the
 * pack have the values in registers and can clear the flag themselves, so that consumers of the flag need not
 * wait for a kernel that reads everything again. The flag must be initialized before these kernels run: an
 * edge of the order ensures this. If the edge would create a cycle, the kernel does not check.
 *
 * Whether a kernel can check is known only after its group was lowered. The flag's own kernel checks the
 * parts that no other kernel checks. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>

/* The most unchecked parts of which each gets a kernel. For more of them, one kernel that checks the whole
 * pack is cheaper, although it runs in a later level. */
enum { MAX_UNCHECKED = 8 };

static bool is_flag(const gt_graph *graph, const gt_group *group) {
  return group->nodes == 1 && group->leader != GT_NONE && gt_node_at(graph, group->leader)->op->flag;
}

/* The pack that a flag checks; GT_NONE if its input is not a pack. */
static gt_id pack_of(const gt_layout *l, const gt_group *flag) {
  const gt_id x = l->fusion.origin[gt_node_at(l->graph, flag->leader)->input[0]];
  return gt_node_at(l->graph, x)->op->kind == GT_OP_PACK ? x : GT_NONE;
}

static bool is_part_of(const gt_layout *l, gt_id value, gt_id pack) {
  const gt_place *place = &l->place[value];
  return place->placed && !place->variable && place->into == pack;
}

/* True if all results of a kernel are parts of the pack. */
static bool all_are_parts_of(const gt_layout *l, gt_id leader, gt_id pack) {
  bool all = is_part_of(l, leader, pack);
  for (int k = 1; k <= gt_node_at(l->graph, leader)->op->further; k++)
    all = all && is_part_of(l, gt_result(l->graph, leader, k), pack);
  return all;
}

/* True if all complete column sums of the group, its only stored results, are parts of the pack. */
static bool sums_are_parts_of(const gt_layout *l, const gt_group *group, gt_id pack) {
  bool all = group->followers > 0;
  for (int i = 0; i < group->followers; i++) all = all && is_part_of(l, group->follower[i], pack);
  return all;
}

/* True if a group writes the value into the pack, writes nothing outside of the pack, is no row program, and
 * clears no other flag. */
static bool may_check(const gt_layout *l, const gt_group *group, gt_id value, gt_id pack, gt_id flag) {
  if (!is_part_of(l, value, pack)) return false;
  if (group->width || (group->flag && group->flag != flag + 1)) return false;
  if (group->columns) return sums_are_parts_of(l, group, pack);
  if (group->leader != GT_NONE && !gt_node_at(l->graph, group->leader)->op->epilogue)
    return all_are_parts_of(l, group->leader, pack);
  return group->program.outputs == 1 && group->output[0] == value;
}

/* Marks the groups that may clear this flag, and orders them after the flag's initial value. */
static void find_checks_of(gt_layout *l, gt_order *order, const gt_group *flag) {
  const gt_node *node = gt_node_at(l->graph, flag->leader);
  const gt_id pack = pack_of(l, flag), initial = l->fusion.origin[node->input[node->op->begins_as - 1]];
  const int maker = gt_fusion_maker(&l->fusion, initial);
  const gt_place *place_of_initial = &l->place[initial];
  if (pack == GT_NONE || maker < 0 || !place_of_initial->placed || place_of_initial->variable ||
      place_of_initial->into != flag->leader)
    return;
  const uint32_t initial_item = (uint32_t)maker;
  for (int i = 0; i < gt_node_at(l->graph, pack)->inputs; i++) {
    const gt_id part = l->fusion.origin[gt_node_at(l->graph, pack)->input[i]];
    const int writer = gt_fusion_maker(&l->fusion, part);
    if (writer < 0 || writer == maker || !may_check(l, &l->fusion.group[writer], part, pack, flag->leader))
      continue;
    const uint32_t writer_item = (uint32_t)writer;
    if (gt_order_reaches(order, &writer_item, 1, &initial_item, 1)) continue;
    gt_order_add_edge(order, initial_item, writer_item);
    l->fusion.group[writer].flag = flag->leader + 1;
  }
}

void gt_plan_find_checks(gt_layout *l, gt_order *order) {
  if (!l->options->target.device || l->options->no_fusion) return;
  for (int g = 0; g < l->fusion.groups; g++)
    if (is_flag(l->graph, &l->fusion.group[g])) find_checks_of(l, order, &l->fusion.group[g]);
}

/* Marks the groups in which every step that writes a value also checks it. */
static void find_checked(const gt_layout *l, bool *checks) {
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    bool clears = false, writes = false;
    for (size_t u = 0; u < draft->count; u++) {
      const gt_use *use = &draft->items[u];
      clears |= use->flag != 0;
      writes |= use->write && !use->flag && use->kind == GT_USE_NODE;
    }
    if (s && draft->item == draft[-1].item) {
      if (writes) checks[draft->item] &= clears;
    } else {
      checks[draft->item] = !writes || clears;
    }
  }
}

/* Adds a part of the pack to the list of unchecked ranges. follows: the part before it in the pack is the
 * last one in the list. That range is then extended to the end of this part, across the zeros of a gap. */
static void add_unchecked(gt_lowering *lowering, gt_element_range more, bool follows) {
  if (!follows) {
    *GT_PUSH(&lowering->unchecked) = more;
    return;
  }
  gt_element_range *last = &lowering->unchecked.items[lowering->unchecked.count - 1];
  last->count = more.offset + more.count - last->offset;
}

void gt_plan_list_unchecked(gt_layout *l, const gt_group *flag) {
  gt_lowering *lowering = &l->lowering;
  lowering->checked = false;
  lowering->unchecked.count = 0;
  if (!is_flag(l->graph, flag) || pack_of(l, flag) == GT_NONE) return;
  const gt_id pack = pack_of(l, flag);
  bool *checks = gt_alloc((size_t)l->fusion.groups + l->copies.count + 1), follows = false;
  find_checked(l, checks);
  for (int i = 0; i < gt_node_at(l->graph, pack)->inputs; i++) {
    const gt_id input = gt_node_at(l->graph, pack)->input[i], part = l->fusion.origin[input];
    const int writer = gt_fusion_maker(&l->fusion, part);
    const bool checked = writer >= 0 && l->fusion.group[writer].flag == flag->leader + 1 && checks[writer];
    const gt_element_range all = {gt_pack_offset(l->graph, pack, i),
                                  gt_shape_count(gt_node_at(l->graph, input)->shape)};
    if (!checked) add_unchecked(lowering, all, follows);
    follows = !checked;
    lowering->checked |= checked;
  }
  if (lowering->unchecked.count > MAX_UNCHECKED) lowering->checked = false;
  free(checks);
}

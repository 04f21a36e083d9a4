/* Lowering: calls gt_op.lower of each group's leader, in the order of execution, and emits the steps of
 * copies. */
#include "op/elementwise.h"
#include "op/rows.h"
#include "plan/internal.h"

/* Emits a copy as a program without instructions. Then changes its uses to the part of the target that is
 * copied, or to the scratch memory of a saved value. */
static bool lower_copy(gt_layout *l, const gt_value_copy *copy, gt_error *error) {
  const gt_node *source = gt_node_at(l->graph, copy->source);
  if (source->dtype != GT_F32)
    return gt_fail(error, GT_ERR_INTERNAL, "cannot copy %s values", gt_dtype_name(source->dtype));
  gt_group group = {.leader = GT_NONE, .shape = source->shape, .row_length = 1, .clock = GT_NONE};
  group.program.inputs = group.program.outputs = 1;
  group.input[0] = copy->source;
  group.output[0] = copy->target;
  group.nodes = 1;
  group.node = &copy->target;
  gt_elementwise_lower(&l->lowering, &group);
  const gt_draft *draft = gt_lowering_current(&l->lowering);
  for (size_t i = 0; i < draft->count; i++) {
    gt_use *use = &draft->items[i];
    uint32_t saved = use->write ? copy->to_saved : copy->from_saved;
    if (saved) {
      use->kind = GT_USE_SCRATCH;
      use->id = saved - 1;
    } else if (use->write) {
      use->part = true;
      use->offset = (uint64_t)copy->offset * gt_dtype_size(source->dtype);
      use->bytes = gt_node_bytes(l->graph, copy->source);
    }
  }
  return true;
}

static double group_flops(const gt_graph *graph, const gt_group *group) {
  double flops = 0;
  for (int i = 0; i < group->nodes; i++) {
    const gt_node *node = gt_node_at(graph, group->node[i]);
    flops += node->op->flops ? node->op->flops(graph, node) : (double)gt_shape_count(node->shape);
  }
  return flops;
}

static double group_functions(const gt_graph *graph, const gt_group *group) {
  if (group->leader == GT_NONE) return 0;
  const gt_node *node = gt_node_at(graph, group->leader);
  return node->op->functions ? node->op->functions(graph, node) : 0;
}

/* True if the leader's initial value (gt_op.begins_as) is already in the memory of the leader's value. */
static bool initial_value_is_there(const gt_layout *l, gt_id leader) {
  const gt_node *node = gt_node_at(l->graph, leader);
  if (!node->op->begins_as) return false;
  const gt_location a = gt_plan_locate_node(l, leader),
                    b = gt_plan_locate_node(l, node->input[node->op->begins_as - 1]);
  return a.variable == b.variable && a.id == b.id && a.offset == b.offset;
}

static void lower_group(gt_layout *l, const gt_group *group) {
  if (group->leader == GT_NONE) {
    if (group->width)
      gt_rows_lower(&l->lowering, group);
    else
      gt_elementwise_lower(&l->lowering, group);
    return;
  }
  if (gt_plan_is_left_out(l, group->leader)) return;
  l->lowering.begins_there = initial_value_is_there(l, group->leader);
  gt_plan_list_unchecked(l, group);
  l->lowering.followed = 0;
  gt_node_at(l->graph, group->leader)->op->lower(&l->lowering, group);
  for (int i = 0; i < group->followers; i++) {
    const gt_id *node = &group->follower[i];
    const gt_group group_of_one = {
        .leader = *node, .clock = GT_NONE, .row_length = 1, .node = node, .nodes = 1};
    if (!(l->lowering.followed >> i & 1)) gt_node_at(l->graph, *node)->op->lower(&l->lowering, &group_of_one);
  }
}

/* Allocates the scratch memory of saved values, which has the first numbers. */
static void reserve_saved(gt_layout *l) {
  for (size_t c = 0; c < l->copies.count; c++)
    if (l->copies.items[c].to_saved)
      gt_lower_scratch(&l->lowering, gt_node_bytes(l->graph, l->copies.items[c].source));
}

/* The node that gives the group's steps their name and layer: the leader, the first reduction of a row
 * program, or the last output. */
static gt_id named_after(const gt_graph *graph, const gt_group *group) {
  if (group->leader != GT_NONE) return group->leader;
  for (int n = 0; group->width && n < group->nodes; n++)
    if (gt_node_at(graph, group->node[n])->op->row) return group->node[n];
  return group->node[group->nodes - 1];
}

/* Requests the amax values per row or column that the kernel of node `reader` needs of its i-th input from
 * the kernel that writes this input as its only output. Called before anything is lowered. */
static void request_measures(gt_layout *l, gt_id reader, int i) {
  gt_fusion *f = &l->fusion;
  const gt_node *node = gt_node_at(l->graph, reader);
  const gt_id value = f->origin[node->input[i]];
  const gt_shape shape = gt_node_at(l->graph, node->input[i])->shape;
  const int maker = f->group_of[value];
  if (maker < 0 || shape.rank < 2) return;
  gt_group *group = &f->group[maker];
  if (gt_group_writes_rows(f, group, value, shape.dim[shape.rank - 1]))
    group->measured |= node->op->measures(&l->lowering, node, i);
  l->lowering.chosen = 0; /* discard choices that were only looked up */
}

static void request_all_measures(gt_layout *l) {
  for (int b = 0; b < l->fusion.groups && !l->options->no_fusion; b++) {
    const gt_group *group = &l->fusion.group[b];
    if (group->leader == GT_NONE || !group->nodes) continue;
    const gt_node *node = gt_node_at(l->graph, group->leader);
    for (int i = 0; node->op->measures && i < node->inputs; i++) request_measures(l, group->leader, i);
  }
}

bool gt_plan_lower(gt_layout *l, gt_error *error) {
  const gt_fusion *fusion = &l->fusion;
  gt_lowering *lowering = &l->lowering;
  reserve_saved(l);
  request_all_measures(l);
  for (uint32_t i = 0; i < l->ordered; i++) {
    int item = lowering->item = (int)l->order[i];
    size_t before = lowering->drafts.count;
    gt_id node;
    double flops = 0, functions = 0;
    if (item < fusion->groups) {
      const gt_group *group = &fusion->group[item];
      node = named_after(l->graph, group);
      flops = group_flops(l->graph, group);
      functions = group_functions(l->graph, group);
      lower_group(l, group);
    } else {
      const gt_value_copy *copy = &l->copies.items[item - fusion->groups];
      node = copy->target;
      if (!lower_copy(l, copy, error)) return false;
    }
    for (size_t s = before; s < lowering->drafts.count; s++) {
      gt_step *step = &lowering->drafts.items[s].step;
      step->node = node;
      step->scope = gt_node_at(l->graph, node)->scope;
      step->flops = step->prepares ? 0 : flops;
      step->functions = step->prepares ? 0 : functions;
      if (!step->prepares) flops = functions = 0; /* later steps of the group only finish the work */
      if (!gt_step_fits(step, lowering->target, error)) return false;
    }
  }
  return true;
}

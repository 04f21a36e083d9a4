/* Storage formats. A value can stay in a format other than float32 (bytes, rows of a table) if every consumer
 * can read it. Decided before placement and lowering, because it changes which values are read. In the code a
 * form is a storage format (gt_form), a producer leaves its value in a form (gt_op.leaves), and a consumer
 * takes a form if it can read it (gt_op.takes). */
#include "plan/internal.h"

/* True if node `user`, a leader, can read the value in this storage format at every input that reads it. */
static bool takes(gt_layout *l, gt_id user, gt_id value, const gt_form *form) {
  const gt_node *node = gt_node_at(l->graph, user);
  const int number = l->fusion.group_of[user];
  if (number < 0 || l->fusion.group[number].leader != user || !node->op->takes) return false;
  for (int i = 0; i < node->inputs; i++)
    if (node->input[i] == value && !node->op->takes(&l->lowering, &l->fusion.group[number], i, form))
      return false;
  return true;
}

/* True if every consumer, also through reshapes, can read the value in this storage format. */
static bool all_take(gt_layout *l, gt_id value, const gt_form *form) {
  const gt_fusion *f = &l->fusion;
  if (f->kept[value]) return false;
  for (uint32_t u = f->user_start[value]; u < f->user_start[value + 1]; u++) {
    const bool taken = gt_is_reshape(l->graph, f->user[u]) ? all_take(l, f->user[u], form)
                                                           : takes(l, f->user[u], value, form);
    if (!taken) return false;
  }
  return true;
}

void gt_plan_leave_forms(gt_layout *l) {
  for (int g = 0; g < l->fusion.groups && !l->options->no_fusion; g++) {
    const gt_group *group = &l->fusion.group[g];
    if (group->leader == GT_NONE || group->nodes != 1) continue;
    const gt_node *node = gt_node_at(l->graph, group->leader);
    gt_form form;
    if (node->op->leaves && node->op->leaves(l->graph, node, &form) && all_take(l, group->leader, &form))
      gt_lower_declare_format(&l->lowering, group->leader, form);
  }
}

bool gt_plan_is_left_out(const gt_layout *l, gt_id value) {
  const gt_form *form = gt_lower_form(&l->lowering, value);
  return form && form->kind == GT_FORM_ROWS;
}

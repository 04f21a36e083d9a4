/* Levels: the earliest level in which each step may run follows from hazards on the bytes that it accesses
 * (read after write, write after read, write after write), in the order of execution. Steps of one level are
 * independent. */
#include "base/count.h"
#include "base/memory.h"
#include "plan/hazards.h"
#include "plan/internal.h"
#include <stdlib.h>

gt_location gt_plan_locate_node(const gt_layout *l, gt_id id) {
  gt_location at = {false, id, 0, gt_node_bytes(l->graph, id)};
  for (;;) {
    const gt_place *place = &l->place[at.id];
    const gt_node *node = gt_node_at(l->graph, at.id);
    if (place->placed) {
      at.offset += place->offset;
      at.id = place->into;
      if (place->variable) return at.variable = true, at;
    } else if (l->fusion.origin[at.id] != at.id) {
      at.id = l->fusion.origin[at.id];
    } else if (node->op->kind == GT_OP_VIEW) {
      const gt_view_attribute *view = node->attribute;
      at.offset += (uint64_t)view->offset * gt_dtype_size(node->dtype);
      at.id = node->input[0];
    } else if (node->op->kind == GT_OP_VARIABLE) {
      at.id = ((const gt_variable_attribute *)node->attribute)->variable;
      return at.variable = true, at;
    } else {
      return at;
    }
  }
}

gt_location gt_plan_locate(const gt_layout *l, const gt_use *use) {
  gt_location at = {use->kind == GT_USE_VARIABLE, use->id, use->offset, use->bytes};
  if (use->kind == GT_USE_SCRATCH) at.id = l->graph->count + use->id;
  if (use->kind == GT_USE_NODE) {
    at = gt_plan_locate_node(l, use->id);
    at.offset += use->offset;
    at.bytes = use->bytes;
  }
  return at;
}

/* A part of a value that a step of the current item writes; steps that write other parts do not wait. */
typedef struct part {
  gt_range range;
  uint32_t level;
} part;

typedef struct leveling { /* of the steps lowered so far */
  const gt_layout *l;
  gt_hazards hazards;
  struct {
    part *items;
    size_t count, capacity;
  } parts, flags; /* flags: those that steps may clear in any order, with the last level of such a step */
} leveling;

static gt_range range_of(const gt_layout *l, const gt_use *use) {
  const gt_location at = gt_plan_locate(l, use);
  const size_t allocations = l->graph->count + l->lowering.scratch.count;
  return (gt_range){at.variable ? allocations + at.id : at.id, at.offset, at.bytes};
}

static bool ranges_overlap(gt_range a, gt_range b) {
  return a.piece == b.piece && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

static uint32_t earliest_level(const leveling *v, const gt_draft *draft, uint32_t min_level) {
  uint32_t level = min_level;
  for (size_t u = 0; u < draft->count; u++) {
    const gt_use *use = &draft->items[u];
    if (use->kind == GT_USE_CONSTANT) continue;
    const gt_range range = range_of(v->l, use);
    const uint32_t after = gt_hazards_after(&v->hazards, range, use->write);
    if (after > level) level = after;
    for (size_t i = 0; i < v->flags.count && !use->flag; i++)
      if (ranges_overlap(v->flags.items[i].range, range) && v->flags.items[i].level >= level)
        level = v->flags.items[i].level + 1;
    for (size_t i = 0; i < v->parts.count && !use->part; i++)
      if (ranges_overlap(v->parts.items[i].range, range) && v->parts.items[i].level >= level)
        level = v->parts.items[i].level + 1;
  }
  return level;
}

static void record_flag(leveling *v, gt_range range, uint32_t level) {
  for (size_t i = 0; i < v->flags.count; i++) {
    part *flag = &v->flags.items[i];
    if (!ranges_overlap(flag->range, range)) continue;
    if (level > flag->level) flag->level = level;
    return;
  }
  *GT_PUSH(&v->flags) = (part){range, level};
}

static void record_uses(leveling *v, const gt_draft *draft) {
  for (size_t u = 0; u < draft->count; u++) {
    const gt_use *use = &draft->items[u];
    if (use->kind == GT_USE_CONSTANT) continue;
    const gt_range range = range_of(v->l, use);
    if (use->flag)
      record_flag(v, range, draft->step.level);
    else if (use->part)
      *GT_PUSH(&v->parts) = (part){range, draft->step.level};
    else
      gt_hazards_touch(&v->hazards, range, use->write, draft->step.level);
  }
}

static void finish_item(leveling *v) {
  for (size_t i = 0; i < v->parts.count; i++)
    gt_hazards_touch(&v->hazards, v->parts.items[i].range, true, v->parts.items[i].level);
  v->parts.count = 0;
}

/* Order of steps in a level: steps with more operations first, so that the others fill the rest of the
 * device. Among heavy steps the one with fewer workgroups is first, because the many workgroups of the others
 * then use the units that it leaves idle; with equal workgroups the one with fewer operations is first
 * (docs/notes/thresholds.md). */
static int compare_in_level(const gt_step *x, const gt_step *y) {
  const double heavy = 1e8;
  const uint64_t groups_x = gt_step_workgroups(x), groups_y = gt_step_workgroups(y); /* 0 on a CPU */
  const bool two_heavy = x->flops >= heavy && y->flops >= heavy && groups_x && groups_y;
  if (two_heavy && groups_x != groups_y) return groups_x < groups_y ? -1 : 1;
  if (x->flops != y->flops) return (x->flops > y->flops) != two_heavy ? -1 : 1;
  return 0;
}

static int by_level(const void *a, const void *b) {
  const gt_draft *x = a, *y = b;
  if (x->step.level != y->step.level) return x->step.level < y->step.level ? -1 : 1;
  const int order = compare_in_level(&x->step, &y->step);
  if (order) return order;
  if (x->item != y->item) return x->item < y->item ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number; /* qsort is not stable */
}

void gt_plan_assign_levels(gt_layout *l, const bool *not_ahead) {
  leveling v = {.l = l};
  gt_lowering *lowering = &l->lowering;
  l->levels = 0;
  gt_hazards_init(&v.hazards, l->graph->count + lowering->scratch.count + l->graph->variables);
  for (size_t s = 0; s < lowering->drafts.count; s++)
    for (size_t u = 0; u < lowering->drafts.items[s].count; u++)
      if (lowering->drafts.items[s].items[u].kind != GT_USE_CONSTANT)
        gt_hazards_expect(&v.hazards, range_of(l, &lowering->drafts.items[s].items[u]));
  gt_hazards_ready(&v.hazards);
  for (size_t s = 0; s < lowering->drafts.count; s++) {
    gt_draft *draft = &lowering->drafts.items[s];
    if (s && draft->item != draft[-1].item) finish_item(&v);
    draft->step.level = earliest_level(&v, draft, not_ahead && not_ahead[s] ? l->ahead : 0);
    draft->number = s;
    record_uses(&v, draft);
    if (draft->step.level >= l->levels) l->levels = draft->step.level + 1;
  }
  gt_hazards_finish(&v.hazards);
  free(v.parts.items);
  free(v.flags.items);
}

/* Assigns levels with at most `most` overlapped ones, then delays steps. */
static void assign_and_delay(gt_layout *l, uint32_t most, bool keeps_overlapped) {
  l->ahead = 0;
  gt_plan_assign_levels(l, NULL);
  if (most) gt_plan_overlap(l, most);
  gt_plan_delay(l, keeps_overlapped);
  gt_plan_reduce_overlap(l);
}

/* Chooses the overlap: the largest one, unless it needs too much memory; otherwise, of those that do not, the
 * one with the least waiting. */
static void level_overlapping(gt_layout *l) {
  uint32_t best = 0;
  bool best_keeps = false, found = false;
  double least_waiting = 0;
  for (int64_t most = GT_MAX_AHEAD; most >= 0;) {
    const int64_t tried = most;
    for (int keeps_overlapped = 1; keeps_overlapped >= 0; keeps_overlapped--) {
      assign_and_delay(l, (uint32_t)tried, keeps_overlapped);
      if (l->ahead <= most) most = (int64_t)l->ahead - 1;
      if (gt_plan_overlap_is_expensive(l)) continue;
      if (keeps_overlapped && tried == GT_MAX_AHEAD) return;
      if (found && gt_plan_waiting(l) >= least_waiting) continue;
      found = true;
      least_waiting = gt_plan_waiting(l);
      best = (uint32_t)tried;
      best_keeps = keeps_overlapped;
    }
  }
  assign_and_delay(l, best, best_keeps);
}

/* On a CPU steps run one after another, so there is no overlap. */
void gt_plan_level(gt_layout *l) {
  gt_lowering *lowering = &l->lowering;
  if (lowering->target->device && !l->options->no_reuse && !l->options->no_overlap)
    level_overlapping(l);
  else
    assign_and_delay(l, 0, false);
  if (lowering->drafts.count)
    qsort(lowering->drafts.items, lowering->drafts.count, sizeof *lowering->drafts.items, by_level);
}

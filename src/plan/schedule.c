/* Levels: the earliest time each step may run, from hazards on the bytes it touches (read after write, write
 * after read, write after write), scanning steps in execution order. Steps of one level are independent. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>

gt_location gt_plan_locate_node(const gt_lowering *l, gt_id id) {
  const gt_node *node = gt_node_at(l->graph, id);
  gt_location at = {false, id, 0, (uint64_t)gt_shape_count(node->shape) * gt_dtype_size(node->dtype)};
  for (;;) {
    const gt_place *place = &l->place[at.id];
    node = gt_node_at(l->graph, at.id);
    if (place->placed) {
      at.offset += place->offset;
      at.id = place->into;
      if (place->variable) return at.variable = true, at;
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

gt_location gt_plan_locate(const gt_lowering *l, const gt_use *use) {
  gt_location at = {use->kind == USE_VARIABLE, use->id, use->offset, use->bytes};
  if (use->kind == USE_SCRATCH) at.id = l->graph->count + use->id;
  if (use->kind == USE_NODE) {
    at = gt_plan_locate_node(l, use->id);
    at.offset += use->offset;
    at.bytes = use->bytes;
  }
  return at;
}

typedef struct touch {
  gt_location at;
  uint32_t level;
  int item;
  bool write, part;
  struct touch *next; /* earlier touch of the same root or variable */
} touch;

static bool conflict(const touch *a, const gt_use *use, gt_location at, int item) {
  if (!a->write && !use->write) return false;
  if (a->part && use->part && a->item == item) return false;
  return a->at.offset < at.offset + at.bytes && at.offset < a->at.offset + a->at.bytes;
}

static int by_level(const void *a, const void *b) {
  const gt_draft *x = a, *y = b;
  if (x->step.level != y->step.level) return x->step.level < y->step.level ? -1 : 1;
  /* Heavy steps first: what starts early hides behind nothing. */
  if (x->step.flops != y->step.flops) return x->step.flops > y->step.flops ? -1 : 1;
  if (x->item != y->item) return x->item < y->item ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number; /* qsort need not leave equals as they stand */
}

void gt_plan_level(gt_lowering *l) {
  size_t roots = l->graph->count + l->scratch.count, variables = l->graph->variables;
  touch **last = gt_alloc(sizeof *last * (roots + variables + 1));
  gt_arena touches;
  gt_arena_init(&touches);
  for (size_t s = 0; s < l->drafts.count; s++) {
    gt_draft *draft = &l->drafts.items[s];
    uint32_t level = 0;
    for (size_t u = 0; u < draft->count; u++) {
      if (draft->items[u].kind == USE_CONSTANT) continue;
      gt_location at = gt_plan_locate(l, &draft->items[u]);
      for (touch *t = last[at.variable ? roots + at.id : at.id]; t; t = t->next)
        if (conflict(t, &draft->items[u], at, draft->item) && t->level >= level) level = t->level + 1;
    }
    draft->step.level = level;
    draft->number = s;
    for (size_t u = 0; u < draft->count; u++) {
      if (draft->items[u].kind == USE_CONSTANT) continue;
      gt_location at = gt_plan_locate(l, &draft->items[u]);
      touch **list = &last[at.variable ? roots + at.id : at.id], *t = GT_NEW(&touches, touch);
      *t = (touch){at, level, draft->item, draft->items[u].write, draft->items[u].part, *list};
      *list = t;
    }
  }
  qsort(l->drafts.items, l->drafts.count, sizeof *l->drafts.items, by_level);
  gt_arena_finish(&touches);
  free(last);
}

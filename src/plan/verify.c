/* What a plan promises, checked again: every access lies in its buffer, and no two steps of a level touch
 * what one of them writes. */
#include "base/memory.h"
#include "plan/plan.h"
#include <stdlib.h>

typedef struct touch {
  uint64_t buffer, offset, end;
  uint32_t step;
  gt_id node;
  bool write;
} touch;

/* Of all touches so far the two that reach furthest, of different steps (or nodes). */
typedef struct reach {
  const touch *first, *second;
} reach;

static int by_place(const void *left, const void *right) {
  const touch *a = left, *b = right;
  if (a->buffer != b->buffer) return a->buffer < b->buffer ? -1 : 1;
  if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
  return (a->step > b->step) - (a->step < b->step);
}

static bool same_node(const touch *a, const touch *b) { return a->node == b->node; }
static bool same_step(const touch *a, const touch *b) { return a->step == b->step; }

static void extend(reach *r, const touch *t, bool (*same)(const touch *, const touch *)) {
  if (!r->first || r->first->buffer != t->buffer) {
    *r = (reach){t, NULL};
  } else if (same(r->first, t)) {
    if (t->end > r->first->end) r->first = t;
  } else if (t->end > r->first->end) {
    *r = (reach){t, r->first};
  } else if (!r->second || t->end > r->second->end) {
    r->second = t;
  }
}

/* The touch that meets t, which begins behind it, of another step (or node), or NULL. */
static const touch *met(const reach *r, const touch *t, bool (*same)(const touch *, const touch *)) {
  const touch *other = r->first && same(r->first, t) ? r->second : r->first;
  return other && other->buffer == t->buffer && other->end > t->offset ? other : NULL;
}

static uint64_t buffer_bytes(const gt_plan *plan, uint32_t buffer) {
  switch (buffer) {
  case GT_PLAN_ARENA: return plan->arena_bytes;
  case GT_PLAN_LASTING: return plan->lasting_bytes;
  case GT_PLAN_CONSTANTS: return plan->constant_bytes;
  default: return plan->variable_bytes[buffer - GT_PLAN_VARIABLE];
  }
}

/* Parts of one value written by one lowering are disjoint by contract and carry the same node. */
static bool verify_touches(touch *list, size_t count, gt_error *error) {
  reach written_by_node = {NULL, NULL}, written_by_step = {NULL, NULL}, read = {NULL, NULL};
  qsort(list, count, sizeof *list, by_place);
  for (size_t i = 0; i < count; i++) {
    const touch *t = &list[i], *other = met(&written_by_step, t, same_step);
    if (t->write) {
      other = met(&written_by_node, t, same_node);
      if (!other) other = met(&read, t, same_step);
    }
    if (other)
      return gt_fail(error, GT_ERR_INTERNAL, "steps of nodes %u and %u share a level and memory", other->node,
                     t->node);
    if (t->write) {
      extend(&written_by_node, t, same_node);
      extend(&written_by_step, t, same_step);
    } else {
      extend(&read, t, same_step);
    }
  }
  return true;
}

static bool verify_level(const gt_plan *plan, uint32_t first, uint32_t end, gt_error *error) {
  size_t count = 0, most = 0;
  for (uint32_t s = first; s < end; s++) most += (size_t)plan->step[s].accesses;
  touch *list = gt_alloc(sizeof *list * (most + 1));
  for (uint32_t s = first; s < end; s++)
    for (int i = 0; i < plan->step[s].accesses; i++) {
      const gt_access *x = &plan->step[s].access[i];
      if (x->buffer == GT_PLAN_CONSTANTS || !x->bytes) continue;
      list[count++] = (touch){x->buffer, x->offset, x->offset + x->bytes, s, plan->step[s].node, x->write};
    }
  const bool ok = verify_touches(list, count, error);
  free(list);
  return ok;
}

static bool verify_step(const gt_plan *plan, uint32_t s, gt_error *error) {
  const gt_step *step = &plan->step[s];
  for (int i = 0; i < step->accesses; i++) {
    const gt_access *access = &step->access[i];
    const uint64_t limit = buffer_bytes(plan, access->buffer);
    if (access->offset > limit || access->bytes > limit - access->offset)
      return gt_fail(error, GT_ERR_INTERNAL, "step %u (node %u) reaches past its buffer", s, step->node);
    if (access->argument + 8 > step->args_size)
      return gt_fail(error, GT_ERR_INTERNAL, "step %u (node %u) has an address outside its arguments", s,
                     step->node);
  }
  if (s && step->level < plan->step[s - 1].level)
    return gt_fail(error, GT_ERR_INTERNAL, "step %u stands before its level", s);
  return true;
}

bool gt_plan_verify(const gt_plan *plan, gt_error *error) {
  for (uint32_t s = 0; s < plan->steps; s++)
    if (!verify_step(plan, s, error)) return false;
  for (uint32_t first = 0, end; first < plan->steps; first = end) {
    for (end = first + 1; end < plan->steps && plan->step[end].level == plan->step[first].level;) end++;
    if (!verify_level(plan, first, end, error)) return false;
  }
  return true;
}

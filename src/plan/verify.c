/* Verifies a finished plan: every access is inside its buffer, and no two steps that may run at the same time
 * access bytes that one of them writes. Such steps are those of a level, and overlapped steps with the last
 * levels of another replay. */
#include "base/memory.h"
#include "plan/plan.h"
#include <stdlib.h>

typedef struct touch { /* the bytes that a step accesses */
  uint64_t buffer, offset, end;
  uint32_t step;
  gt_id node;
  gt_id writer; /* same as `node`, or GT_NONE for a step that clears a flag */
  bool ahead;   /* belongs to the next replay */
  bool write;
} touch;

typedef struct touches {
  touch *items;
  size_t count, capacity;
} touches;

/* The two touches with the highest ends so far that belong to different steps (or nodes). */
typedef struct reach {
  const touch *first, *second;
} reach;

static int by_address(const void *left, const void *right) {
  const touch *a = left, *b = right;
  if (a->buffer != b->buffer) return a->buffer < b->buffer ? -1 : 1;
  if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
  return (a->step > b->step) - (a->step < b->step);
}

static bool same_node(const touch *a, const touch *b) {
  return a->writer == b->writer && a->ahead == b->ahead;
}
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

/* The touch of another step (or node) that overlaps t, which begins later; or NULL. */
static const touch *find_overlap(const reach *r, const touch *t, bool (*same)(const touch *, const touch *)) {
  const touch *other = r->first && same(r->first, t) ? r->second : r->first;
  return other && other->buffer == t->buffer && other->end > t->offset ? other : NULL;
}

static uint64_t buffer_bytes(const gt_plan *plan, uint32_t buffer) {
  switch (buffer) {
  case GT_PLAN_ARENA: return plan->arena_bytes;
  case GT_PLAN_PERSISTENT: return plan->persistent_bytes;
  case GT_PLAN_CONSTANTS: return plan->constant_bytes;
  default: return plan->variable_bytes[buffer - GT_PLAN_VARIABLE];
  }
}

/* Parts of one value written by one lowering are disjoint by contract and have the same node. Steps that
 * clear flags all write 0, so they may run together, also if a flag starts as another one in its memory. */
static bool verify_touches(touch *list, size_t count, gt_error *error) {
  reach written_by_node = {NULL, NULL}, written_by_step = {NULL, NULL}, read = {NULL, NULL};
  qsort(list, count, sizeof *list, by_address);
  for (size_t i = 0; i < count; i++) {
    const touch *t = &list[i], *other = find_overlap(&written_by_step, t, same_step);
    if (t->write) {
      other = find_overlap(&written_by_node, t, same_node);
      if (!other) other = find_overlap(&read, t, same_step);
    }
    if (other)
      return gt_fail(error, GT_ERR_INTERNAL,
                     "the steps of nodes %u and %u overlap in memory in the same level", other->node,
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

/* The index of levels: the steps of level l are start[l] to start[l + 1] - 1. */
static uint32_t *find_levels(const gt_plan *plan) {
  uint32_t *start = gt_alloc(sizeof *start * ((size_t)plan->levels + 1));
  for (uint32_t s = 0; s < plan->steps; s++) start[plan->step[s].level + 1] = s + 1;
  for (uint32_t level = 0; level < plan->levels; level++) /* for a level without steps */
    if (!start[level + 1]) start[level + 1] = start[level];
  return start;
}

/* Adds the touches of steps `first` to `end`, in an even or an odd replay. */
static void add_steps(const gt_plan *plan, uint32_t first, uint32_t end, bool odd, bool ahead,
                      touches *list) {
  for (uint32_t s = first; s < end; s++)
    for (int i = 0; i < plan->step[s].accesses; i++) {
      const gt_access *x = &plan->step[s].access[i];
      const uint64_t offset = x->offset + (odd ? x->stride : 0);
      if (x->buffer == GT_PLAN_CONSTANTS || !x->bytes) continue;
      *GT_PUSH(list) = (touch){.buffer = x->buffer,
                               .offset = offset,
                               .end = offset + x->bytes,
                               .step = s,
                               .node = plan->step[s].node,
                               .writer = x->flag ? GT_NONE : plan->step[s].node,
                               .ahead = ahead,
                               .write = x->write};
    }
}

/* Verifies a level of a replay together with level `ahead` of the next one, unless that is GT_NONE. */
static bool verify_together(const gt_plan *plan, const uint32_t *start, uint32_t level, uint32_t ahead,
                            bool odd, gt_error *error) {
  touches list = {0};
  add_steps(plan, start[level], start[level + 1], odd, false, &list);
  if (ahead != GT_NONE) add_steps(plan, start[ahead], start[ahead + 1], !odd, true, &list);
  const bool ok = verify_touches(list.items, list.count, error);
  free(list.items);
  return ok;
}

/* Verifies each level, and each overlapped level with all levels of the previous replay that may run at the
 * same time. */
static bool verify_levels(const gt_plan *plan, const uint32_t *start, gt_error *error) {
  const uint32_t left = plan->levels - plan->ahead;
  for (int odd = 0; odd < (plan->ahead ? 2 : 1); odd++) {
    for (uint32_t level = 0; level < plan->levels; level++)
      if (!verify_together(plan, start, level, GT_NONE, odd, error)) return false;
    for (uint32_t ahead = 0; ahead < plan->ahead; ahead++)
      for (uint32_t level = left + ahead; level < plan->levels; level++)
        if (!verify_together(plan, start, level, ahead, odd, error)) return false;
  }
  return true;
}

static bool verify_step(const gt_plan *plan, uint32_t s, gt_error *error) {
  const gt_step *step = &plan->step[s];
  for (int i = 0; i < step->accesses; i++) {
    const gt_access *access = &step->access[i];
    const uint64_t limit = buffer_bytes(plan, access->buffer), offset = access->offset + access->stride;
    if (offset > limit || access->bytes > limit - offset)
      return gt_fail(error, GT_ERR_INTERNAL, "step %u (node %u) accesses memory outside its buffer", s,
                     step->node);
    if (access->argument + 8 > step->args_size)
      return gt_fail(error, GT_ERR_INTERNAL, "step %u (node %u) has an address outside its arguments", s,
                     step->node);
  }
  if (step->level >= plan->levels || step->level < (s ? plan->step[s - 1].level : 0))
    return gt_fail(error, GT_ERR_INTERNAL, "step %u is outside its level", s);
  return true;
}

bool gt_plan_verify(const gt_plan *plan, gt_error *error) {
  for (uint32_t s = 0; s < plan->steps; s++)
    if (!verify_step(plan, s, error)) return false;
  if (2 * plan->ahead > plan->levels)
    return gt_fail(error, GT_ERR_INTERNAL, "%u of %u levels run ahead", plan->ahead, plan->levels);
  uint32_t *start = find_levels(plan);
  const bool ok = verify_levels(plan, start, error);
  free(start);
  return ok;
}

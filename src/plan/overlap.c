/* Overlap of replays: the first steps of a replay, such as the clock and the batch, do not depend on the
 * previous replay and can run at the same time as its last levels. This file chooses the number of overlapped
 * levels (`ahead`) that leaves the fewest levels to wait for. Steps that cannot be overlapped are moved after
 * these levels. At most half of all levels are overlapped, so that at most two replays are in flight.
 *
 * If the overlap needs much more memory, because values of both replays cannot share it, fewer levels or
 * fewer steps are overlapped: those with the least waiting (gt_plan_waiting).
 *
 * A step is not overlapped if it accesses a variable that another step writes. A value that is still in use
 * when the next replay recomputes it has two addresses, which replays alternate; if it is too large for that,
 * the step that computes it is not overlapped. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>
#include <string.h>

enum {
  MAX_TWICE_BYTES = 1 << 20, /* size of an allocation with two addresses, at most */
  WORTH_BYTES = 1 << 20      /* an overlapped level that saves no level must move more than this */
};

typedef struct variable_use { /* the steps that access a variable */
  size_t step;                /* 1 + the first one; 0: none */
  bool several, written;      /* several steps access it; a step writes it */
} variable_use;

static void add_use(variable_use *t, size_t step, bool write) {
  if (!t->step) t->step = step + 1;
  t->several |= t->step != step + 1;
  t->written |= write;
}

/* Marks the steps that access a variable which several steps access and at least one of them writes. */
static void mark_bound(const gt_layout *l, bool *not_ahead) {
  const size_t drafts = l->lowering.drafts.count;
  variable_use *uses = gt_alloc(sizeof *uses * (l->graph->variables + 1));
  for (int marking = 0; marking < 2; marking++)
    for (size_t s = 0; s < drafts; s++) {
      const gt_draft *draft = &l->lowering.drafts.items[s];
      for (size_t u = 0; u < draft->count; u++) {
        if (draft->items[u].kind == GT_USE_CONSTANT) continue;
        const gt_location at = gt_plan_locate(l, &draft->items[u]);
        if (!at.variable) continue;
        if (marking)
          not_ahead[s] |= uses[at.id].several && uses[at.id].written;
        else
          add_use(&uses[at.id], s, draft->items[u].write);
      }
    }
  free(uses);
}

bool gt_plan_may_lie_twice(const gt_layout *l, const gt_allocation *allocation) {
  return allocation->bytes <= MAX_TWICE_BYTES && !allocation->persistent && allocation->last < l->levels;
}

/* True if the step cannot be overlapped, because it accesses a value that needs two addresses but is too
 * large. */
static bool prevents_overlap(const gt_layout *l, const gt_draft *draft) {
  for (size_t u = 0; u < draft->count; u++) {
    if (draft->items[u].kind == GT_USE_CONSTANT) continue;
    const gt_location at = gt_plan_locate(l, &draft->items[u]);
    if (!at.variable && l->allocation[at.id].twice && !gt_plan_may_lie_twice(l, &l->allocation[at.id]))
      return true;
  }
  return false;
}

/* Marks the steps in overlapped levels that cannot be overlapped; true if there are any. */
static bool mark_not_ahead(gt_layout *l, bool *not_ahead) {
  bool any = false;
  gt_plan_lifetimes(l);
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    if (draft->step.level >= l->ahead || !prevents_overlap(l, draft)) continue;
    any = true;
    if (not_ahead) not_ahead[s] = true;
  }
  return any;
}

/* Assigns levels with `ahead` of them overlapped; returns the number of levels left to wait for, or
 * UINT32_MAX if more than half of all levels would be overlapped. */
static uint32_t try_ahead(gt_layout *l, uint32_t ahead, const bool *bound, bool *not_ahead) {
  memcpy(not_ahead, bound, l->lowering.drafts.count);
  l->ahead = ahead;
  do gt_plan_assign_levels(l, not_ahead);
  while (mark_not_ahead(l, not_ahead));
  return l->levels < 2 * ahead ? UINT32_MAX : l->levels - ahead;
}

/* Bytes that the overlapped steps move. */
static uint64_t bytes_ahead(const gt_layout *l) {
  uint64_t bytes = 0;
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    if (draft->step.level < l->ahead) bytes += gt_draft_bytes(draft);
  }
  return bytes;
}

double gt_plan_waiting(const gt_layout *l) {
  const double of_level = 16 << 20; /* the cost of a level, in bytes */
  return of_level * (l->levels - l->ahead) - (double)bytes_ahead(l);
}

void gt_plan_overlap(gt_layout *l, uint32_t most) {
  const size_t drafts = l->lowering.drafts.count;
  bool *bound = gt_alloc(drafts + 1), *not_ahead = gt_alloc(drafts + 1);
  uint32_t best = l->levels, chosen = 0;
  uint64_t best_bytes = 0;
  mark_bound(l, bound);
  for (uint32_t ahead = 1; ahead <= most; ahead++) {
    const uint32_t left = try_ahead(l, ahead, bound, not_ahead);
    const uint64_t bytes = bytes_ahead(l);
    if (left > best || (left == best && bytes <= best_bytes + WORTH_BYTES)) break;
    best = left;
    best_bytes = bytes;
    chosen = ahead;
  }
  try_ahead(l, chosen, bound, not_ahead);
  free(bound);
  free(not_ahead);
}

/* Called after steps were delayed to later levels. */
void gt_plan_reduce_overlap(gt_layout *l) {
  while (l->ahead && (l->levels < 2 * l->ahead || mark_not_ahead(l, NULL))) l->ahead--;
}

static uint64_t arena_bytes(gt_layout *l) {
  gt_plan plan = {0};
  gt_plan_memory(l, &plan);
  return plan.arena_bytes;
}

bool gt_plan_overlap_is_expensive(gt_layout *l) {
  enum { FREE = 1 << 20, SHARE = 16 }; /* expensive: more than FREE bytes, and more than 1 / SHARE of all */
  const uint32_t ahead = l->ahead;
  if (!ahead) return false;
  const uint64_t with = arena_bytes(l);
  l->ahead = 0;
  const uint64_t without = arena_bytes(l);
  l->ahead = ahead;
  return with > without + FREE && with > without + without / SHARE;
}

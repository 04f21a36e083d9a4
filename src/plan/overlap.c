/* Overlap: what a replay begins with, the clock and the drawing of a batch, needs nothing that the one before
 * it computes, and can run beside that one's last levels. How many levels run ahead is chosen here, so that
 * as few as possible are left to be waited for: whatever is not to run ahead is moved behind them. The first
 * `ahead` levels then run beside the last `ahead` levels of the replay before; they are at most half of all,
 * so that never more than two replays are under way.
 *
 * Where that takes much more memory, as what begins anew cannot share that of what ends, fewer levels run
 * ahead, or less in them: whatever leaves least to be waited for (gt_plan_waiting).
 *
 * A step stays behind if it has to do with a variable that another one changes. A value that is still in use
 * when the next replay makes it anew has two places, which replays take in turn; if it is too large for
 * that, what makes it stays behind. */
#include "base/memory.h"
#include "plan/internal.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TWICE = 1 << 20, WORTH = 1 << 20 /* bytes; WORTH: another level ahead that spares none */ };

typedef struct toucher { /* of a variable */
  size_t step;           /* 1 + the first; 0: none */
  bool several, written;
} toucher;

static void touch(toucher *t, size_t step, bool write) {
  if (!t->step) t->step = step + 1;
  t->several |= t->step != step + 1;
  t->written |= write;
}

/* Marks the steps that touch what one of several writes. */
static void find_bound(const gt_layout *l, bool *stays) {
  const size_t drafts = l->lowering.drafts.count;
  toucher *by = gt_alloc(sizeof *by * (l->graph->variables + 1));
  for (int marking = 0; marking < 2; marking++)
    for (size_t s = 0; s < drafts; s++) {
      const gt_draft *draft = &l->lowering.drafts.items[s];
      for (size_t u = 0; u < draft->count; u++) {
        if (draft->items[u].kind == GT_USE_CONSTANT) continue;
        const gt_location at = gt_plan_locate(l, &draft->items[u]);
        if (!at.variable) continue;
        if (marking)
          stays[s] |= by[at.id].several && by[at.id].written;
        else
          touch(&by[at.id], s, draft->items[u].write);
      }
    }
  free(by);
}

bool gt_plan_may_lie_twice(const gt_layout *l, const gt_root *root) {
  return root->bytes <= MOST_TWICE && !root->lasting && root->last < l->levels;
}

/* Values of the arena that a step makes or reads; whether one of them prevents it */
static bool hindered(const gt_layout *l, const gt_draft *draft) {
  for (size_t u = 0; u < draft->count; u++) {
    if (draft->items[u].kind == GT_USE_CONSTANT) continue;
    const gt_location at = gt_plan_locate(l, &draft->items[u]);
    if (!at.variable && l->root[at.id].twice && !gt_plan_may_lie_twice(l, &l->root[at.id])) return true;
  }
  return false;
}

/* Marks what would run ahead and cannot; true if there were any. */
static bool mark_hindered(gt_layout *l, bool *stays) {
  bool any = false;
  gt_plan_lifetimes(l);
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    if (draft->step.level >= l->ahead || !hindered(l, draft)) continue;
    any = true;
    if (stays) stays[s] = true;
  }
  return any;
}

/* Levels with so many of them ahead; and how many are left to wait for. */
static uint32_t try_ahead(gt_layout *l, uint32_t ahead, const bool *bound, bool *stays) {
  memcpy(stays, bound, l->lowering.drafts.count);
  l->ahead = ahead;
  do gt_plan_assign_levels(l, stays);
  while (mark_hindered(l, stays));
  return l->levels < 2 * ahead ? UINT32_MAX : l->levels - ahead;
}

/* Bytes that the steps which run ahead move. */
static uint64_t bytes_ahead(const gt_layout *l) {
  uint64_t bytes = 0;
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    if (draft->step.level < l->ahead) bytes += gt_draft_bytes(draft);
  }
  return bytes;
}

double gt_plan_waiting(const gt_layout *l) {
  const double of_level = 16 << 20;
  return of_level * (l->levels - l->ahead) - (double)bytes_ahead(l);
}

void gt_plan_overlap(gt_layout *l, uint32_t most) {
  const size_t drafts = l->lowering.drafts.count;
  bool *bound = gt_alloc(drafts + 1), *stays = gt_alloc(drafts + 1);
  uint32_t best = l->levels, chosen = 0;
  uint64_t best_bytes = 0;
  find_bound(l, bound);
  for (uint32_t ahead = 1; ahead <= most; ahead++) {
    const uint32_t left = try_ahead(l, ahead, bound, stays);
    const uint64_t bytes = bytes_ahead(l);
    if (left > best || (left == best && bytes <= best_bytes + WORTH)) break;
    best = left;
    best_bytes = bytes;
    chosen = ahead;
  }
  try_ahead(l, chosen, bound, stays);
  free(bound);
  free(stays);
}

/* Later levels for some steps may have come in the way. */
void gt_plan_settle_overlap(gt_layout *l) {
  while (l->ahead && (l->levels < 2 * l->ahead || mark_hindered(l, NULL))) l->ahead--;
}

static uint64_t arena_bytes(gt_layout *l) {
  gt_plan plan = {0};
  gt_plan_memory(l, &plan);
  return plan.arena_bytes;
}

bool gt_plan_overlap_is_dear(gt_layout *l) {
  enum { FREE = 1 << 20, SHARE = 16 }; /* more than so many bytes, and such a part of all */
  const uint32_t ahead = l->ahead;
  if (!ahead) return false;
  const uint64_t with = arena_bytes(l);
  l->ahead = 0;
  const uint64_t without = arena_bytes(l);
  l->ahead = ahead;
  return with > without + FREE && with > without + without / SHARE;
}

/* Delays steps to later levels, without adding levels or delaying their consumers. Steps are visited from the
 * last to the first, so that the producer of a delayed step can be delayed, too.
 *
 * - A cheap step (a copy, such as that of weights into the layout that a gradient reads, or a step with a few
 * operations per value) is delayed if that shortens the lifetime of its outputs by more than it lengthens the
 * lifetimes of its inputs.
 *
 * - A heavy step that does not depend on the L1 cache, in the same level as a heavy step that does, is
 * delayed to a level with less computation. If neither depends on the cache, separate levels are slower
 * (docs/notes/thresholds.md).
 *
 * - A short step in a level without heavy steps, for which all later levels would wait, is delayed to a level
 * with a heavy step. */
#include "base/count.h"
#include "base/memory.h"
#include "plan/hazards.h"
#include "plan/internal.h"
#include <stdlib.h>

enum {
  CHEAP = 8,             /* maximum operations per written value of a cheap step */
  SHORT_BYTES = 4 << 20, /* maximum bytes that a short step moves */
  HEAVY = 500000000      /* minimum operations (FLOPs) of a heavy step */
};

typedef struct work { /* the heavy steps of a level */
  double flops;
  uint32_t cached; /* number of those that depend on the L1 cache */
} work;

typedef struct lifetime {           /* of an allocation (gt_layout.allocation) */
  size_t first;                     /* the first step that accesses it */
  size_t last;                      /* a step that accesses it in its last level */
  uint32_t last_level, other_level; /* its last level, and the last level of the other steps */
  bool used;
} lifetime;

typedef struct delaying {
  gt_layout *l;
  uint32_t levels;
  gt_hazards hazards; /* of the steps visited so far, in levels counted from the last one */
  /* The same without accesses that clear a flag: such steps may run in any order. */
  gt_hazards hazards_without_flags;
  lifetime *allocation;  /* per allocation */
  work *work;            /* per level */
  bool keeps_overlapped; /* short steps in overlapped levels stay in these */
} delaying;

/* Records that a step of this level accesses the allocation. */
static void record_access(lifetime *allocation, size_t step, uint32_t level) {
  if (!allocation->used)
    *allocation = (lifetime){.first = step, .last = step, .last_level = level, .used = true};
  if (allocation->last == step) {
    if (level > allocation->last_level) allocation->last_level = level;
  } else if (level > allocation->last_level) {
    allocation->other_level = allocation->last_level;
    allocation->last = step;
    allocation->last_level = level;
  } else if (level > allocation->other_level) {
    allocation->other_level = level;
  }
}

static gt_range range_of(const gt_layout *l, gt_location at) {
  const size_t allocations = l->graph->count + l->lowering.scratch.count;
  return (gt_range){at.variable ? allocations + at.id : at.id, at.offset, at.bytes};
}

/* Records a step's uses of memory that may be reused. */
static void touch_all(delaying *d, size_t step) {
  const gt_draft *draft = &d->l->lowering.drafts.items[step];
  for (size_t u = 0; u < draft->count; u++) {
    if (draft->items[u].kind == GT_USE_CONSTANT) continue;
    const gt_location at = gt_plan_locate(d->l, &draft->items[u]);
    if (!at.variable) record_access(&d->allocation[at.id], step, draft->step.level);
  }
}

/* The last level in which the step may run: before other steps read its results or overwrite its inputs.
 * Steps that write parts of the same value look like hazards for each other, so they are not delayed. */
static uint32_t latest_level(const delaying *d, const gt_draft *draft) {
  uint32_t from_last = 0; /* level counted from the last one */
  for (size_t u = 0; u < draft->count; u++) {
    const gt_use *use = &draft->items[u];
    if (use->kind == GT_USE_CONSTANT) continue;
    const uint32_t after = gt_hazards_after(use->flag ? &d->hazards_without_flags : &d->hazards,
                                            range_of(d->l, gt_plan_locate(d->l, use)), use->write);
    if (after > from_last) from_last = after;
  }
  return from_last < d->levels ? d->levels - 1 - from_last : 0;
}

/* Records the hazards of a visited step. */
static void note_uses(delaying *d, const gt_draft *draft) {
  for (size_t u = 0; u < draft->count; u++) {
    const gt_use *use = &draft->items[u];
    if (use->kind == GT_USE_CONSTANT) continue;
    const gt_range range = range_of(d->l, gt_plan_locate(d->l, use));
    const uint32_t level = d->levels - 1 - draft->step.level;
    gt_hazards_touch(&d->hazards, range, use->write, level);
    if (!use->flag) gt_hazards_touch(&d->hazards_without_flags, range, use->write, level);
  }
}

/* The memory that is saved if the step runs in this later level, in bytes times levels; -1 if it creates no
 * value. */
static double memory_saved(const delaying *d, size_t step, uint32_t level) {
  const gt_draft *draft = &d->l->lowering.drafts.items[step];
  double gain = 0;
  bool makes = false;
  for (size_t u = 0; u < draft->count; u++) {
    const gt_use *use = &draft->items[u];
    if (use->kind == GT_USE_CONSTANT) continue;
    const gt_location at = gt_plan_locate(d->l, use);
    if (at.variable) continue;
    const lifetime *allocation = &d->allocation[at.id];
    const uint32_t others = allocation->last == step ? allocation->other_level : allocation->last_level;
    if (use->write && allocation->first == step) {
      gain += (double)at.bytes * (level - draft->step.level);
      makes = true;
    } else if (others < level) {
      gain -= (double)at.bytes * (level - others);
    }
  }
  return makes ? gain : -1;
}

static bool is_cheap(const gt_draft *draft) {
  double values = 0;
  for (size_t u = 0; u < draft->count; u++)
    if (draft->items[u].write) values += (double)draft->items[u].bytes / 4;
  return draft->step.flops <= CHEAP * values;
}

/* True if the step moves few bytes. Larger copies should run together with heavy steps and not in the
 * overlapped first levels, for which the next replay waits: there the scales of a batch of 8192 x 784 inputs
 * cost an MLP 784-512-256-10 5 % of its step. */
static bool is_short(const gt_draft *draft) { return gt_draft_bytes(draft) <= SHORT_BYTES; }

static bool is_heavy(const gt_draft *draft) { return draft->step.flops >= HEAVY; }

/* Updates d->work for a step that moves to this level. */
static void move_work(delaying *d, const gt_draft *draft, uint32_t level) {
  if (!is_heavy(draft)) return;
  d->work[draft->step.level].flops -= draft->step.flops;
  d->work[level].flops += draft->step.flops;
}

/* The level with the least computation, up to `latest`, for a heavy step that does not depend on the cache,
 * if one in the same level does; otherwise the current level. */
static uint32_t lightest_level(const delaying *d, const gt_draft *draft, uint32_t latest) {
  uint32_t best = draft->step.level;
  double least = d->work[best].flops;
  if (draft->step.cached || !d->work[best].cached || best < d->l->ahead) return best;
  for (uint32_t level = best + 1; level <= latest; level++)
    if (d->work[level].flops + draft->step.flops < least) {
      least = d->work[level].flops + draft->step.flops;
      best = level;
    }
  return best;
}

/* For a step that is not heavy: the next level, up to `latest`, with a heavy step that does not depend on the
 * cache, if the current level has no heavy step; otherwise the current level. */
static uint32_t next_busy_level(const delaying *d, const gt_draft *draft, uint32_t latest) {
  const uint32_t now = draft->step.level;
  if (d->work[now].flops > 0 || now < d->l->ahead || !is_short(draft)) return now;
  for (uint32_t level = now + 1; level <= latest; level++)
    if (d->work[level].flops > 0 && !d->work[level].cached) return level;
  return now;
}

static void delay_step(delaying *d, size_t step) {
  gt_draft *draft = &d->l->lowering.drafts.items[step];
  uint32_t latest = latest_level(d, draft);
  if (d->keeps_overlapped && draft->step.level < d->l->ahead && is_short(draft))
    latest = gt_min_u32(latest, d->l->ahead - 1);
  if (is_cheap(draft) && latest > draft->step.level && memory_saved(d, step, latest) >= 0) {
    draft->step.level = latest;
    touch_all(d, step);
  } else {
    const uint32_t level =
        is_heavy(draft) ? lightest_level(d, draft, latest) : next_busy_level(d, draft, latest);
    if (level != draft->step.level) {
      move_work(d, draft, level);
      draft->step.level = level;
      touch_all(d, step);
    }
  }
  note_uses(d, draft);
}

/* Removes empty levels. */
static void close_up(gt_layout *l, uint32_t levels) {
  gt_lowering *lowering = &l->lowering;
  uint32_t *number = gt_alloc(sizeof *number * ((size_t)levels + 1)), next = 0;
  for (size_t s = 0; s < lowering->drafts.count; s++) number[lowering->drafts.items[s].step.level] = 1;
  for (uint32_t level = 0; level < levels; level++) {
    const uint32_t used = number[level];
    number[level] = next;
    next += used;
  }
  for (size_t s = 0; s < lowering->drafts.count; s++)
    lowering->drafts.items[s].step.level = number[lowering->drafts.items[s].step.level];
  if (l->ahead) l->ahead = number[l->ahead];
  l->levels = next;
  free(number);
}

/* Adds hazards for values that the next replay recomputes in its overlapped levels: they must not be in use
 * then, unless they may have two addresses. */
static void expect_ahead(delaying *d) {
  const gt_lowering *lowering = &d->l->lowering;
  if (!d->l->ahead) return;
  gt_plan_lifetimes(d->l);
  for (size_t s = 0; s < lowering->drafts.count; s++) {
    const gt_draft *draft = &lowering->drafts.items[s];
    for (size_t u = 0; u < draft->count && draft->step.level < d->l->ahead; u++) {
      const gt_use *use = &draft->items[u];
      if (use->kind == GT_USE_CONSTANT || !use->write) continue;
      const gt_location at = gt_plan_locate(d->l, use);
      if (at.variable || gt_plan_may_lie_twice(d->l, &d->l->allocation[at.id])) continue;
      const uint32_t level = d->l->ahead - 1 - draft->step.level;
      gt_hazards_touch(&d->hazards, range_of(d->l, at), true, level);
      gt_hazards_touch(&d->hazards_without_flags, range_of(d->l, at), true, level);
    }
  }
}

void gt_plan_delay(gt_layout *l, bool keeps_overlapped) {
  gt_lowering *lowering = &l->lowering;
  const size_t allocations = l->graph->count + lowering->scratch.count;
  delaying d = {.l = l, .levels = l->levels, .keeps_overlapped = keeps_overlapped};
  gt_hazards_init(&d.hazards, allocations + l->graph->variables);
  gt_hazards_init(&d.hazards_without_flags, allocations + l->graph->variables);
  d.allocation = gt_alloc(sizeof *d.allocation * (allocations + 1));
  d.work = gt_alloc(sizeof *d.work * ((size_t)l->levels + 1));
  for (size_t s = 0; s < lowering->drafts.count; s++) {
    const gt_draft *draft = &lowering->drafts.items[s];
    for (size_t u = 0; u < draft->count; u++)
      if (draft->items[u].kind != GT_USE_CONSTANT) {
        gt_hazards_expect(&d.hazards, range_of(l, gt_plan_locate(l, &draft->items[u])));
        gt_hazards_expect(&d.hazards_without_flags, range_of(l, gt_plan_locate(l, &draft->items[u])));
      }
    touch_all(&d, s);
    if (!is_heavy(draft)) continue;
    d.work[draft->step.level].flops += draft->step.flops;
    d.work[draft->step.level].cached += draft->step.cached;
  }
  gt_hazards_ready(&d.hazards);
  gt_hazards_ready(&d.hazards_without_flags);
  expect_ahead(&d);
  for (size_t s = lowering->drafts.count; s-- > 0;) delay_step(&d, s);
  close_up(l, d.levels);
  gt_hazards_finish(&d.hazards);
  gt_hazards_finish(&d.hazards_without_flags);
  free(d.work);
  free(d.allocation);
}

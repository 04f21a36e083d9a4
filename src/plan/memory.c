/* Memory: computes lifetimes in levels, then offsets in one arena by first fit, largest allocation first. Two
 * allocations share bytes only if their ranges of levels are disjoint, so reuse never adds a hazard in a
 * level. Allocations that persist between runs share no bytes and are in a separate area. An allocation that
 * the overlapping next replay writes is also in use in the last levels. */
#include "base/memory.h"
#include "plan/internal.h"
#include "plan/spans.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 }; /* bytes */

static uint64_t aligned(uint64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void extend_lifetime(gt_allocation *allocation, uint32_t level, uint64_t bytes) {
  if (!allocation->used || level < allocation->first) allocation->first = level;
  if (level > allocation->last) allocation->last = level;
  if (bytes > allocation->bytes) allocation->bytes = bytes;
  allocation->used = true;
}

static void find_lifetimes(gt_layout *l) {
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    for (size_t u = 0; u < draft->count; u++) {
      if (draft->items[u].kind == GT_USE_CONSTANT) continue;
      gt_location at = gt_plan_locate(l, &draft->items[u]);
      if (!at.variable) extend_lifetime(&l->allocation[at.id], draft->step.level, at.offset + at.bytes);
    }
  }
  for (size_t s = 0; s < l->lowering.scratch.count; s++)
    l->allocation[l->graph->count + s].persistent = l->lowering.scratch.items[s].persistent;
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    bool pack = l->fusion.live[id] && node->op->kind == GT_OP_PACK;
    if (!pack && !l->fusion.kept[id]) continue;
    gt_location at = gt_plan_locate_node(l, id);
    if (at.variable) continue;
    if (pack)
      extend_lifetime(&l->allocation[at.id], l->allocation[at.id].used ? l->allocation[at.id].first : 0,
                      at.offset + at.bytes);
    /* The gaps of a pack stay zero because nothing else uses its memory. */
    if (pack && gt_pack_has_gaps(l->graph, id)) l->allocation[at.id].persistent = true;
    if (l->fusion.kept[id]) extend_lifetime(&l->allocation[at.id], l->levels, 0);
  }
}

static size_t count_allocations(const gt_layout *l) { return l->graph->count + l->lowering.scratch.count; }

void gt_plan_lifetimes(gt_layout *l) {
  const size_t count = count_allocations(l);
  if (!l->allocation) l->allocation = GT_NEW_N(l->arena, gt_allocation, count + 1);
  memset(l->allocation, 0, count * sizeof *l->allocation);
  find_lifetimes(l);
  for (size_t i = 0; i < count; i++) {
    gt_allocation *allocation = &l->allocation[i];
    if (!allocation->used || allocation->first >= l->ahead) continue;
    allocation->again = l->levels - l->ahead + allocation->first;
    allocation->twice = allocation->last >= allocation->again;
  }
}

uint64_t gt_plan_stride(const gt_allocation *allocation) {
  return allocation->twice ? aligned(allocation->bytes) : 0;
}

static int larger_first(const void *a, const void *b) {
  const gt_allocation *x = *(gt_allocation *const *)a, *y = *(gt_allocation *const *)b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return (x > y) - (x < y);
}

/* Places an allocation at the lowest offset that is free in all its levels and from level `again` to the last
 * one. */
static uint64_t fit_two_lifetimes(gt_spans *taken, const gt_allocation *allocation, uint32_t levels,
                                  uint64_t bytes) {
  uint64_t offset = 0, before;
  do {
    before = offset;
    offset = gt_spans_fit(taken, allocation->first, allocation->last, offset, bytes);
    offset = gt_spans_fit(taken, allocation->again, levels - 1, offset, bytes);
  } while (offset != before);
  gt_spans_take(taken, allocation->first, allocation->last, offset, bytes);
  gt_spans_take(taken, allocation->again, levels - 1, offset, bytes);
  return offset;
}

/* Places an allocation at the lowest offset that is free in all its levels, or at `top`, the end of the
 * arena, if memory is not reused. */
static uint64_t place_allocation(const gt_layout *l, gt_spans *taken, const gt_allocation *allocation,
                                 uint64_t bytes, uint64_t top) {
  if (l->options->no_reuse) return top;
  if (allocation->again && !allocation->twice) return fit_two_lifetimes(taken, allocation, l->levels, bytes);
  const uint32_t first = allocation->twice ? 0 : allocation->first,
                 last = allocation->twice ? l->levels : allocation->last;
  const uint64_t offset = gt_spans_fit(taken, first, last, 0, bytes);
  gt_spans_take(taken, first, last, offset, bytes);
  return offset;
}

void gt_plan_memory(gt_layout *l, gt_plan *plan) {
  const size_t count = count_allocations(l);
  size_t used = 0;
  gt_plan_lifetimes(l);
  gt_allocation **order = gt_alloc(sizeof *order * (count + 1));
  for (size_t i = 0; i < count; i++)
    if (l->allocation[i].used) order[used++] = &l->allocation[i];
  qsort(order, used, sizeof *order, larger_first);
  gt_spans taken;
  gt_spans_init(&taken, l->levels + 1);
  for (size_t i = 0; i < used; i++) {
    gt_allocation *allocation = order[i];
    const uint64_t bytes = aligned(allocation->bytes) + gt_plan_stride(allocation);
    plan->unaliased_bytes += bytes;
    if (allocation->persistent) {
      allocation->offset = plan->persistent_bytes;
      plan->persistent_bytes += bytes;
    } else {
      allocation->offset = place_allocation(l, &taken, allocation, bytes, plan->arena_bytes);
      if (allocation->offset + bytes > plan->arena_bytes) plan->arena_bytes = allocation->offset + bytes;
    }
  }
  gt_spans_finish(&taken);
  free(order);
}

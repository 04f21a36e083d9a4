/* Memory: lifetimes in levels, then offsets in one arena by first fit, largest first. Two values share bytes
 * only if their level ranges do not meet, so reuse never adds a hazard inside a level. */
#include "base/memory.h"
#include "plan/internal.h"
#include "plan/spans.h"
#include <stdlib.h>

enum { ALIGNMENT = 256 };

static uint64_t aligned(uint64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void touch_root(gt_root *root, uint32_t level, uint64_t bytes) {
  if (!root->used) *root = (gt_root){.bytes = 0, .first = level, .last = level, .used = true};
  if (level < root->first) root->first = level;
  if (level > root->last) root->last = level;
  if (bytes > root->bytes) root->bytes = bytes;
}

static void find_lifetimes(gt_layout *l, uint32_t levels) {
  for (size_t s = 0; s < l->lowering.drafts.count; s++) {
    const gt_draft *draft = &l->lowering.drafts.items[s];
    for (size_t u = 0; u < draft->count; u++) {
      if (draft->items[u].kind == GT_USE_CONSTANT) continue;
      gt_location at = gt_plan_locate(l, &draft->items[u]);
      if (!at.variable) touch_root(&l->root[at.id], draft->step.level, at.offset + at.bytes);
    }
  }
  for (size_t s = 0; s < l->lowering.scratch.count; s++) {
    gt_root *root = &l->root[l->graph->count + s];
    if (!l->lowering.scratch.items[s].lasting || !root->used) continue;
    touch_root(root, 0, 0);
    touch_root(root, levels, 0);
  }
  for (gt_id id = 0; id < l->graph->count; id++) {
    const gt_node *node = gt_node_at(l->graph, id);
    bool pack = l->fusion.live[id] && node->op->kind == GT_OP_PACK;
    if (!pack && !l->fusion.kept[id]) continue;
    gt_location at = gt_plan_locate_node(l, id);
    if (at.variable) continue;
    if (pack)
      touch_root(&l->root[at.id], l->root[at.id].used ? l->root[at.id].first : 0, at.offset + at.bytes);
    /* A pack's gaps are zero because nothing else ever uses its memory. */
    if (pack && gt_pack_has_gaps(l->graph, id)) touch_root(&l->root[at.id], 0, 0);
    if (l->fusion.kept[id] || (pack && gt_pack_has_gaps(l->graph, id)))
      touch_root(&l->root[at.id], levels, 0);
  }
}

static int larger_first(const void *a, const void *b) {
  const gt_root *x = *(gt_root *const *)a, *y = *(gt_root *const *)b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return (x > y) - (x < y);
}

uint64_t gt_plan_memory(gt_layout *l, uint64_t *unaliased) {
  size_t count = l->graph->count + l->lowering.scratch.count, used = 0;
  const size_t drafts = l->lowering.drafts.count;
  uint32_t levels = drafts ? l->lowering.drafts.items[drafts - 1].step.level + 1 : 0;
  l->root = GT_NEW_N(l->arena, gt_root, count + 1);
  find_lifetimes(l, levels);
  gt_root **order = gt_alloc(sizeof *order * (count + 1));
  for (size_t i = 0; i < count; i++)
    if (l->root[i].used) order[used++] = &l->root[i];
  qsort(order, used, sizeof *order, larger_first);
  gt_spans taken;
  gt_spans_init(&taken, levels + 1);
  uint64_t total = 0;
  *unaliased = 0;
  for (size_t i = 0; i < used; i++) {
    gt_root *root = order[i];
    const uint64_t bytes = aligned(root->bytes);
    root->offset = *unaliased;
    if (!l->options->no_reuse) {
      root->offset = gt_spans_fit(&taken, root->first, root->last, bytes);
      gt_spans_take(&taken, root->first, root->last, root->offset, bytes);
    }
    if (root->offset + bytes > total) total = root->offset + bytes;
    *unaliased += bytes;
  }
  gt_spans_finish(&taken);
  free(order);
  return total;
}

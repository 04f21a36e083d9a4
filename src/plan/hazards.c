/* A segment tree per piece of memory: its leaves are the intervals between adjacent bounds of the declared
 * ranges. An access is recorded in `whole` at the O(log n) nodes that make up its range, and in `within` at
 * these nodes and all their ancestors. Levels are stored plus 1; 0 means never. */
#include "plan/hazards.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { READ, WRITE, KINDS };

typedef struct gt_hazard_tree {
  uint64_t *bound; /* ascending */
  size_t bounds, leaves;
  uint32_t *whole[KINDS], *within[KINDS]; /* 2 * leaves each; node 1 is the root, leaf i node leaves + i */
} tree;

void gt_hazards_init(gt_hazards *hazards, size_t pieces) {
  *hazards = (gt_hazards){.pieces = pieces, .tree = gt_alloc(sizeof(tree) * (pieces + 1))};
}

void gt_hazards_expect(gt_hazards *hazards, gt_range range) {
  *GT_PUSH(&hazards->expected) = range;
  hazards->tree[range.piece].bounds += 2;
}

void gt_hazards_finish(gt_hazards *hazards) {
  free(hazards->tree);
  free(hazards->expected.items);
  free(hazards->bounds);
  free(hazards->levels);
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void sort_bounds(tree *t) {
  size_t kept = 0;
  qsort(t->bound, t->bounds, sizeof *t->bound, ascending);
  for (size_t i = 0; i < t->bounds; i++)
    if (!kept || t->bound[kept - 1] != t->bound[i]) t->bound[kept++] = t->bound[i];
  t->bounds = kept;
  t->leaves = kept ? kept - 1 : 0;
}

void gt_hazards_ready(gt_hazards *hazards) {
  uint64_t *bound = hazards->bounds = gt_alloc(2 * sizeof *bound * (hazards->expected.count + 1));
  for (size_t i = 0; i < hazards->pieces; i++) {
    tree *t = &hazards->tree[i];
    t->bound = bound;
    bound += t->bounds;
    t->bounds = 0;
  }
  for (size_t i = 0; i < hazards->expected.count; i++) {
    const gt_range *range = &hazards->expected.items[i];
    tree *t = &hazards->tree[range->piece];
    t->bound[t->bounds++] = range->offset;
    t->bound[t->bounds++] = range->offset + range->bytes;
  }
  size_t leaves = 0;
  for (size_t i = 0; i < hazards->pieces; i++) {
    sort_bounds(&hazards->tree[i]);
    leaves += hazards->tree[i].leaves;
  }
  uint32_t *level = hazards->levels = gt_alloc(2 * 2 * KINDS * sizeof *level * (leaves + 1));
  for (size_t i = 0; i < hazards->pieces; i++) {
    tree *t = &hazards->tree[i];
    for (int kind = 0; kind < KINDS; kind++) {
      t->whole[kind] = level, level += 2 * t->leaves;
      t->within[kind] = level, level += 2 * t->leaves;
    }
  }
}

/* The leaf that begins at a bound. */
static size_t leaf_of(const tree *t, uint64_t bound) {
  size_t low = 0, high = t->bounds;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (t->bound[middle] <= bound)
      low = middle;
    else
      high = middle;
  }
  return low + t->leaves;
}

static uint32_t max_level(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The last level that is recorded for the whole of a node or of an ancestor. */
static uint32_t latest_of_ancestors(const tree *t, size_t node, int kind) {
  uint32_t level = 0;
  for (; node; node /= 2) level = max_level(level, t->whole[kind][node]);
  return level;
}

/* 1 + the last level in which a byte of the range was accessed, or 0. */
static uint32_t last_touch(const tree *t, gt_range range, int kind) {
  size_t low = leaf_of(t, range.offset), high = leaf_of(t, range.offset + range.bytes);
  uint32_t level = 0;
  if (low < high)
    level = max_level(latest_of_ancestors(t, low, kind), latest_of_ancestors(t, high - 1, kind));
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) level = max_level(level, t->within[kind][low++]);
    if (high & 1) level = max_level(level, t->within[kind][--high]);
  }
  return level;
}

uint32_t gt_hazards_after(const gt_hazards *hazards, gt_range range, bool write) {
  const tree *t = &hazards->tree[range.piece];
  const uint32_t written = last_touch(t, range, WRITE);
  return write ? max_level(written, last_touch(t, range, READ)) : written;
}

static void record(tree *t, size_t node, int kind, uint32_t level) {
  t->whole[kind][node] = max_level(t->whole[kind][node], level);
  for (; node; node /= 2) t->within[kind][node] = max_level(t->within[kind][node], level);
}

void gt_hazards_touch(gt_hazards *hazards, gt_range range, bool write, uint32_t level) {
  tree *t = &hazards->tree[range.piece];
  size_t low = leaf_of(t, range.offset), high = leaf_of(t, range.offset + range.bytes);
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) record(t, low++, write ? WRITE : READ, level + 1);
    if (high & 1) record(t, --high, write ? WRITE : READ, level + 1);
  }
}

/* A segment tree over the levels. A span of bytes in a range of levels is recorded in `whole` at the O(log n)
 * nodes that make up these levels, and in `within` at these nodes and on the paths from the first and the
 * last level to the root. Adjacent spans of a node are merged; few are left, because values are allocated
 * next to each other. */
#include "plan/spans.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 }; /* of the tree: levels are 32-bit numbers */

typedef struct span {
  uint64_t offset, end;
} span;

typedef struct gt_taken { /* ascending, with gaps between them */
  span *items;
  size_t count, capacity;
} taken;

void gt_spans_init(gt_spans *spans, uint32_t levels) {
  *spans = (gt_spans){.leaves = 1};
  while (spans->leaves < levels) spans->leaves *= 2;
  spans->whole = gt_alloc(2 * sizeof *spans->whole * spans->leaves);
  spans->within = gt_alloc(2 * sizeof *spans->within * spans->leaves);
}

void gt_spans_finish(gt_spans *spans) {
  for (size_t i = 0; i < 2 * spans->leaves; i++) {
    free(spans->whole[i].items);
    free(spans->within[i].items);
  }
  free(spans->whole);
  free(spans->within);
}

/* The first span that ends at or after `offset`. */
static size_t first_ending(const taken *t, uint64_t offset) {
  size_t low = 0, high = t->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (t->items[middle].end < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add(taken *t, span s) {
  const size_t at = first_ending(t, s.offset);
  size_t stop = at;
  for (; stop < t->count && t->items[stop].offset <= s.end; stop++) {
    if (t->items[stop].offset < s.offset) s.offset = t->items[stop].offset;
    if (t->items[stop].end > s.end) s.end = t->items[stop].end;
  }
  if (stop == at && t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1;
    t->items = gt_realloc(t->items, t->capacity * sizeof *t->items);
  }
  if (stop != at + 1) memmove(t->items + at + 1, t->items + stop, (t->count - stop) * sizeof *t->items);
  t->count += at + 1 - stop;
  t->items[at] = s;
}

void gt_spans_take(gt_spans *spans, uint32_t first, uint32_t last, uint64_t offset, uint64_t bytes) {
  size_t low = first + spans->leaves, high = last + spans->leaves + 1;
  const span s = {offset, offset + bytes};
  if (!bytes) return;
  for (size_t left = low, right = high - 1; left; left /= 2, right /= 2) {
    add(&spans->within[left], s);
    if (right != left) add(&spans->within[right], s);
  }
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) add(&spans->within[low], s), add(&spans->whole[low++], s);
    if (high & 1) add(&spans->within[--high], s), add(&spans->whole[high], s);
  }
}

/* The lowest offset, not below the given one, at which `bytes` bytes are free in t. */
static uint64_t fit_after(const taken *t, uint64_t offset, uint64_t bytes) {
  for (size_t i = first_ending(t, offset); i < t->count && t->items[i].offset < offset + bytes; i++)
    if (t->items[i].end > offset) offset = t->items[i].end;
  return offset;
}

uint64_t gt_spans_fit(const gt_spans *spans, uint32_t first, uint32_t last, uint64_t from, uint64_t bytes) {
  const taken *list[4 * MAX_DEPTH];
  size_t low = first + spans->leaves, high = last + spans->leaves + 1, count = 0;
  for (size_t left = low, right = high - 1; left; left /= 2, right /= 2) {
    list[count++] = &spans->whole[left];
    if (right != left) list[count++] = &spans->whole[right];
  }
  for (; low < high; low /= 2, high /= 2) {
    if (low & 1) list[count++] = &spans->within[low++];
    if (high & 1) list[count++] = &spans->within[--high];
  }
  uint64_t offset = from;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < count; i++) {
      const uint64_t next = fit_after(list[i], offset, bytes);
      moved |= next != offset;
      offset = next;
    }
  }
  return offset;
}

/* A stretch is the interval between two adjacent bounds of the declared ranges. Each stretch has a linked
 * list of the readers of its bytes. */
#include "plan/readers.h"
#include "base/memory.h"
#include <stdlib.h>

typedef struct gt_read_entry {
  size_t reader;
  size_t before; /* 1 + the previous entry of the same stretch, or 0 */
} entry;

typedef struct gt_read_variable {
  struct {
    uint64_t *items; /* ascending after gt_readers_ready */
    size_t count, capacity;
  } bounds;
  size_t *newest; /* per stretch: 1 + its newest entry, or 0 */
} read_variable;

void gt_readers_init(gt_readers *readers, uint32_t variables) {
  *readers = (gt_readers){.variables = variables};
  readers->variable = gt_alloc(sizeof *readers->variable * ((size_t)variables + 1));
}

void gt_readers_finish(gt_readers *readers) {
  for (uint32_t v = 0; v < readers->variables; v++) {
    free(readers->variable[v].bounds.items);
    free(readers->variable[v].newest);
  }
  free(readers->variable);
  free(readers->all.items);
  free(readers->entries.items);
  free(readers->found.items);
}

void gt_readers_expect(gt_readers *readers, gt_location range) {
  read_variable *v = &readers->variable[range.id];
  *GT_PUSH(&v->bounds) = range.offset;
  *GT_PUSH(&v->bounds) = range.offset + range.bytes;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

void gt_readers_ready(gt_readers *readers) {
  for (uint32_t i = 0; i < readers->variables; i++) {
    read_variable *v = &readers->variable[i];
    size_t kept = 0;
    if (!v->bounds.count) continue;
    qsort(v->bounds.items, v->bounds.count, sizeof *v->bounds.items, ascending);
    for (size_t b = 0; b < v->bounds.count; b++)
      if (!kept || v->bounds.items[kept - 1] != v->bounds.items[b])
        v->bounds.items[kept++] = v->bounds.items[b];
    v->bounds.count = kept;
    v->newest = gt_alloc(sizeof *v->newest * kept);
  }
}

/* The index of the first bound above `offset`, or the number of bounds. */
static size_t bound_above(const read_variable *v, uint64_t offset) {
  size_t low = 0, high = v->bounds.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (v->bounds.items[middle] <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void gt_readers_add(gt_readers *readers, uint32_t variable, gt_reader reader) {
  read_variable *v = &readers->variable[variable];
  const size_t above = bound_above(v, reader.offset), number = readers->all.count;
  bool found = false;
  for (size_t s = above ? above - 1 : 0; s + 1 < v->bounds.count; s++) {
    if (v->bounds.items[s] >= reader.offset + reader.bytes) break;
    *GT_PUSH(&readers->entries) = (entry){number, v->newest[s]};
    v->newest[s] = readers->entries.count;
    found = true;
  }
  if (found) *GT_PUSH(&readers->all) = reader;
}

void gt_readers_find(gt_readers *readers, gt_location range) {
  const read_variable *v = &readers->variable[range.id];
  readers->search++;
  readers->found.count = 0;
  for (size_t s = bound_above(v, range.offset) - 1; v->bounds.items[s] < range.offset + range.bytes; s++)
    for (size_t e = v->newest[s]; e; e = readers->entries.items[e - 1].before) {
      gt_reader *reader = &readers->all.items[readers->entries.items[e - 1].reader];
      if (reader->search == readers->search) continue;
      reader->search = readers->search;
      *GT_PUSH(&readers->found) = readers->entries.items[e - 1].reader;
    }
}

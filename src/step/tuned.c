#include "step/tuned.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static struct gt_tuned_entry *find(const gt_tuned *tuned, const char *key) {
  for (size_t i = 0; i < tuned->count; i++)
    if (!strcmp(tuned->items[i].key, key)) return &tuned->items[i];
  return NULL;
}

const char *gt_tuned_find(const gt_tuned *tuned, const char *key) {
  const struct gt_tuned_entry *found = find(tuned, key);
  return found ? found->candidate : NULL;
}

void gt_tuned_set(gt_tuned *tuned, const char *key, const char *candidate) {
  struct gt_tuned_entry *found = find(tuned, key);
  if (!candidate) {
    if (found) *found = tuned->items[--tuned->count];
    return;
  }
  if (!found) {
    found = GT_PUSH(tuned);
    found->key = gt_arena_strdup(&tuned->arena, key);
  }
  found->candidate = gt_arena_strdup(&tuned->arena, candidate);
}

void gt_tuned_finish(gt_tuned *tuned) {
  gt_arena_finish(&tuned->arena);
  free(tuned->items);
  *tuned = (gt_tuned){0};
}

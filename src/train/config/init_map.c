#include "train/config/init_map.h"
#include "base/names.h"
#include "base/text.h"
#include "store/state_dict.h"
#include <string.h>

enum { MAX_PAIRS = 12 }; /* in the text */

typedef struct layers { /* the layers of a model or file, in order of appearance */
  const char **name;
  int *pair; /* the layer of the other side; -1: none */
  int count;
} layers;

static layers create_layers(gt_arena *arena, int most) {
  return (layers){GT_NEW_N(arena, const char *, most + 1), GT_NEW_N(arena, int, most + 1), 0};
}

static void add_layer(layers *list, gt_names *seen, gt_arena *arena, const char *tensor) {
  const char *name = gt_slot_layer(arena, tensor);
  if (gt_names_add(seen, name, list->count) != list->count) return;
  list->pair[list->count] = -1;
  list->name[list->count++] = name;
}

/* Length of the common end of two names. */
static size_t common_end(const char *a, const char *b) {
  size_t length = 0;
  for (size_t n = strlen(a), m = strlen(b);
       length < n && length < m && a[n - 1 - length] == b[m - 1 - length];)
    length++;
  return length;
}

/* True if one name is the other after a prefix that ends with a dot. */
static bool is_prefixed(const char *a, const char *b) {
  const size_t n = strlen(a), m = strlen(b), common = common_end(a, b);
  return (common == n && m > n && b[m - n - 1] == '.') || (common == m && n > m && a[n - m - 1] == '.');
}

/* True if the file has parameters of the layer under the name `there`, and all that it has of it fit. */
static bool fits(const gt_container *file, const gt_store *store, const char *here, const char *there,
                 gt_arena *arena) {
  const size_t length = strlen(here);
  bool found = false;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (!gt_slot_has_role(slot, GT_WEIGHT_ROLES) || gt_slot_layer_length(slot->name) != length ||
        memcmp(slot->name, here, length))
      continue;
    const gt_stored *stored =
        gt_container_tensor(file, gt_arena_printf(arena, "%s%s", there, slot->name + length));
    if (stored && !gt_slot_fits(slot, stored)) return false;
    found |= stored && slot->role == GT_PARAMETER;
  }
  return found;
}

/* Pairs layers that fit, each with the longest common end; only_prefixed: only those with the same name after
 * a prefix. */
static void pair_layers(const gt_container *file, const gt_store *store, layers *ours, layers *theirs,
                        bool only_prefixed, gt_arena *arena) {
  for (int i = 0; i < ours->count; i++) {
    size_t longest = 0;
    int best = -1;
    for (int k = 0; k < theirs->count && ours->pair[i] < 0; k++) {
      const char *a = ours->name[i], *b = theirs->name[k];
      const size_t length = common_end(a, b);
      if (theirs->pair[k] >= 0 || !strcmp(a, b) || (only_prefixed && !is_prefixed(a, b)) ||
          (best >= 0 && length <= longest) || !fits(file, store, a, b, arena))
        continue;
      longest = length;
      best = k;
    }
    if (best < 0) continue;
    ours->pair[i] = best;
    theirs->pair[best] = i;
  }
}

/* The prefix that the paired names of the file have before those of the model; NULL: there is no common one.
 */
static const char *common_prefix(const layers *ours, const layers *theirs, gt_arena *arena) {
  const char *prefix = NULL;
  for (int i = 0; i < ours->count; i++) {
    if (ours->pair[i] < 0) continue;
    const char *a = ours->name[i], *b = theirs->name[ours->pair[i]];
    if (strlen(b) <= strlen(a) || !is_prefixed(a, b)) return NULL;
    const char *before = gt_arena_strndup(arena, b, strlen(b) - strlen(a));
    if (prefix && strcmp(prefix, before)) return NULL;
    prefix = before;
  }
  return prefix;
}

const char *gt_init_map_guess(const gt_container *file, const gt_store *store, gt_arena *arena,
                              const char **prefix) {
  layers ours = create_layers(arena, store->slots), theirs = create_layers(arena, file->tensors);
  gt_names seen = {.arena = arena}, seen_there = {.arena = arena};
  for (int i = 0; i < store->slots; i++)
    if (store->slot[i]->role == GT_PARAMETER) add_layer(&ours, &seen, arena, store->slot[i]->name);
  for (int i = 0; i < file->tensors; i++) add_layer(&theirs, &seen_there, arena, file->tensor[i].name);
  pair_layers(file, store, &ours, &theirs, true, arena);
  pair_layers(file, store, &ours, &theirs, false, arena);
  gt_list pairs = gt_list_open(arena, MAX_PAIRS);
  for (int i = 0; i < ours.count; i++)
    if (ours.pair[i] >= 0) gt_list_add(&pairs, "%s: %s", ours.name[i], theirs.name[ours.pair[i]]);
  *prefix = common_prefix(&ours, &theirs, arena);
  return pairs.count ? gt_list_text(&pairs, ", …") : NULL;
}

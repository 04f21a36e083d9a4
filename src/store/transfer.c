#include "store/transfer.h"
#include "store/state_dict.h"
#include <fnmatch.h>
#include <string.h>

static bool same_layer(const char *a, const char *b) {
  return gt_slot_layer_length(a) == gt_slot_layer_length(b) && !memcmp(a, b, gt_slot_layer_length(a));
}

static bool matches_layer(const char *pattern, const char *name) {
  char layer[512];
  const size_t length = gt_slot_layer_length(name);
  if (length >= sizeof layer) return false;
  memcpy(layer, name, length);
  layer[length] = 0;
  return !fnmatch(pattern, layer, 0);
}

bool gt_transfer_matches(const char *pattern, const char *name) {
  return matches_layer(pattern, name) || !fnmatch(pattern, name, 0);
}

const gt_stored *gt_transfer_find(const gt_transfer *transfer, const char *name, bool *left_out) {
  char renamed[1024];
  *left_out = false;
  for (int i = 0; i < transfer->rules; i++) {
    const gt_transfer_rule *rule = &transfer->rule[i];
    if (!gt_transfer_matches(rule->match, name)) continue;
    *left_out = !rule->from;
    if (!rule->from) return NULL;
    const char *suffix = matches_layer(rule->match, name) ? name + gt_slot_layer_length(name) : "";
    const int length = snprintf(renamed, sizeof renamed, "%s%s", rule->from, suffix);
    return length < (int)sizeof renamed ? gt_container_tensor(transfer->file, renamed) : NULL;
  }
  return gt_container_tensor(transfer->file, name);
}

/* The outcome for a slot, without regard to the rest of its layer. A constant must already have the file's
 * values (gt_transfer_constant), because derived tables were computed from it. */
static gt_transferred outcome_of(const gt_transfer *transfer, const gt_slot *slot, const gt_stored **stored) {
  bool left_out;
  *stored = gt_transfer_find(transfer, slot->name, &left_out);
  if (left_out) return GT_OMITTED;
  if (!*stored) return GT_MISSING;
  if (!gt_slot_fits(slot, *stored)) return GT_OTHER_SHAPE;
  const bool constant = slot->role == GT_CONSTANT;
  if (constant && memcmp((*stored)->data, slot->table, gt_stored_bytes(*stored)) != 0) return GT_OTHER_LAYER;
  return GT_COPIED;
}

void gt_transfer_constant(const gt_transfer *transfer, const gt_store *store, const gt_slot *constant,
                          int32_t *values) {
  const gt_stored *stored;
  bool left_out;
  for (int i = 0; i < store->slots; i++)
    if (same_layer(store->slot[i]->name, constant->name) &&
        gt_slot_has_role(store->slot[i], GT_WEIGHT_ROLES) &&
        outcome_of(transfer, store->slot[i], &stored) != GT_COPIED)
      return;
  stored = gt_transfer_find(transfer, constant->name, &left_out);
  if (gt_slot_fits(constant, stored) && gt_slot_find_out_of_range(constant, stored->data) < 0)
    memcpy(values, stored->data, gt_stored_bytes(stored));
}

static void copy_values(const void *values, const char *name, gt_shape shape, uint64_t seed, float *out) {
  (void)name;
  (void)seed;
  memcpy(out, values, (size_t)gt_shape_count(shape) * sizeof *out);
}

/* Numbers the layers in order of appearance: layer[i] becomes the number of slot i's layer. Returns how many
 * layers there are. */
static int number_layers(const gt_store *store, gt_arena *arena, int *layer) {
  gt_names names = {.arena = arena};
  int layers = 0;
  for (int i = 0; i < store->slots; i++) {
    const char *name = store->slot[i]->name;
    layer[i] = gt_names_add(&names, gt_arena_strndup(arena, name, gt_slot_layer_length(name)), layers);
    layers += layer[i] == layers;
  }
  return layers;
}

/* Rejects layers with constants or states (indivisible layers) that cannot be copied completely. */
static void reject_incomplete_layers(const gt_store *store, gt_transferred *result) {
  gt_arena arena;
  gt_arena_init(&arena);
  int *layer = gt_arena_alloc_n(&arena, (size_t)store->slots, sizeof *layer);
  const int layers = number_layers(store, &arena, layer);
  bool *is_indivisible = GT_NEW_N(&arena, bool, layers), *is_incomplete = GT_NEW_N(&arena, bool, layers);
  for (int i = 0; i < store->slots; i++) {
    is_indivisible[layer[i]] |= gt_slot_has_role(store->slot[i], GT_MODEL_ROLES & ~GT_ROLE(GT_PARAMETER));
    is_incomplete[layer[i]] |= gt_slot_has_role(store->slot[i], GT_MODEL_ROLES) && result[i] != GT_COPIED;
  }
  for (int i = 0; i < store->slots; i++)
    if (is_indivisible[layer[i]] && is_incomplete[layer[i]] && result[i] == GT_COPIED)
      result[i] = GT_OTHER_LAYER;
  gt_arena_finish(&arena);
}

int gt_transfer_apply(const gt_transfer *transfer, gt_store *store, gt_transferred *result) {
  const gt_stored *stored;
  bool left_out;
  int copied = 0;
  for (int i = 0; i < store->slots; i++)
    result[i] = gt_slot_has_role(store->slot[i], GT_MODEL_ROLES)
                    ? outcome_of(transfer, store->slot[i], &stored)
                    : GT_OMITTED;
  reject_incomplete_layers(store, result);
  for (int i = 0; i < store->slots; i++) {
    gt_slot *slot = store->slot[i];
    if (result[i] != GT_COPIED) continue;
    copied++;
    if (slot->role == GT_CONSTANT) continue;
    stored = gt_transfer_find(transfer, slot->name, &left_out);
    slot->fill = (gt_fill){.write = copy_values,
                           .settings = gt_arena_copy(store->arena, stored->data, gt_stored_bytes(stored))};
  }
  return copied;
}

bool gt_transfer_check(const gt_transfer *transfer, const gt_store *store, const gt_transferred *result,
                       const char *path, gt_error *error) {
  bool left_out;
  for (int i = 0; i < store->slots; i++)
    if (result[i] == GT_COPIED &&
        !gt_slot_check_values(store->slot[i], gt_transfer_find(transfer, store->slot[i]->name, &left_out),
                              path, error))
      return false;
  return true;
}

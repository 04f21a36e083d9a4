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
  if (left_out) *left_out = false;
  for (int i = 0; i < transfer->rules; i++) {
    const gt_transfer_rule *rule = &transfer->rule[i];
    if (!gt_transfer_matches(rule->match, name)) continue;
    if (left_out) *left_out = !rule->from;
    if (!rule->from) return NULL;
    const char *suffix = matches_layer(rule->match, name) ? name + gt_slot_layer_length(name) : "";
    const int length = snprintf(renamed, sizeof renamed, "%s%s", rule->from, suffix);
    return length < (int)sizeof renamed ? gt_container_tensor(transfer->file, renamed) : NULL;
  }
  return gt_container_tensor(transfer->file, name);
}

/* The lists along axis d of the slot; NULL: its indices are the same in the file. A slot that is not in the
 * store yet has none. */
static const gt_transfer_axis *lists_along(const gt_transfer *transfer, const gt_slot *slot, int d) {
  return transfer->axis && slot->role != GT_CONSTANT ? transfer->axis[slot->index][d] : NULL;
}

bool gt_transfer_fits(const gt_transfer *transfer, const gt_slot *slot, const gt_stored *stored) {
  gt_slot wanted = *slot;
  for (int d = 0; d < slot->shape.rank; d++) {
    const gt_transfer_axis *lists = lists_along(transfer, slot, d);
    if (lists) wanted.shape.dim[d] = slot->shape.dim[d] / lists->here * lists->there;
  }
  return gt_slot_fits(&wanted, stored);
}

/* True if the file has no value for the slot, because along an axis it has none of the names. */
static bool has_other_names(const gt_transfer *transfer, const gt_slot *slot) {
  for (int d = 0; d < slot->shape.rank; d++) {
    const gt_transfer_axis *lists = lists_along(transfer, slot, d);
    int64_t i = 0;
    while (lists && i < lists->here && lists->source[i] < 0) i++;
    if (lists && i == lists->here) return true;
  }
  return false;
}

/* The outcome for a slot, without regard to the rest of its layer. A constant must already have the file's
 * values (gt_transfer_constant), because derived tables were computed from it. */
static gt_transferred outcome_of(const gt_transfer *transfer, const gt_slot *slot, const gt_stored **stored) {
  bool left_out;
  *stored = gt_transfer_find(transfer, slot->name, &left_out);
  if (left_out) return GT_OMITTED;
  if (!*stored) return GT_MISSING;
  if (!gt_transfer_fits(transfer, slot, *stored)) return GT_OTHER_SHAPE;
  if (has_other_names(transfer, slot)) return GT_OTHER_NAMES;
  const bool constant = slot->role == GT_CONSTANT;
  if (constant && memcmp((*stored)->data, slot->table, gt_stored_bytes(*stored)) != 0) return GT_OTHER_LAYER;
  return GT_COPIED;
}

void gt_transfer_constant(const gt_transfer *transfer, const gt_store *store, const gt_slot *constant,
                          int32_t *values) {
  const gt_stored *stored;
  for (int i = 0; i < store->slots; i++)
    if (same_layer(store->slot[i]->name, constant->name) &&
        gt_slot_has_role(store->slot[i], GT_WEIGHT_ROLES) &&
        outcome_of(transfer, store->slot[i], &stored) != GT_COPIED)
      return;
  stored = gt_transfer_find(transfer, constant->name, NULL);
  if (gt_slot_fits(constant, stored) && gt_slot_find_out_of_range(constant, stored->data) < 0)
    memcpy(values, stored->data, gt_stored_bytes(stored));
}

static void copy_values(const void *values, const char *name, gt_shape shape, uint64_t seed, float *out) {
  (void)name;
  (void)seed;
  memcpy(out, values, (size_t)gt_shape_count(shape) * sizeof *out);
}

/* Initial values of a slot some of whose axes are matched by name. */
typedef struct matched_values {
  gt_fill initial; /* of indices that the file does not have */
  const float *stored;
  gt_shape stored_shape;
  const gt_transfer_axis *axis[GT_MAX_RANK];
} matched_values;

/* The place of a value in the file's tensor; -1: it has none. index: of the value, by axis. */
static int64_t find_source(const matched_values *m, const int64_t *index) {
  int64_t place = 0;
  for (int d = 0; d < m->stored_shape.rank; d++) {
    const gt_transfer_axis *a = m->axis[d];
    const int64_t source = a ? a->source[index[d] % a->here] : index[d];
    if (source < 0) return -1;
    place = place * m->stored_shape.dim[d] + (a ? index[d] / a->here * a->there + source : source);
  }
  return place;
}

static void copy_matched(const void *settings, const char *name, gt_shape shape, uint64_t seed, float *out) {
  const matched_values *m = settings;
  int64_t index[GT_MAX_RANK] = {0};
  if (m->initial.write) m->initial.write(m->initial.settings, name, shape, seed, out);
  for (int64_t i = 0; i < gt_shape_count(shape); i++) {
    const int64_t source = find_source(m, index);
    if (source >= 0)
      out[i] = m->stored[source];
    else if (!m->initial.write)
      out[i] = (float)m->initial.value;
    for (int d = shape.rank - 1; d >= 0 && ++index[d] == shape.dim[d]; d--) index[d] = 0;
  }
}

static gt_fill fill_from(const gt_transfer *transfer, const gt_slot *slot, const gt_stored *stored,
                         gt_arena *arena) {
  const float *values = gt_arena_copy(arena, stored->data, gt_stored_bytes(stored));
  matched_values m = {.initial = slot->fill, .stored = values, .stored_shape = stored->shape};
  bool matched = false;
  for (int d = 0; d < slot->shape.rank; d++) matched |= (m.axis[d] = lists_along(transfer, slot, d)) != NULL;
  if (!matched) return (gt_fill){.write = copy_values, .settings = values};
  return (gt_fill){.write = copy_matched, .settings = gt_arena_copy(arena, &m, sizeof m)};
}

/* Numbers the layers in order of appearance: layer[i] becomes the number of slot i's layer. Returns how many
 * layers there are. */
static int number_layers(const gt_store *store, gt_arena *arena, int *layer) {
  gt_names names = {.arena = arena};
  int layers = 0;
  for (int i = 0; i < store->slots; i++) {
    const char *name = store->slot[i]->name;
    layer[i] = gt_names_add(&names, gt_slot_layer(arena, name), layers);
    layers += layer[i] == layers;
  }
  return layers;
}

/* Rejects layers with constants or states (indivisible layers) that cannot be copied completely. A counter
 * may be missing, but is worth nothing alone. */
static void reject_incomplete_layers(const gt_store *store, gt_transferred *result) {
  gt_arena arena;
  gt_arena_init(&arena);
  int *layer = gt_arena_alloc_n(&arena, (size_t)store->slots, sizeof *layer);
  const int layers = number_layers(store, &arena, layer);
  bool *is_indivisible = GT_NEW_N(&arena, bool, layers), *is_incomplete = GT_NEW_N(&arena, bool, layers);
  for (int i = 0; i < store->slots; i++) {
    is_indivisible[layer[i]] |= gt_slot_has_role(store->slot[i], GT_MODEL_ROLES & ~GT_ROLE(GT_PARAMETER));
    is_incomplete[layer[i]] |= gt_slot_has_role(store->slot[i], GT_MODEL_ROLES) && result[i] != GT_COPIED &&
                               !store->slot[i]->dispensable;
  }
  for (int i = 0; i < store->slots; i++)
    if (is_indivisible[layer[i]] && is_incomplete[layer[i]] && result[i] == GT_COPIED)
      result[i] = GT_OTHER_LAYER;
  gt_arena_finish(&arena);
}

void gt_transfer_outcomes(const gt_transfer *transfer, const gt_store *store, gt_transferred *result) {
  const gt_stored *stored;
  for (int i = 0; i < store->slots; i++)
    result[i] = gt_slot_has_role(store->slot[i], GT_MODEL_ROLES)
                    ? outcome_of(transfer, store->slot[i], &stored)
                    : GT_OMITTED;
  reject_incomplete_layers(store, result);
}

int gt_transfer_apply(const gt_transfer *transfer, gt_store *store, gt_transferred *result) {
  const gt_stored *stored;
  bool left_out;
  int copied = 0;
  gt_transfer_outcomes(transfer, store, result);
  for (int i = 0; i < store->slots; i++) {
    gt_slot *slot = store->slot[i];
    if (result[i] != GT_COPIED) continue;
    copied++;
    if (slot->role == GT_CONSTANT) continue;
    stored = gt_transfer_find(transfer, slot->name, &left_out);
    slot->fill = fill_from(transfer, slot, stored, store->arena);
  }
  return copied;
}

bool gt_transfer_check(const gt_transfer *transfer, const gt_store *store, const gt_transferred *result,
                       const char *path, gt_error *error) {
  bool left_out;
  for (int i = 0; i < store->slots; i++) {
    if (result[i] != GT_COPIED) continue;
    gt_slot in_file = *store->slot[i];
    const gt_stored *stored = gt_transfer_find(transfer, in_file.name, &left_out);
    in_file.shape = stored->shape;
    if (!gt_slot_check_values(&in_file, stored, path, error)) return false;
  }
  return true;
}

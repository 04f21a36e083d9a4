#include "store/store.h"
#include "base/fingerprint.h"
#include "op/core.h"
#include <assert.h>
#include <string.h>

static int64_t align(int64_t count) { return (count + GT_STORE_ALIGN - 1) / GT_STORE_ALIGN * GT_STORE_ALIGN; }

gt_store *gt_store_create(gt_arena *arena) {
  gt_store *store = GT_NEW(arena, gt_store);
  store->arena = store->names.arena = store->variable_names.arena = arena;
  return store;
}

const gt_slot *gt_store_find(const gt_store *store, const char *name) {
  const int found = gt_names_find(&store->names, name);
  return found < 0 ? NULL : store->slot[found];
}

/* Returns `list` with room for at least one element after the first `count`. */
static void *with_room(gt_arena *arena, void *list, int count, int *capacity, size_t size) {
  if (count < *capacity) return list;
  *capacity = *capacity ? 2 * *capacity : 16;
  void *larger = gt_arena_alloc_n(arena, (size_t)*capacity, size);
  if (count) memcpy(larger, list, (size_t)count * size);
  return larger;
}

/* Index of the slot's variable; adds the variable if there is none of that name. */
static int variable_of(gt_store *store, const gt_slot *slot) {
  const int existing = gt_names_add(&store->variable_names, slot->variable, store->variables);
  if (existing != store->variables) return existing;
  store->variable = with_room(store->arena, store->variable, store->variables, &store->variable_capacity,
                              sizeof *store->variable);
  store->variable[store->variables] = (gt_store_variable){
      slot->variable, slot->role, slot->belongs_to ? slot->belongs_to->role : slot->role, slot->count};
  return store->variables++;
}

gt_slot *gt_store_add(gt_store *store, gt_slot slot) {
  const int existing = gt_names_add(&store->names, slot.name, store->slots);
  if (existing != store->slots) return store->slot[existing];
  store->slot = with_room(store->arena, store->slot, store->slots, &store->capacity, sizeof *store->slot);
  slot.index = store->slots;
  slot.count = gt_shape_count(slot.shape);
  if (slot.role == GT_PARAMETER) {
    slot.variable = GT_PARAMETERS_VARIABLE;
    store->parameters++;
  } else if (slot.role == GT_STATE) {
    slot.variable = GT_STATES_VARIABLE;
    slot.offset = store->states;
    store->states += align(slot.count);
  } else if (!slot.variable) {
    slot.variable = slot.name;
  }
  slot.variable_index = variable_of(store, &slot);
  return store->slot[store->slots++] = gt_arena_copy(store->arena, &slot, sizeof slot);
}

static void add_optimizer_slots(gt_store *store, gt_role of, const char *variable, gt_fill fill) {
  const int slots = store->slots;
  for (int i = 0; i < slots; i++) {
    const gt_slot *p = store->slot[i];
    if (p->role != of || (of == GT_PARAMETER && gt_slot_is_frozen(store, p))) continue;
    gt_store_add(store, (gt_slot){.name = gt_arena_printf(store->arena, "%s/%s", variable, p->name),
                                  .role = GT_OPTIMIZER,
                                  .shape = p->shape,
                                  .range = p->range,
                                  .variable = variable,
                                  .offset = p->offset,
                                  .fill = fill,
                                  .belongs_to = p});
  }
}

void gt_store_add_optimizer_slots(gt_store *store, const char *variable, gt_fill fill) {
  add_optimizer_slots(store, GT_PARAMETER, variable, fill);
}

void gt_store_add_state_averages(gt_store *store, const char *variable, gt_fill fill) {
  add_optimizer_slots(store, GT_STATE, variable, fill);
}

size_t gt_slot_layer_length(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? (size_t)(dot - name) : strlen(name);
}

const char *gt_slot_layer(gt_arena *arena, const char *name) {
  return gt_arena_strndup(arena, name, gt_slot_layer_length(name));
}

int64_t gt_slot_find_out_of_range(const gt_slot *constant, const int32_t *value) {
  const int64_t count = gt_shape_count(constant->shape);
  for (int64_t i = 0; i < count; i++)
    if (value[i] < 0 || value[i] >= constant->limit[i]) return i;
  return -1;
}

int64_t gt_slot_find_invalid(const gt_slot *slot, const float *value) {
  const int64_t count = gt_shape_count(slot->shape);
  const int64_t first = slot->range == GT_ASCENDING ? count / slot->shape.dim[0] : 0;
  if (slot->range == GT_ANY_VALUE) return -1;
  for (int64_t i = first; i < count; i++)
    if (value[i] < (slot->range == GT_ASCENDING ? value[i - first] : 0)) return i;
  return -1;
}

/* --- the layout of the parameters --- */

bool gt_slot_is_frozen(const gt_store *store, const gt_slot *parameter) {
  return store->group[parameter->group].frozen;
}

static void place_group(gt_store *store, int group, int64_t *end, int *placed) {
  gt_store_group *range = &store->group[group];
  range->offset = *end;
  /* Parameters whose size is a multiple of GT_STORE_ALIGN go first, so that gaps occur only between the
   * others. */
  for (int needs_gap = 0; needs_gap < 2; needs_gap++)
    for (int i = 0; i < store->slots; i++) {
      gt_slot *p = store->slot[i];
      if (p->role != GT_PARAMETER || p->group != group || (p->count % GT_STORE_ALIGN != 0) != needs_gap)
        continue;
      p->offset = *end;
      *end += align(p->count);
      store->parameter[(*placed)++] = p;
      store->values += p->count;
      if (!range->frozen) store->trainable_values += p->count;
    }
  range->count = *end - range->offset;
}

void gt_store_layout(gt_store *store, const bool *frozen, int groups) {
  int64_t end = 0;
  int placed = 0;
  store->groups = groups;
  store->group = GT_NEW_N(store->arena, gt_store_group, groups);
  store->parameter = GT_NEW_N(store->arena, gt_slot *, store->parameters);
  store->values = store->trainable_values = 0;
  for (int is_frozen = 0; is_frozen < 2; is_frozen++) {
    for (int g = 0; g < groups; g++) {
      store->group[g].frozen = frozen[g];
      if (frozen[g] == is_frozen) place_group(store, g, &end, &placed);
    }
    if (!is_frozen) store->trainable = end;
  }
  store->total = end;
}

/* --- in graphs --- */

int64_t gt_store_extent(const gt_store *store, int variable) {
  const gt_store_variable *v = &store->variable[variable];
  return v->role == GT_PARAMETER                    ? store->total
         : v->role == GT_STATE || v->of == GT_STATE ? store->states
         : v->role == GT_OPTIMIZER                  ? store->trainable
                                                    : v->count;
}

/* Reads a flat variable, the first time only: *read caches the node. */
static gt_id read_flat(gt_graph *graph, gt_id *read, const char *name, int64_t count) {
  if (*read == GT_NONE)
    *read = gt_variable_read(graph, gt_graph_variable(graph, name, gt_shape_1(count), GT_F32, false));
  return *read;
}

gt_store_reader gt_store_reader_open(const gt_store *store, gt_graph *graph, unsigned averaged) {
  gt_store_reader reader = {store, graph, averaged, GT_NONE, GT_NONE, GT_NONE, GT_NONE};
  if (store->total && !(averaged & GT_ROLE(GT_PARAMETER)))
    read_flat(graph, &reader.parameters, GT_PARAMETERS_VARIABLE, store->total);
  return reader;
}

gt_id gt_store_read(gt_store_reader *reader, const gt_slot *slot) {
  const gt_store *store = reader->store;
  gt_graph *graph = reader->graph;
  gt_id flat;
  if (slot->role == GT_STATE && reader->averaged & GT_ROLE(GT_STATE) && !slot->not_averaged)
    flat = read_flat(graph, &reader->average_states, GT_AVERAGE_STATES, store->states);
  else if (slot->role == GT_STATE)
    flat = read_flat(graph, &reader->states, GT_STATES_VARIABLE, store->states);
  else if (slot->role != GT_PARAMETER)
    return gt_variable_read(graph, gt_graph_variable(graph, slot->variable, slot->shape, slot->dtype, false));
  else if (reader->averaged & GT_ROLE(GT_PARAMETER) && !gt_slot_is_frozen(store, slot))
    flat = read_flat(graph, &reader->average, GT_AVERAGE_VARIABLE, store->trainable);
  else
    flat = read_flat(graph, &reader->parameters, GT_PARAMETERS_VARIABLE, store->total);
  return gt_view(graph, flat, slot->offset, slot->shape);
}

const gt_slot *gt_store_first_constant(const gt_store *store) {
  for (int i = 0; i < store->slots; i++)
    if (store->slot[i]->role == GT_CONSTANT) return store->slot[i];
  return NULL;
}

uint64_t gt_store_fingerprint(const gt_store *store) {
  uint64_t hash = 1;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->role != GT_CONSTANT) continue;
    hash = gt_fingerprint(hash, slot->name, strlen(slot->name));
    hash = gt_fingerprint(hash, slot->table, (size_t)slot->count * sizeof *slot->table);
  }
  return hash ? hash : 1;
}

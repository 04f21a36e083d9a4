#include "store/state_dict.h"
#include "base/log.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- state dicts --- */

static void create(gt_state_dict *dict, const gt_store *store) {
  *dict = (gt_state_dict){store, gt_alloc(((size_t)store->variables + 1) * sizeof *dict->variable)};
}

void gt_state_dict_finish(gt_state_dict *dict) {
  for (int v = 0; dict->variable && v < dict->store->variables; v++) free(dict->variable[v]);
  free(dict->variable);
  *dict = (gt_state_dict){0};
}

/* Size of a variable. */
static uint64_t bytes_of(const gt_store *store, int variable) {
  return (uint64_t)gt_store_extent(store, variable) * sizeof(float);
}

/* True if the variable belongs in a dict with these roles; tables stay in the store. */
static bool has_role(const gt_store *store, int variable, unsigned roles) {
  return GT_ROLE(store->variable[variable].role) & roles & ~GT_TABLE_ROLES;
}

/* Allocates a variable, zeroed. */
static void allocate(gt_state_dict *dict, int variable) {
  dict->variable[variable] = gt_alloc(bytes_of(dict->store, variable) + 1);
}

/* Frees a variable after it was uploaded, unless it holds parameters or states: optimizer slots may copy
 * them. */
static void free_unless_weights(gt_state_dict *dict, int variable) {
  if (GT_ROLE(dict->store->variable[variable].role) & GT_WEIGHT_ROLES) return;
  free(dict->variable[variable]);
  dict->variable[variable] = NULL;
}

static float *values_of(const gt_state_dict *dict, const gt_slot *slot) {
  return dict->variable[slot->variable_index] + slot->offset;
}

const void *gt_state_dict_slot(const gt_state_dict *dict, const gt_slot *slot) {
  return gt_slot_has_role(slot, GT_TABLE_ROLES) ? (const void *)slot->table : values_of(dict, slot);
}

static gt_stored as_tensor(const gt_state_dict *dict, const gt_slot *slot) {
  return (gt_stored){slot->name, slot->dtype, slot->shape, gt_state_dict_slot(dict, slot)};
}

int gt_state_dict_tensors(const gt_state_dict *dict, unsigned roles, gt_stored *tensors) {
  const gt_store *store = dict->store;
  int count = 0;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (gt_slot_has_role(slot, roles)) tensors[count++] = as_tensor(dict, slot);
  }
  return count;
}

const gt_slot *gt_state_dict_find_not_finite(const gt_state_dict *dict) {
  const gt_store *store = dict->store;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (!gt_slot_has_role(slot, GT_WEIGHT_ROLES)) continue;
    const gt_stored tensor = as_tensor(dict, slot);
    if (gt_stored_find_not_finite(&tensor) >= 0) return slot;
  }
  return NULL;
}

/* --- the device --- */

static bool upload(const gt_state_dict *dict, gt_buffers *buffers, int variable, gt_error *error) {
  const uint64_t bytes = bytes_of(dict->store, variable);
  return !bytes || gt_buffers_upload(buffers, dict->store->variable[variable].name, 0,
                                     dict->variable[variable], bytes, error);
}

bool gt_state_dict_upload(const gt_state_dict *dict, gt_buffers *buffers, gt_error *error) {
  for (int v = 0; v < dict->store->variables; v++)
    if (dict->variable[v] && !upload(dict, buffers, v, error)) return false;
  return true;
}

bool gt_state_dict_download(gt_state_dict *dict, const gt_store *store, gt_buffers *buffers, unsigned roles,
                            gt_error *error) {
  create(dict, store);
  for (int v = 0; v < store->variables; v++) {
    if (!has_role(store, v, roles)) continue;
    allocate(dict, v);
    if (!bytes_of(store, v) || gt_buffers_download(buffers, store->variable[v].name, 0, dict->variable[v],
                                                   bytes_of(store, v), error))
      continue;
    gt_state_dict_finish(dict);
    return false;
  }
  return true;
}

static bool copy_device(gt_buffers *buffers, const char *name, float *values, int64_t count, bool is_upload,
                        gt_error *error) {
  const uint64_t bytes = (uint64_t)count * sizeof *values;
  return is_upload ? gt_buffers_upload(buffers, name, 0, values, bytes, error)
                   : gt_buffers_download(buffers, name, 0, values, bytes, error);
}

/* Downloads the moving averages of the states in place of their values, or uploads the values as the
 * averages. Counters (gt_slot.not_averaged) have no average, so the dict keeps their values. */
static bool copy_state_averages(gt_state_dict *dict, gt_buffers *buffers, bool is_upload, gt_error *error) {
  const gt_store *store = dict->store;
  int states = -1;
  for (int v = 0; v < store->variables; v++)
    if (store->variable[v].role == GT_STATE) states = v;
  if (states < 0) return true;
  float *values = dict->variable[states], *former = gt_alloc(bytes_of(store, states) + 1);
  memcpy(former, values, bytes_of(store, states));
  const bool ok = copy_device(buffers, GT_AVERAGE_STATES, values, store->states, is_upload, error);
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->role == GT_STATE && slot->not_averaged)
      memcpy(values + slot->offset, former + slot->offset, (size_t)slot->count * sizeof *values);
  }
  free(former);
  return ok;
}

bool gt_state_dict_average(gt_state_dict *dict, gt_buffers *buffers, unsigned roles, bool is_upload,
                           gt_error *error) {
  const gt_store *store = dict->store;
  return (!(roles & GT_ROLE(GT_PARAMETER)) ||
          copy_device(buffers, GT_AVERAGE_VARIABLE, dict->variable[store->parameter[0]->variable_index],
                      store->trainable, is_upload, error)) &&
         (!(roles & GT_ROLE(GT_STATE)) || copy_state_averages(dict, buffers, is_upload, error));
}

bool gt_store_upload_tables(const gt_store *store, gt_buffers *buffers, gt_error *error) {
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (gt_slot_has_role(slot, GT_TABLE_ROLES) &&
        !gt_buffers_upload(buffers, slot->variable, 0, slot->table,
                           (uint64_t)slot->count * sizeof *slot->table, error))
      return false;
  }
  return true;
}

/* --- initial values --- */

static void fill(const gt_state_dict *dict, const gt_slot *slot, uint64_t seed) {
  float *value = values_of(dict, slot);
  if (slot->fill.write)
    slot->fill.write(slot->fill.settings, slot->name, slot->shape, seed, value);
  else if (slot->fill.copies)
    memcpy(value, values_of(dict, slot->belongs_to), (size_t)slot->count * sizeof *value);
  else
    for (int64_t k = 0; k < slot->count; k++) value[k] = (float)slot->fill.value;
}

static void fill_variable(gt_state_dict *dict, int variable, uint64_t seed) {
  allocate(dict, variable);
  for (int i = 0; i < dict->store->slots; i++)
    if (dict->store->slot[i]->variable_index == variable) fill(dict, dict->store->slot[i], seed);
}

/* Optimizer slots follow their parameters in the store, so parameters are filled first. */
void gt_state_dict_init(gt_state_dict *dict, const gt_store *store, unsigned roles, uint64_t seed) {
  create(dict, store);
  for (int v = 0; v < store->variables; v++)
    if (has_role(store, v, roles)) fill_variable(dict, v, seed);
}

static float *values_by_name(const gt_slot_values *values, const char *name) {
  const gt_state_dict *dict = values->owner;
  const gt_slot *slot = gt_store_find(dict->store, name);
  return slot && gt_slot_has_role(slot, GT_CHECKPOINT_ROLES) && dict->variable[slot->variable_index]
             ? values_of(dict, slot)
             : NULL;
}

gt_slot_values gt_state_dict_values(const gt_state_dict *dict) {
  return (gt_slot_values){.owner = dict, .find = values_by_name};
}

void gt_state_dict_reset(gt_state_dict *dict, unsigned roles, uint64_t seed) {
  for (int i = 0; i < dict->store->slots; i++)
    if (gt_slot_has_role(dict->store->slot[i], roles)) fill(dict, dict->store->slot[i], seed);
}

/* Copies or converts a slot's values from another dict; true if they are the same as there. */
static bool carry(const gt_state_dict *dict, const gt_slot *slot, const gt_state_dict *from,
                  const gt_slot *old_slot) {
  const size_t bytes = (size_t)slot->count * sizeof(float);
  const bool same_shape = gt_shape_equal(old_slot->shape, slot->shape);
  const float *old = values_of(from, old_slot);
  float *value = values_of(dict, slot);
  if (same_shape && !slot->form)
    memcpy(value, old, bytes);
  else if (slot->refit)
    slot->refit(old_slot, old, slot, value, &(gt_slot_values){from, values_by_name});
  return same_shape && !memcmp(value, old, bytes);
}

/* Slots of role GT_RUN, such as the loss and the history of a line search, are valid only for the parameters
 * they were computed with, so they come last and are reset if a parameter has changed. */
void gt_state_dict_carry(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                         uint64_t seed) {
  bool same_parameters = true;
  create(dict, store);
  for (int v = 0; v < store->variables; v++)
    if (has_role(store, v, GT_CHECKPOINT_ROLES)) allocate(dict, v);
  for (int run_slots = 0; run_slots < 2; run_slots++)
    for (int i = 0; i < store->slots; i++) {
      const gt_slot *slot = store->slot[i], *old = gt_store_find(from->store, slot->name);
      if (!gt_slot_has_role(slot, GT_CHECKPOINT_ROLES) || (slot->role == GT_RUN) != run_slots) continue;
      fill(dict, slot, seed);
      if (!old || (run_slots && !same_parameters)) continue;
      const bool is_unchanged = carry(dict, slot, from, old);
      same_parameters &= is_unchanged || slot->role != GT_PARAMETER;
    }
}

bool gt_store_init_device(const gt_store *store, gt_buffers *buffers, uint64_t seed, gt_error *error) {
  gt_state_dict dict;
  bool ok = true;
  create(&dict, store);
  for (int v = 0; v < store->variables && ok; v++) {
    if (!has_role(store, v, GT_CHECKPOINT_ROLES)) continue;
    fill_variable(&dict, v, seed);
    ok = upload(&dict, buffers, v, error);
    free_unless_weights(&dict, v);
  }
  gt_state_dict_finish(&dict);
  return ok;
}

/* --- files --- */

bool gt_slot_fits(const gt_slot *slot, const gt_stored *stored) {
  return stored && !stored->foreign_type && stored->dtype == slot->dtype &&
         gt_shape_equal(stored->shape, slot->shape);
}

static bool fail_optimizer(const char *path, const char *what, const char *name, gt_error *error) {
  return gt_fail(
      error, GT_ERR_DATA,
      "%s was made with another optimizer: %s '%s'. A phase (train.phases) can change the optimizer, "
      "or a new run can start from these weights, with --init and another --run-dir",
      path, what, name);
}

static bool fail_mismatch(const gt_slot *slot, const char *path, const gt_stored *stored, gt_error *error) {
  char wanted[128], found[128];
  if (slot->role == GT_OPTIMIZER || slot->role == GT_RUN)
    return fail_optimizer(path, "it has no matching", slot->name, error);
  const char *what = slot->role == GT_PARAMETER ? "parameter" : slot->role == GT_STATE ? "state" : "constant";
  if (!stored)
    return gt_fail(error, GT_ERR_DATA, "%s is from another model: it has no %s '%s'", path, what, slot->name);
  return gt_fail(error, GT_ERR_DATA, "%s is from another model: its '%s' is %s %s, the config's is %s %s",
                 path, slot->name, gt_dtype_name(stored->dtype), gt_shape_text(stored->shape, found),
                 gt_dtype_name(slot->dtype), gt_shape_text(slot->shape, wanted));
}

/* The slot's tensor in a file, or NULL after reporting why there is none. */
static const gt_stored *find_fitting(const gt_slot *slot, const gt_container *file, const char *path,
                                     gt_error *error) {
  const gt_stored *stored = gt_container_tensor(file, slot->name);
  if (gt_slot_fits(slot, stored)) return stored;
  fail_mismatch(slot, path, stored, error);
  return NULL;
}

bool gt_store_match(const gt_store *store, const gt_container *file, const char *path, unsigned roles,
                    gt_error *error) {
  for (int i = 0; i < store->slots; i++)
    if (gt_slot_has_role(store->slot[i], roles) && !find_fitting(store->slot[i], file, path, error))
      return false;
  return true;
}

bool gt_slot_check_values(const gt_slot *slot, const gt_stored *stored, const char *path, gt_error *error) {
  int64_t bad = gt_slot_has_role(slot, GT_WEIGHT_ROLES) ? gt_stored_find_not_finite(stored) : -1;
  if (bad >= 0)
    return gt_fail(error, GT_ERR_DATA, "%s: value %lld of '%s' is not finite", path, (long long)bad,
                   slot->name);
  bad = stored->dtype == GT_F32 ? gt_slot_find_invalid(slot, stored->data) : -1;
  if (bad < 0) return true;
  return gt_fail(error, GT_ERR_DATA, "%s: value %lld of '%s' is %g; expected %s", path, (long long)bad,
                 slot->name, (double)((const float *)stored->data)[bad],
                 slot->range == GT_ASCENDING ? "ascending values" : "0 or more");
}

static bool read_slot(gt_state_dict *dict, const gt_slot *slot, const gt_container *file, const char *path,
                      gt_error *error) {
  const gt_stored *stored = find_fitting(slot, file, path, error);
  if (!stored) return false;
  memcpy(values_of(dict, slot), stored->data, (size_t)slot->count * sizeof(float));
  return gt_slot_check_values(slot, stored, path, error);
}

/* Reads the optimizer slots of one variable. Missing slots, of parameters that were frozen, get initial
 * values; if all are missing, it fails. */
static bool read_optimizer_slots(gt_state_dict *dict, int variable, const gt_container *file,
                                 const char *path, gt_error *error) {
  const gt_store *store = dict->store;
  const gt_slot *missing = NULL;
  int found = 0;
  for (int i = 0; i < store->slots; i++) {
    const gt_slot *slot = store->slot[i];
    if (slot->variable_index != variable) continue;
    if (!gt_container_tensor(file, slot->name)) {
      missing = slot;
      fill(dict, slot, 0);
    } else if (!read_slot(dict, slot, file, path, error)) {
      return false;
    } else {
      found++;
    }
  }
  const char *name = store->variable[variable].name;
  if (!found) return fail_optimizer(path, "it has no matching", name, error);
  if (missing)
    gt_info("'%s' starts from scratch for parameters that were frozen, such as '%s'", name,
            missing->belongs_to->name);
  return true;
}

static bool read_variable(gt_state_dict *dict, int variable, const gt_container *file, const char *path,
                          gt_error *error) {
  const gt_store *store = dict->store;
  allocate(dict, variable);
  if (store->variable[variable].role == GT_OPTIMIZER)
    return read_optimizer_slots(dict, variable, file, path, error);
  for (int i = 0; i < store->slots; i++)
    if (store->slot[i]->variable_index == variable && !read_slot(dict, store->slot[i], file, path, error))
      return false;
  return true;
}

bool gt_state_dict_read(gt_state_dict *dict, const gt_store *store, const gt_container *file,
                        const char *path, unsigned roles, gt_error *error) {
  create(dict, store);
  for (int v = 0; v < store->variables; v++)
    if (has_role(store, v, roles) && !read_variable(dict, v, file, path, error)) {
      gt_state_dict_finish(dict);
      return false;
    }
  return true;
}

/* False, with an error, if the file has moments that this optimizer does not use and would drop. */
static bool check_moments(const gt_store *store, const gt_container *file, const char *path,
                          gt_error *error) {
  static const char mark[] = "optimizer.";
  for (int i = 0; i < file->tensors; i++) {
    const char *name = file->tensor[i].name;
    const size_t length = strcspn(name, "/");
    if (strncmp(name, mark, sizeof mark - 1) || !name[length]) continue;
    bool used = false;
    for (int v = 0; v < store->variables && !used; v++)
      used = !strncmp(store->variable[v].name, name, length) && !store->variable[v].name[length];
    if (!used) return fail_optimizer(path, "this one does not use its", name, error);
  }
  return true;
}

bool gt_store_restore(const gt_store *store, gt_buffers *buffers, const gt_container *file, const char *path,
                      gt_error *error) {
  gt_state_dict dict;
  bool ok = check_moments(store, file, path, error);
  create(&dict, store);
  for (int v = 0; v < store->variables && ok; v++) {
    if (!has_role(store, v, GT_CHECKPOINT_ROLES)) continue;
    ok = read_variable(&dict, v, file, path, error) && upload(&dict, buffers, v, error);
    free_unless_weights(&dict, v);
  }
  gt_state_dict_finish(&dict);
  return ok;
}

/* Kernels use constants as indices, so values from a file are checked first. */
static const int32_t *read_constant(const gt_slot *slot, const gt_container *file, const char *path,
                                    gt_error *error) {
  const gt_stored *stored = find_fitting(slot, file, path, error);
  const int32_t *value = stored ? stored->data : NULL;
  const int64_t bad = value ? gt_slot_find_out_of_range(slot, value) : -1;
  if (bad < 0) return value;
  gt_fail(error, GT_ERR_DATA, "%s: value %lld of '%s' is %d, outside 0 to %d", path, (long long)bad,
          slot->name, value[bad], slot->limit[bad] - 1);
  return NULL;
}

bool gt_store_read_constants(gt_store *store, const gt_container *file, const char *path, gt_error *error) {
  for (int i = 0; i < store->slots; i++) {
    gt_slot *slot = store->slot[i];
    if (slot->role != GT_CONSTANT) continue;
    const int32_t *value = read_constant(slot, file, path, error);
    if (!value) return false;
    slot->table = gt_arena_copy(store->arena, value, (size_t)slot->count * sizeof *value);
  }
  return true;
}

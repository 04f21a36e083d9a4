/* Values of the slots of a store: before the first step, on the device, on the host, and in files. Files use
 * the slots' names for tensors. Everything here selects slots by role (masks of GT_ROLE), nothing by name. */
#ifndef GT_STORE_STATE_DICT_H
#define GT_STORE_STATE_DICT_H
#include "store/buffers.h"
#include "store/safetensors.h"
#include "store/store.h"

/* Host copies of the variables that hold slots of some roles. Owner: the caller; zeroed: empty. */
typedef struct gt_state_dict {
  const gt_store *store;
  float **variable; /* by gt_slot.where; NULL: not held */
} gt_state_dict;

/* Fills *dict with the initial values of the slots of these roles, for a seed. With GT_OPTIMIZER, `roles`
 * must also have the roles of the optimized slots. */
void gt_state_dict_start(gt_state_dict *dict, const gt_store *store, unsigned roles, uint64_t seed);
/* Fills *dict with the checkpoint slots of `store`, copied by name from another store's dict; slot->refit
 * converts them if shapes differ or the slot has a form. Slots that `from` lacks get initial values, for a
 * seed; if a parameter has changed, so do slots of role GT_RUN. */
void gt_state_dict_carry(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                         uint64_t seed);
/* The values of parameters, states, optimizer and run slots in the dict, by name. */
gt_slot_values gt_state_dict_values(const gt_state_dict *dict);
/* Resets the slots of these roles in the dict to their initial values. */
void gt_state_dict_begin_again(gt_state_dict *dict, unsigned roles, uint64_t seed);
/* Sets every slot on the device, except constants and derived tables, to its initial values. The host never
 * holds more than parameters, states and one other variable at a time. */
bool gt_store_start(const gt_store *store, gt_buffers *buffers, uint64_t seed, gt_error *error);
/* Uploads constants and derived tables. */
bool gt_store_upload_tables(const gt_store *store, gt_buffers *buffers, gt_error *error);

/* Downloads the slots of these roles. */
bool gt_state_dict_download(gt_state_dict *dict, const gt_store *store, gt_buffers *buffers, unsigned roles,
                            gt_error *error);
/* Replaces the trained parameters and states in the dict, as far as `roles` has their roles, by their moving
 * averages, downloaded from the device. With `back`: uploads them from the dict as the averages instead. */
bool gt_state_dict_average(gt_state_dict *dict, gt_buffers *buffers, unsigned roles, bool back,
                           gt_error *error);
/* Reads a dict from a file. GT_ERR_DATA, and an empty dict, if a slot is missing, has another shape, or, in a
 * model, is not finite. Missing optimizer slots of parameters that were frozen get their initial values; but
 * if all slots of an optimizer variable are missing, the file is from another optimizer: GT_ERR_DATA. */
bool gt_state_dict_read(gt_state_dict *dict, const gt_store *store, const gt_container *file,
                        const char *path, unsigned roles, gt_error *error);
/* Reads the checkpoint slots of a file in the same way and uploads them, one variable after another. */
bool gt_store_restore(const gt_store *store, gt_buffers *buffers, const gt_container *file, const char *path,
                      gt_error *error);
bool gt_state_dict_upload(const gt_state_dict *dict, gt_buffers *buffers, gt_error *error);
/* The values of a slot; those of a table are its constants. */
const void *gt_state_dict_slot(const gt_state_dict *dict, const gt_slot *slot);
/* The slots of these roles as tensors that point into the dict and the store; `tensors` has room for
 * store->slots. Returns how many there are. */
int gt_state_dict_tensors(const gt_state_dict *dict, unsigned roles, gt_stored *tensors);
/* The first parameter or state that is not finite; NULL if all are finite. */
const gt_slot *gt_state_dict_not_finite(const gt_state_dict *dict);
void gt_state_dict_finish(gt_state_dict *dict);

/* True if the tensor's values are valid for the slot; GT_ERR_DATA if they are not finite or out of range. */
bool gt_slot_takes(const gt_slot *slot, const gt_stored *stored, const char *path, gt_error *error);
/* True if the tensor has the slot's dtype and shape; false for NULL. */
bool gt_slot_fits(const gt_slot *slot, const gt_stored *stored);
/* True if the file has all slots with matching shapes. Called before memory is allocated for a model that a
 * file describes. */
bool gt_store_match(const gt_store *store, const gt_container *file, const char *path, unsigned roles,
                    gt_error *error);
/* Copies a file's constants into the store's arena; each value is checked before a kernel uses it as an
 * index. */
bool gt_store_take_constants(gt_store *store, const gt_container *file, const char *path, gt_error *error);
#endif

/* Sets the values of a store's slots to their initial values, and copies them between the device, the host
 * and files. Tensors in files have the names of the slots. Functions select slots by role (`roles`: masks of
 * GT_ROLE). */
#ifndef GT_STORE_STATE_DICT_H
#define GT_STORE_STATE_DICT_H
#include "store/buffers.h"
#include "store/safetensors.h"
#include "store/store.h"

/* Host copies of the variables that hold slots of some roles. Owner: the caller. A zeroed struct is empty. */
typedef struct gt_state_dict {
  const gt_store *store;
  float **variable; /* indexed by gt_slot.variable_index; NULL: not in the dict */
} gt_state_dict;

/* Creates *dict with the initial values for `seed` of the slots with these roles. If `roles` has
 * GT_OPTIMIZER, it must also have the roles of the slots that optimizer slots belong to. */
void gt_state_dict_init(gt_state_dict *dict, const gt_store *store, unsigned roles, uint64_t seed);
/* Creates *dict with the checkpoint slots of `store`, copied by name from `from`, the dict of another store;
 * slot->refit converts them if shapes differ or the slot has a form. Slots that `from` lacks get their
 * initial values for `seed`; if a parameter has changed, so do slots of role GT_RUN. */
void gt_state_dict_carry(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                         uint64_t seed);
/* Access by name to the values of the checkpoint slots in the dict. */
gt_slot_values gt_state_dict_values(const gt_state_dict *dict);
/* Resets the slots of these roles in the dict to their initial values for `seed`. */
void gt_state_dict_reset(gt_state_dict *dict, unsigned roles, uint64_t seed);
/* Sets the checkpoint slots on the device to their initial values. To save memory, the host holds only
 * parameters, states and one other variable at a time. */
bool gt_store_init_device(const gt_store *store, gt_buffers *buffers, uint64_t seed, gt_error *error);
/* Uploads constants and derived tables. */
bool gt_store_upload_tables(const gt_store *store, gt_buffers *buffers, gt_error *error);

/* Creates *dict with the slots of these roles from the device. */
bool gt_state_dict_download(gt_state_dict *dict, const gt_store *store, gt_buffers *buffers, unsigned roles,
                            gt_error *error);
/* Downloads the moving averages of trained parameters and of states, if `roles` has GT_PARAMETER and
 * GT_STATE, into the dict in place of the values themselves. is_upload: instead uploads the values in the
 * dict as the averages. */
bool gt_state_dict_average(gt_state_dict *dict, gt_buffers *buffers, unsigned roles, bool is_upload,
                           gt_error *error);
/* Creates *dict from a file. GT_ERR_DATA, and an empty dict, if a slot is missing or has another shape, or if
 * a parameter or state is not finite or out of range. Missing optimizer slots get their initial values,
 * because their parameters were frozen; but if all slots of an optimizer variable are missing, the file is
 * from another optimizer: GT_ERR_DATA. path: for messages. */
bool gt_state_dict_read(gt_state_dict *dict, const gt_store *store, const gt_container *file,
                        const char *path, unsigned roles, gt_error *error);
/* Reads the checkpoint slots of a file in the same way and uploads them, one variable after another.
 * GT_ERR_DATA, too, if the file has moments that the optimizer of the store does not use. */
bool gt_store_restore(const gt_store *store, gt_buffers *buffers, const gt_container *file, const char *path,
                      gt_error *error);
bool gt_state_dict_upload(const gt_state_dict *dict, gt_buffers *buffers, gt_error *error);
/* The values of a slot in the dict; for constants and derived tables those in the store. */
const void *gt_state_dict_slot(const gt_state_dict *dict, const gt_slot *slot);
/* Lists the slots of these roles as tensors that point into the dict and the store; `tensors` has room for
 * store->slots. Returns their number. */
int gt_state_dict_tensors(const gt_state_dict *dict, unsigned roles, gt_stored *tensors);
/* The first parameter or state that is not finite; NULL if all are finite. */
const gt_slot *gt_state_dict_find_not_finite(const gt_state_dict *dict);
void gt_state_dict_finish(gt_state_dict *dict);

/* True if the tensor's values are valid for the slot; GT_ERR_DATA if they are not finite or out of range. */
bool gt_slot_check_values(const gt_slot *slot, const gt_stored *stored, const char *path, gt_error *error);
/* True if the tensor has the slot's dtype and shape; false for NULL. */
bool gt_slot_fits(const gt_slot *slot, const gt_stored *stored);
/* True if the file has all slots with matching shapes. Called before memory is allocated for a model that a
 * file describes. */
bool gt_store_match(const gt_store *store, const gt_container *file, const char *path, unsigned roles,
                    gt_error *error);
/* Copies a file's constants into the store's arena; each value is checked before a kernel uses it as an
 * index. */
bool gt_store_read_constants(gt_store *store, const gt_container *file, const char *path, gt_error *error);
#endif

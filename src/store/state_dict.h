/* What the slots of a store hold: before the first step, on the device, on the host, in files. Files name
 * tensors as the store names slots. Everything here goes by roles (masks of GT_ROLE) and nothing by name. */
#ifndef GT_STORE_STATE_DICT_H
#define GT_STORE_STATE_DICT_H
#include "store/buffers.h"
#include "store/safetensors.h"
#include "store/store.h"

/* Host copies of the variables that hold slots of some roles. Owner: the caller; a zeroed one is empty. */
typedef struct gt_state_dict {
  const gt_store *store;
  float **variable; /* by gt_slot.where; NULL: not held */
} gt_state_dict;

/* The slots of some roles as they begin, for a seed; of optimizer slots, with their parameters. */
void gt_state_dict_start(gt_state_dict *dict, const gt_store *store, unsigned roles, uint64_t seed);
/* The slots of a run's checkpoints, as those of the same names are in another store's dict; where shapes
 * differ, or a slot has a form, as slot->refit says; what was not there as it begins, for a seed, and so all
 * that is of a training as a whole where a parameter has changed. */
void gt_state_dict_carry(gt_state_dict *dict, const gt_store *store, const gt_state_dict *from,
                         uint64_t seed);
/* The slots of parameters, states and training that the dict holds, by name. */
gt_slot_values gt_state_dict_values(const gt_state_dict *dict);
/* Slots of these roles that the dict holds are as they begin. */
void gt_state_dict_begin_again(gt_state_dict *dict, unsigned roles, uint64_t seed);
/* Brings every slot but tables to the device as it begins; on the host there are never more than parameters,
 * states and one other variable. */
bool gt_store_start(const gt_store *store, gt_buffers *buffers, uint64_t seed, gt_error *error);
/* Brings the tables (constants and what is derived from them) to the device. */
bool gt_store_upload_tables(const gt_store *store, gt_buffers *buffers, gt_error *error);

/* From the device. */
bool gt_state_dict_download(gt_state_dict *dict, const gt_store *store, gt_buffers *buffers, unsigned roles,
                            gt_error *error);
/* Puts the moving averages over the trained parameters and states that the dict holds, as far as `roles`
 * asks for them; or, with `back`, these over the averages. */
bool gt_state_dict_average(gt_state_dict *dict, gt_buffers *buffers, unsigned roles, bool back,
                           gt_error *error);
/* From a file: GT_ERR_DATA, and an empty dict, if a slot is missing there, of another shape, or, as part of
 * a model, not finite. Optimizer slots that are not there, for their parameter was frozen, begin as in a new
 * run; at least one of a variable must be. Buffers are those of a run that has begun, or NULL where no roles
 * of training are asked for. */
bool gt_state_dict_read(gt_state_dict *dict, const gt_store *store, const gt_container *file,
                        const char *path, unsigned roles, gt_error *error);
/* A run's checkpoint to the device, in the same way. */
bool gt_store_restore(const gt_store *store, gt_buffers *buffers, const gt_container *file, const char *path,
                      gt_error *error);
bool gt_state_dict_upload(const gt_state_dict *dict, gt_buffers *buffers, gt_error *error);
/* The slot's values: of a table, those it was drawn with. */
const void *gt_state_dict_slot(const gt_state_dict *dict, const gt_slot *slot);
/* The slots of these roles as tensors that point into the dict and the store; tensors has room for
 * store->slots. Returns how many there are. */
int gt_state_dict_tensors(const gt_state_dict *dict, unsigned roles, gt_stored *tensors);
/* Of a model's parameters and states, the first that is not finite; NULL if all are. */
const gt_slot *gt_state_dict_not_finite(const gt_state_dict *dict);
void gt_state_dict_finish(gt_state_dict *dict);

/* True if the slot can hold the tensor's values, by its role and range; GT_ERR_DATA if they are not finite or
 * outside. */
bool gt_slot_takes(const gt_slot *slot, const gt_stored *stored, const char *path, gt_error *error);
/* True if it is a tensor of the slot's type and shape; NULL is not. */
bool gt_slot_fits(const gt_slot *slot, const gt_stored *stored);
/* True if all are in the file with the right shapes. Called before memory is allocated for a model that a
 * file describes. */
bool gt_store_match(const gt_store *store, const gt_container *file, const char *path, unsigned roles,
                    gt_error *error);
/* Makes a file's constants the store's own, copied to its arena; each value is checked before any kernel uses
 * it as an index. */
bool gt_store_take_constants(gt_store *store, const gt_container *file, const char *path, gt_error *error);
#endif

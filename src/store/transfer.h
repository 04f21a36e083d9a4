/* gt_transfer: what a model begins with is another model's tensors, as far as they fit (fine-tuning). Tensors
 * are taken by name; a map renames or leaves out: its keys are patterns of fnmatch(3) for this model's layers
 * ("head") or tensors ("head.bias"), its values the layer or tensor of the file, or NULL for nothing; the
 * first that matches holds. A tensor is taken if dtype and shape agree; a layer that owns constants or
 * states, whole or not at all, for its parameters mean nothing without them. Owner: whoever read the file,
 * which must outlive it. */
#ifndef GT_STORE_TRANSFER_H
#define GT_STORE_TRANSFER_H
#include "store/safetensors.h"
#include "store/store.h"

typedef struct gt_transfer_rule {
  const char *match, *from; /* from NULL: begins anew */
} gt_transfer_rule;

typedef struct gt_transfer {
  const gt_container *file;
  const gt_transfer_rule *rule;
  int rules;
} gt_transfer;

typedef enum gt_transferred {
  GT_TAKEN,
  GT_LEFT_OUT,
  GT_NOT_THERE,
  GT_OTHER_SHAPE,
  GT_OTHER_LAYER
} gt_transferred;

/* The tensor that a slot of this name would be taken from; NULL: none, and *left_out if the map says so. */
const gt_stored *gt_transfer_find(const gt_transfer *transfer, const char *name, bool *left_out);
/* True if the pattern of a rule names this tensor, or its layer. */
bool gt_transfer_matches(const char *pattern, const char *name);
/* For a model that is being built: puts a constant's values in the place of those that were drawn, if its
 * layer is taken as far as it is known yet. */
void gt_transfer_constant(const gt_transfer *transfer, const gt_store *store, const gt_slot *constant,
                          int32_t *values);
/* True if the slots can hold the values that gt_transfer_apply took for them; else GT_ERR_DATA. path: the
 * file's. */
bool gt_transfer_check(const gt_transfer *transfer, const gt_store *store, const gt_transferred *result,
                       const char *path, gt_error *error);
/* Makes the file's values those that the store's parameters and states begin with; result[store->slots] tells
 * what became of each slot of a model. Returns how many were taken. Values are copied to
 * the store's arena. */
int gt_transfer_apply(const gt_transfer *transfer, gt_store *store, gt_transferred *result);
#endif

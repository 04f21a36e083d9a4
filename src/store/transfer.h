/* gt_transfer: initializes a model from another model's tensors, as far as they match (fine-tuning). Tensors
 * are taken by name. A map renames or omits them: its keys are patterns of fnmatch(3) for this model's layers
 * ("head") or tensors ("head.bias"), its values the layer or tensor in the file, or NULL to omit; the first
 * match counts. A tensor is taken if dtype and shape agree. A layer with constants or states is taken as a
 * whole or not at all, because its parameters are meaningless without them. Owner: the caller who read the
 * file, which must outlive the transfer. */
#ifndef GT_STORE_TRANSFER_H
#define GT_STORE_TRANSFER_H
#include "store/safetensors.h"
#include "store/store.h"

typedef struct gt_transfer_rule {
  const char *match, *from; /* from NULL: omitted */
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

/* The tensor for a slot of this name; NULL: none, with *left_out true if the map omits it. */
const gt_stored *gt_transfer_find(const gt_transfer *transfer, const char *name, bool *left_out);
/* True if the pattern of a rule matches this tensor, or its layer. */
bool gt_transfer_matches(const char *pattern, const char *name);
/* While a model is built: replaces a constant's drawn values by those of the file, if all slots of its layer
 * added so far are taken. */
void gt_transfer_constant(const gt_transfer *transfer, const gt_store *store, const gt_slot *constant,
                          int32_t *values);
/* True if the values that gt_transfer_apply took are valid for their slots; else GT_ERR_DATA. result: from
 * gt_transfer_apply; path: of the file, for the message. */
bool gt_transfer_check(const gt_transfer *transfer, const gt_store *store, const gt_transferred *result,
                       const char *path, gt_error *error);
/* Makes the file's values the initial values of the store's parameters and states, copied to its arena.
 * result[store->slots]: the outcome for each slot. Returns how many were taken. */
int gt_transfer_apply(const gt_transfer *transfer, gt_store *store, gt_transferred *result);
#endif

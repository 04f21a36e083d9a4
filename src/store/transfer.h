/* gt_transfer: initializes a model from the tensors of a model file (fine-tuning). Each slot gets the tensor
 * of the same name if dtype and shape agree. Rules rename or omit tensors: `match` is a pattern of fnmatch(3)
 * for this model's layers ("head") or tensors ("head.bias"), `from` the layer or tensor in the file, or NULL
 * to omit it; the first rule that matches counts. A layer with constants or states is copied completely or
 * not at all, because its parameters are meaningless without them; only counters may be missing. Along an
 * axis whose indices have names, such as classes, values are matched by name: an index may have another place
 * in the file, or none, and then keeps its initial values. Owner: the caller who read the file, which must
 * outlive the transfer. */
#ifndef GT_STORE_TRANSFER_H
#define GT_STORE_TRANSFER_H
#include "store/safetensors.h"
#include "store/store.h"

typedef struct gt_transfer_rule {
  const char *match, *from; /* from NULL: omit the tensors that match */
} gt_transfer_rule;

/* How the indices along an axis of a slot are matched with those in the file. The axis may consist of several
 * such lists, one after another. */
typedef struct gt_transfer_axis {
  int64_t here, there;   /* their number */
  const int32_t *source; /* [here] the index in the file; -1: none */
} gt_transfer_axis;

typedef struct gt_transfer {
  const gt_container *file;
  const gt_transfer_rule *rule;
  int rules;
  /* [slots of the store] by axis; NULL: indices are the same in the file. NULL: so for all slots. */
  const gt_transfer_axis *(*axis)[GT_MAX_RANK];
} gt_transfer;

/* The outcome for a slot. */
typedef enum gt_transferred {
  GT_COPIED,      /* copied */
  GT_OMITTED,     /* a rule omits it, or models do not save its role */
  GT_MISSING,     /* the file has no such tensor */
  GT_OTHER_SHAPE, /* shape or dtype differ */
  GT_OTHER_NAMES, /* along an axis that is matched, the file has none of the names */
  GT_OTHER_LAYER  /* the layer has other constants, or cannot be copied completely */
} gt_transferred;

/* The file's tensor for a slot of this name, or NULL. *left_out: true if a rule omits it; may be NULL. */
const gt_stored *gt_transfer_find(const gt_transfer *transfer, const char *name, bool *left_out);
/* True if dtype and shape of the file's tensor are those of the slot; along an axis that is matched, those of
 * the lists. stored: NULL is allowed. */
bool gt_transfer_fits(const gt_transfer *transfer, const gt_slot *slot, const gt_stored *stored);
/* True if the pattern of a rule matches the tensor's name or its layer's. */
bool gt_transfer_matches(const char *pattern, const char *name);
/* While a model is built: replaces the drawn values of a constant, `values`, by those of the file, if all
 * parameters and states of its layer that were added so far can be copied. */
void gt_transfer_constant(const gt_transfer *transfer, const gt_store *store, const gt_slot *constant,
                          int32_t *values);
/* True if the values that gt_transfer_apply copied are valid for their slots; else GT_ERR_DATA. result: from
 * gt_transfer_apply; path: of the file, for the message. */
bool gt_transfer_check(const gt_transfer *transfer, const gt_store *store, const gt_transferred *result,
                       const char *path, gt_error *error);
/* result[store->slots]: the outcome for each slot, without copying. */
void gt_transfer_outcomes(const gt_transfer *transfer, const gt_store *store, gt_transferred *result);
/* Copies the file's values into the store's arena, as initial values of its parameters and states.
 * result[store->slots]: the outcome for each slot. Returns how many are GT_COPIED. */
int gt_transfer_apply(const gt_transfer *transfer, gt_store *store, gt_transferred *result);
#endif

/* gt_inspector_type: what `gtrain inspect` shows of a family of layers in a model file, one constant row
 * each. A file beside the family's layers with GT_DEFINE(inspector, NAME) = {…} adds one; nothing else is
 * edited. An inspector reads only the tensors of the file; no model is built. */
#ifndef GT_LAYER_INSPECT_H
#define GT_LAYER_INSPECT_H
#include "base/register.h"
#include "store/safetensors.h"

struct json_t;

typedef struct gt_inspector_type {
  const char *name; /* its key in the JSON */
  /* Prints an empty line and its lines after the list of tensors; nothing if the file has no such layers. */
  void (*print)(const gt_container *file, FILE *stream);
  struct json_t *(*json)(
      const gt_container *file); /* the same as JSON; NULL if the file has no such layers */
} gt_inspector_type;

int gt_inspector_count(void);
const gt_inspector_type *gt_inspector_at(int index); /* sorted by name */
#endif

/* gt_inspector_type: what a family of layers has to say of a model's file in `gtrain inspect`, one constant
 * row each. A file beside the family's layers with GT_DEFINE(inspector, NAME) = {…} adds one; nothing else is
 * edited. An inspector goes by the tensors that are there: no model is built. */
#ifndef GT_LAYER_INSPECT_H
#define GT_LAYER_INSPECT_H
#include "base/register.h"
#include "store/safetensors.h"

struct json_t;

typedef struct gt_inspector_type {
  const char *name; /* the key of its JSON */
  /* Lines behind the list of tensors, and before them an empty one; nothing where the file has none of it. */
  void (*print)(const gt_container *file, FILE *stream);
  struct json_t *(*json)(const gt_container *file); /* the same; NULL where the file has none of it */
} gt_inspector_type;

int gt_inspector_count(void);
const gt_inspector_type *gt_inspector_at(int index); /* sorted by name */
#endif

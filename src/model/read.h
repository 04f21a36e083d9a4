/* The `model:` sequence as typed layers with names and inputs, before any node exists. Private to this room.
 * */
#ifndef GT_MODEL_READ_H
#define GT_MODEL_READ_H
#include "base/names.h"
#include "layer/layer.h"

typedef struct gt_layer_read {
  const gt_layer_type *type; /* NULL if unknown */
  const gt_spec *spec;       /* its settings, NULL if none */
  gt_position at;            /* of its type's name */
  const char *name;
  gt_layer_common common;
  void *config;
  int *input; /* indices of earlier layers; -1: the model's input */
  int inputs;
  bool valid; /* everything above could be read */
} gt_layer_read;

typedef struct gt_model_read {
  gt_layer_read *layer;
  int layers;
  gt_names names; /* of the layers: their numbers */
} gt_model_read;

/* False only if there is nothing to go on with; errors of single layers are reported and leave them not
 * valid. */
bool gt_model_read_spec(gt_model_read *read, gt_arena *arena, const gt_spec *root,
                        gt_diagnostics *diagnostics);
#endif

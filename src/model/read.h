/* The `model:` sequence as typed layers with names and inputs, before any node exists. A layer written inside
 * `repeat:` is read once (gt_layer_written) and expanded once per pass (gt_layer_read), so that an error in
 * its settings is reported once. Only layers with `$name` in their settings are read again for each pass,
 * with its values of `each:`. Private to this room. */
#ifndef GT_MODEL_READ_H
#define GT_MODEL_READ_H
#include "base/names.h"
#include "layer/layer.h"
#include "model/model.h"

/* Name of a pass's input in `from:` inside the block. */
#define GT_BLOCK_INPUT "block_input"
/* Encodes input `index` of the model as a negative number (layers count from 0); it is its own inverse. */
#define GT_FROM_INPUT(index) (-1 - (index))

/* A list of layers: that of a `repeat:`, or the model itself, which is a block of one pass without an
 * enclosing one. Passes are stored one after another, so the index of a layer in any pass can be computed. */
typedef struct gt_block {
  struct gt_block *outer;
  struct gt_entry *entry;
  int entries, times, depth;
  const gt_spec *each;    /* lists with one value per pass, by name; NULL: none */
  bool each_refused;      /* an error in `each` was reported */
  int pass;               /* the pass whose values of `each` are used now */
  int first;              /* index of its first layer, in the first pass of all enclosing blocks */
  int64_t layers, values; /* of one pass; values: YAML nodes, if written out by hand */
  gt_names names; /* given names, as seen by its own layers in its first pass, with their layer indices */
} gt_block;

typedef struct gt_layer_written {
  const gt_layer_type *type; /* NULL if unknown */
  const gt_spec *spec;       /* its settings, NULL if none; those of the first pass, if they vary */
  const gt_spec *item;       /* item of the list */
  gt_position at;            /* position of its type's name */
  gt_layer_common common;
  void *config;
  const gt_spec *varies; /* the settings as written, if they refer to names of `each`; else NULL */
  gt_block *block;
  int first;  /* index of its layer in the first pass, whose errors are reported */
  bool valid; /* everything above could be read, and no pass was refused */
} gt_layer_written;

typedef struct gt_entry { /* either a layer or a block */
  gt_layer_written *layer;
  gt_block *block;
} gt_entry;

typedef struct gt_layer_read {
  gt_layer_written *written;
  const char *name;
  const gt_spec *spec; /* its settings in this pass */
  const void *config;
  int *input; /* indices of earlier layers; negative: GT_FROM_INPUT of one of the model's inputs */
  int inputs;
} gt_layer_read;

typedef struct gt_model_read {
  gt_block *block; /* the model itself */
  gt_layer_read *layer;
  int layers;
  gt_model_inputs inputs; /* only their names are known here */
} gt_model_read;

/* Reads the items of a list of layers by their schemas. False if the number of layers is unknown: a block
 * cannot be read, or is too long. */
bool gt_block_read(gt_block *block, gt_arena *arena, const gt_spec *list, gt_diagnostics *diagnostics);

/* The settings of a layer in the current pass of the enclosing blocks, if they vary. */
void gt_layer_vary(gt_layer_written *layer, gt_arena *arena, gt_diagnostics *diagnostics);

/* False only if nothing can be built; errors of single layers are reported and mark them as not valid. */
bool gt_model_read_spec(gt_model_read *read, gt_arena *arena, const gt_spec *root, gt_model_inputs inputs,
                        gt_diagnostics *diagnostics);
#endif

/* The `model:` sequence as typed layers with names and inputs, before any node exists. What is written once
 * inside `repeat:` is read once (gt_layer_written) and laid out once for each pass (gt_layer_read), so that
 * an error of its settings is reported once. Only layers with `$name` in their settings are read anew in each
 * pass, with what `each:` gives for it. Private to this room. */
#ifndef GT_MODEL_READ_H
#define GT_MODEL_READ_H
#include "base/names.h"
#include "layer/layer.h"
#include "model/model.h"

/* The name that what a pass of a block reads has in `from:` inside the block. */
#define GT_BLOCK_INPUT "block_input"
/* Input `index` of the model, where layers count from 0; it is its own inverse. */
#define GT_FROM_INPUT(index) (-1 - (index))

/* A list of layers: that of a `repeat:`, or the model itself, which is a block of one pass without an outer
 * one. All passes lie one after another, so that a layer of any pass is found by counting from the first. */
typedef struct gt_block {
  struct gt_block *outer;
  struct gt_entry *entry;
  int entries, times, depth;
  const gt_spec *each;    /* lists of one value for each pass, by name; NULL: none */
  bool each_refused;      /* there were some, but what is wrong with them has been said */
  int pass;               /* the one whose values `each` gives now */
  int first;              /* number of its first layer, in the first pass of each block around it */
  int64_t layers, values; /* of one pass; values: nodes of the YAML, written out by hand */
  gt_names names;         /* given names, as its own layers say them in its first pass: their numbers */
} gt_block;

typedef struct gt_layer_written {
  const gt_layer_type *type; /* NULL if unknown */
  const gt_spec *spec;       /* its settings, NULL if none; in the first pass, if they vary */
  const gt_spec *item;       /* of the list */
  gt_position at;            /* of its type's name */
  gt_layer_common common;
  void *config;
  const gt_spec *varies; /* the settings as written, if there are names of `each` in them; else NULL */
  gt_block *block;
  int first;  /* number of its first layer: the one whose errors are reported */
  bool valid; /* everything above could be read, and no pass of it was refused */
} gt_layer_written;

typedef struct gt_entry { /* one or the other */
  gt_layer_written *layer;
  gt_block *block;
} gt_entry;

typedef struct gt_layer_read {
  gt_layer_written *written;
  const char *name;
  const gt_spec *spec; /* its settings in this pass */
  const void *config;
  int *input; /* indices of earlier layers; below 0: GT_FROM_INPUT of one of the model's inputs */
  int inputs;
} gt_layer_read;

typedef struct gt_model_read {
  gt_block *block; /* the model itself */
  gt_layer_read *layer;
  int layers;
  gt_model_inputs inputs; /* only their names are known here */
} gt_model_read;

/* The items of a list of layers, read by their schemas. False if it is not known how many layers they come
 * to: a block that cannot be read, or one that is too long. */
bool gt_block_read(gt_block *block, gt_arena *arena, const gt_spec *list, gt_diagnostics *diagnostics);

/* The settings of a layer in the present pass of the blocks around it, if they vary. */
void gt_layer_vary(gt_layer_written *layer, gt_arena *arena, gt_diagnostics *diagnostics);

/* False only if there is nothing to go on with; errors of single layers are reported and leave them not
 * valid. */
bool gt_model_read_spec(gt_model_read *read, gt_arena *arena, const gt_spec *root, gt_model_inputs inputs,
                        gt_diagnostics *diagnostics);
#endif

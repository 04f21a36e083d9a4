/* The `model:` sequence as typed layers with names and inputs, before any node exists. A layer inside
 * `repeat:` is read once (gt_layer_template) and has an instance per pass (gt_layer_instance), so that an
 * error in its settings is reported once. Only layers with `$name` in their settings are read again for each
 * pass, with the values that `each:` has for it. Only for src/model. */
#ifndef GT_MODEL_READ_H
#define GT_MODEL_READ_H
#include "base/names.h"
#include "layer/layer.h"
#include "model/model.h"

/* In `from:` inside a block, the name of the input of the pass. */
#define GT_BLOCK_INPUT "block_input"
/* Encodes input `index` of the model as a negative number, because layers have the numbers from 0 on. The
 * same formula decodes it. */
#define GT_FROM_INPUT(index) (-1 - (index))

/* A list of layers: the list in a `repeat:`, or the model itself, a block of one pass without an enclosing
 * block. Layers of all passes are stored one pass after another, so the index of a layer in any pass can be
 * computed. */
typedef struct gt_block {
  struct gt_block *outer;
  struct gt_entry *entry;
  int entries, times, depth;
  const gt_spec *each; /* a map of lists with one value per pass; NULL: none */
  bool each_invalid;   /* an error in `each` was reported */
  int pass;            /* the current pass, whose values of `each` are used */
  int first;           /* index of its first layer, in the first pass of all enclosing blocks */
  int64_t layers;      /* number of layers of one pass */
  int64_t values;      /* number of YAML nodes of one pass, as if nested blocks were written out */
  gt_names names;      /* names given in the config, as its layers refer to them, with their layer indices */
} gt_block;

typedef struct gt_layer_template {
  const gt_layer_type *type; /* NULL if unknown */
  const gt_spec *spec;       /* its settings in the current pass; NULL: none */
  const gt_spec *item;       /* the item of the list */
  gt_position at;            /* position of its type's name */
  gt_layer_common common;    /* settings that all layers have */
  void *config;              /* settings of this type of layer */
  const gt_spec *unexpanded; /* the settings as written, if they refer to names of `each`; otherwise NULL */
  gt_block *block;
  int first;  /* index of its instance in the first pass; only for this one are errors reported */
  bool valid; /* no error was found, in any pass */
} gt_layer_template;

typedef struct gt_entry { /* either a layer or a block */
  gt_layer_template *layer;
  gt_block *block;
} gt_entry;

typedef struct gt_layer_instance {
  gt_layer_template *template;
  const char *name;
  const gt_spec *spec; /* its settings in this pass */
  const void *config;
  int *input; /* index of an earlier layer, or GT_FROM_INPUT of an input of the model */
  int inputs;
} gt_layer_instance;

typedef struct gt_parsed_model {
  gt_block *block; /* the model itself */
  gt_layer_instance *layer;
  int layers;
  gt_model_inputs inputs; /* only their names are used */
} gt_parsed_model;

/* Reads the items of a list of layers. False if the number of layers is unknown, because a block cannot be
 * read or is too long. */
bool gt_block_read(gt_block *block, gt_arena *arena, const gt_spec *list, gt_diagnostics *diagnostics);

/* Reads settings that contain `$name` again, for the current pass of the enclosing blocks. */
void gt_layer_expand(gt_layer_template *layer, gt_arena *arena, gt_diagnostics *diagnostics);

/* Parses `model:` of the config `root`. False if nothing can be built. Errors of single layers are reported
 * and make them invalid. */
bool gt_model_parse(gt_parsed_model *parsed, gt_arena *arena, const gt_spec *root, gt_model_inputs inputs,
                    gt_diagnostics *diagnostics);
#endif

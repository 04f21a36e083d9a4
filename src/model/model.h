/* gt_model: the `model:` sequence of a config as nodes of a graph, with the store of its parameters and
 * states. Building is a pure function of the config and the inputs' shapes: the same config is built for
 * training (dropout on) and for evaluation, and both graphs read the same variables.
 *   model:
 *     - linear: 128
 *     - relu
 *     - linear: {units: 64, name: head, from: [relu1, input]}
 * A layer without a name gets its type and a number: linear1, relu1, linear2. A layer without `from:` reads
 * the one before it; the first layer reads the model's input, or names one with `from:` if there are several.
 * A block of layers may be repeated. The result is the same as if its layers were written out by hand:
 *     - repeat:
 *         times: 3
 *         layers:
 *           - linear: {units: 64, name: body}
 *           - relu
 *           - add: {from: [block_input, relu1]}
 * Each repetition is a pass. Names: layers without one are numbered consecutively (relu1, relu2, relu3); a
 * given name gets the number of the pass (body1, body2, body3), after a '_' if it ends with a digit
 * (conv1_1). In nested blocks it gets both numbers, the outer one first (body2_1). `from:` in a block refers
 * to layers of the same pass, by the name as written there or by their name in the first pass, and to layers
 * outside the block by their name. `block_input` is the input of this pass: the layer before the block or, in
 * later passes, the last layer of the previous pass; in nested blocks it belongs to the innermost one. Layers
 * of other passes cannot be read. From outside, layers of a block have their full names (body3); in an
 * enclosing block, they have names without the number of that block's pass (body1 for body2_1). `each:` lists
 * values that differ from pass to pass, one per pass. `$name` in the settings of a layer stands for the value
 * of this pass; if nested blocks define the same name, the innermost one counts:
 *     - repeat:
 *         each: {width: [16, 32]}
 *         layers: [conv2d: {out_channels: $width, kernel_size: 3, stride: 2}, relu]
 * A block has 1 to 1000 passes, blocks are nested at most 8 deep, and a model with blocks has at most 10,000
 * layers and 100,000 values of YAML, written out. Owner: the arena. */
#ifndef GT_MODEL_MODEL_H
#define GT_MODEL_MODEL_H
#include "layer/layer.h"
#include "optim/groups.h"
#include "store/transfer.h"

enum { GT_MODEL_MAX_HEADS = 8 };
#define GT_REPEAT "repeat" /* the keyword of a block */
extern const gt_schema gt_repeat_schema;

typedef struct gt_model_input {
  const char *name;
  gt_id node;         /* F32, or I32 if layers accept integers: [B, …] */
  int64_t limit;      /* integers are in [0, limit); 0: unknown */
  int64_t vocabulary; /* if the integers are tokens: the size of their vocabulary; otherwise 0 */
  /* I32 [B]: the number of steps along axis 1 of each sample; the other steps are padding. NULL: all are
   * used. */
  const gt_id *lengths;
} gt_model_input;
typedef struct gt_model_inputs { /* at least one; names differ */
  int count;
  const gt_model_input *items;
} gt_model_inputs;

/* The names of the layers whose outputs are predictions; count 0: only the last layer. */
typedef struct gt_model_heads {
  int count;
  const char *name[GT_MODEL_MAX_HEADS];
} gt_model_heads;

typedef struct gt_model_layer { /* what `gtrain check` lists of a layer */
  const char *name;
  const gt_layer_type *type;
  gt_position at;
  const void *config; /* its settings, read by the type's schema */
  gt_shape output;    /* shape, with the batch axis */
  gt_id node;
  gt_id lengths;      /* as gt_model_input.lengths; GT_NONE: all steps */
  int64_t parameters; /* number of values of its parameters, without alignment gaps */
  int input_count;
  const char *const *input; /* names of its inputs: earlier layers or inputs of the model */
} gt_model_layer;

typedef struct gt_model {
  gt_model_layer *layer;
  int layers;
  gt_store *store;
  const gt_id *node; /* by slot index: the node of each parameter and state */
  gt_id *next_value; /* by slot index: the value after the step; differs from `node` for updated states */
  const gt_slot *updated;    /* the first state that a layer updates; NULL: none */
  gt_id penalty;             /* added to the mean loss in training, a scalar; GT_NONE: none */
  gt_adaptation *adaptation; /* host code of layers that runs between steps */
  int adaptations;
  bool has_hard; /* the model has layers that compute something else in a hard evaluation */
  gt_id output;  /* of the last layer */
} gt_model;
/* The layer with this name; NULL: none. */
const gt_model_layer *gt_model_find_layer(const gt_model *model, const char *name);

typedef struct gt_model_mode {
  bool training, hard, recompute; /* see gt_build */
  unsigned averaged;              /* roles (bits) whose slots are read from their moving averages */
  const gt_id *weight;            /* as in gt_build; NULL: all rows have weight 1 */
  gt_model_heads heads;
  const struct gt_model *shares; /* another model in the same graph, whose parameters and states this one
                                    uses; only that one updates them. NULL: none */
  const gt_transfer *transfer;   /* constants from a file, instead of random ones; NULL: none */
  struct gt_review *review;      /* layer/review.h; NULL: no findings */
  uint64_t seed;
} gt_model_mode;

/* Adds the model to the graph. clock: for dropout; GT_NONE is allowed without training. optim: the parameter
 * groups, which determine the layout of the store (training and evaluation need the same); NULL: one group.
 * Returns NULL after reporting all errors, each at its position. */
gt_model *gt_model_build(gt_arena *arena, gt_graph *graph, const gt_spec *root, const gt_optim *optim,
                         gt_model_inputs inputs, gt_id clock, gt_model_mode mode,
                         gt_diagnostics *diagnostics);

/* The names of the layers in `model:` of the config `root`, as `gtrain check` prints them, and the paths of
 * their settings. A layer in `repeat:` has a name for each pass, but one path. Reports nothing; omits layers
 * that cannot be read. */
const gt_spec_names *gt_model_layer_names(gt_arena *arena, const gt_spec *root);

/* A clock for a graph that is never run. */
gt_id gt_model_idle_clock(gt_graph *graph);
/* For the training step: assigns the updated values to the states if `keep` (one element) is not 0. Returns
 * the new values of all states; GT_NONE: no layer updates a state. */
gt_id gt_model_update_states(const gt_model *model, gt_graph *graph, gt_id keep);
#endif

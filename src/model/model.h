/* gt_model: the `model:` sequence of a config as nodes of a graph, with the store of what it owns. Building
 * is a pure function of the config and the inputs' shapes: the same config is built for training (dropout on)
 * and for evaluation, and both graphs read the same variables.
 *   model:
 *     - linear: 128
 *     - relu
 *     - linear: {units: 64, name: head, from: [relu1, input]}
 * Layers without a name are called by their type and a number: linear1, relu1, linear2. A layer without
 * `from:` reads the one before it, the first layer the model's input; where there are several inputs, it says
 * which by name.
 * A block of layers may be repeated; what comes of it is the model that one would write out by hand:
 *     - repeat:
 *         times: 3
 *         layers:
 *           - linear: {units: 64, name: body}
 *           - relu
 *           - add: {from: [block_input, relu1]}
 * Names: layers without one are numbered through (relu1, relu2, relu3); a given name gets the number of the
 * pass (body1, body2, body3), after a '_' where it ends with a digit (conv1_1). In a block inside a block it
 * gets both numbers, the outer one first (body2_1).
 * `from:` in a block means layers of the same pass, by the name as it is written there or by the one they
 * have in the first pass; a layer outside by its name; and `block_input` is what this pass reads: the layer
 * before the block, in later passes the last layer of the pass before (of the innermost block, inside
 * several). No layer of another pass can be read. From outside, layers of a block have their full names
 * (body3); from a block around it, its number is left out (body1 for body2_1).
 * `each:` gives values that differ from pass to pass, in lists as long as there are passes, and `$name` among
 * the settings of a layer stands for this pass's; of two blocks around it the inner one's:
 *     - repeat:
 *         each: {width: [16, 32]}
 *         layers: [conv2d: {out_channels: $width, kernel_size: 3, stride: 2}, relu]
 * A block has 1 to 1000 passes, at most 8 are around one another, and a model with blocks has at most 10,000
 * layers and 100,000 values of YAML, written out. Owner: the arena. */
#ifndef GT_MODEL_MODEL_H
#define GT_MODEL_MODEL_H
#include "layer/layer.h"
#include "optim/groups.h"
#include "store/transfer.h"

#define GT_REPEAT "repeat" /* the word that a block begins with */
extern const gt_schema gt_repeat_schema;

typedef struct gt_model_input {
  const char *name;
  gt_id node;    /* F32, or I32 where layers take integers: [B, …] */
  int64_t limit; /* of integers: they lie in [0, limit); 0: not known */
} gt_model_input;
typedef struct gt_model_inputs { /* at least one; names differ */
  int count;
  const gt_model_input *items;
} gt_model_inputs;

typedef struct gt_model_layer { /* a row of `gtrain check` */
  const char *name;
  const gt_layer_type *type;
  gt_position at;
  const void *config; /* its settings, read by the type's schema */
  gt_shape output;    /* with the batch */
  gt_id node;
  int64_t parameters; /* values, not counting gaps */
  int input_count;
  const char *const *input; /* names: earlier layers or inputs of the model */
} gt_model_layer;

typedef struct gt_model {
  gt_model_layer *layer;
  int layers;
  gt_store *store;
  const gt_id *node;         /* of each slot that is a parameter or a state, by its index */
  gt_id *after;              /* the same after a step, as far as the layers say it */
  const gt_slot *moved;      /* the first state of which they do; NULL: of none */
  gt_id penalty;             /* what training adds to the mean loss, a scalar; GT_NONE: nothing */
  gt_adaptation *adaptation; /* what layers do between steps */
  int adaptations;
  bool has_hard; /* a hard evaluation differs from the plain one */
  gt_id output;
} gt_model;

typedef struct gt_model_mode {
  bool training, hard, recompute; /* see gt_build */
  unsigned averaged;              /* reads slots of these roles from their moving averages */
  const gt_id *weight;            /* as in gt_build; NULL: every row counts */
  const struct gt_model *again; /* another one of the same graph, whose parameters and states these are; it is
                                   the one that is trained. NULL: none */
  const gt_transfer *given;     /* gives constants instead of those that would be drawn; NULL: none */
  struct gt_review *review;     /* layer/review.h; NULL: the build finds nothing */
  uint64_t seed;
} gt_model_mode;

/* Adds the model to the graph. clock: for dropout, may be GT_NONE without training; optim: gives the
 * parameter groups and thereby the layout (training and evaluation must agree), NULL for one group. NULL
 * after reporting every error that was found, each at its position. */
gt_model *gt_model_build(gt_arena *arena, gt_graph *graph, const gt_spec *root, const gt_optim *optim,
                         gt_model_inputs inputs, gt_id clock, gt_model_mode mode,
                         gt_diagnostics *diagnostics);

/* The layers of the root's `model:` by the names that `check` prints, and the paths of their settings in it;
 * a layer of `repeat:` has a name for each pass and one path. Reports nothing: of what cannot be read there
 * are no names. */
const gt_spec_names *gt_model_layer_names(gt_arena *arena, const gt_spec *root);

/* A clock for a graph that is built and never run. */
gt_id gt_model_idle_clock(gt_graph *graph);
/* Assigns the states what the layers said, where `keep` (one element) is not 0; for the step of training.
 * Returns what they then are; GT_NONE: nothing moves them. */
gt_id gt_model_move_states(const gt_model *model, gt_graph *graph, gt_id keep);
#endif

/* gt_model: the `model:` sequence of a config as nodes of a graph, with the store of what it owns. Building
 * is a pure function of the config and the input's shape: the same config is built for training (dropout on)
 * and for evaluation, and both graphs read the same variables.
 *   model:
 *     - linear: 128
 *     - relu
 *     - linear: {units: 64, name: head, from: [relu1, input]}
 * Layers without a name are called by their type and a number: linear1, relu1, linear2. Owner: the arena. */
#ifndef GT_MODEL_MODEL_H
#define GT_MODEL_MODEL_H
#include "layer/layer.h"
#include "optim/groups.h"
#include "store/transfer.h"

typedef struct gt_model_layer { /* a row of `gtrain check` */
  const char *name;
  const gt_layer_type *type;
  gt_position at;
  gt_shape output; /* with the batch */
  gt_id node;
  int64_t parameters; /* values, not counting gaps */
  int input_count;
  const char *const *input; /* names: earlier layers or "input" */
} gt_model_layer;

typedef struct gt_model_update { /* what a state holds after a step */
  const gt_slot *state;
  gt_id value;
} gt_model_update;

typedef struct gt_model {
  gt_model_layer *layer;
  int layers;
  gt_store *store;
  const gt_id *node;       /* of each slot that is a parameter or a state, by its index */
  gt_model_update *update; /* training: at most one of each state */
  int updates;
  bool has_hard; /* a hard evaluation differs from the plain one */
  gt_id input, output;
} gt_model;

typedef struct gt_model_mode {
  bool training, hard;      /* see gt_build */
  bool bits;                /* the input holds nothing but 0 and 1 */
  bool averaged;            /* reads trained parameters from their moving average */
  const gt_id *weight;      /* as in gt_build; NULL: every row counts */
  const gt_transfer *given; /* gives constants instead of those that would be drawn; NULL: none */
  uint64_t seed;
} gt_model_mode;

/* Adds the model to the graph. input: F32 [B, …]; clock: for dropout, may be GT_NONE without training; optim:
 * gives the parameter groups and thereby the layout (training and evaluation must agree), NULL for one group.
 * NULL after reporting every error that was found, each at its position. */
gt_model *gt_model_build(gt_arena *arena, gt_graph *graph, const gt_spec *root, const gt_optim *optim,
                         gt_id input, gt_id clock, gt_model_mode mode, gt_diagnostics *diagnostics);

/* Assigns the states what the layers said, where `keep` (one element) is not 0; for the step of training. */
void gt_model_move_states(const gt_model *model, gt_graph *graph, gt_id keep);
#endif

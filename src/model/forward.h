/* The forward pass of a config, for training, evaluation, prediction, checks and exports: the model, then its
 * loss or its predictions. */
#ifndef GT_MODEL_FORWARD_H
#define GT_MODEL_FORWARD_H
#include "loss/loss.h"
#include "model/model.h"

typedef struct gt_forward_target { /* a target and its prediction */
  /* Set by the caller: */
  const char *name;    /* name of the layer that predicts it; NULL: the last layer */
  const gt_loss *loss; /* NULL: no loss */
  gt_id targets;       /* as in gt_loss_input; GT_NONE: only predictions are computed */
  /* F32 [2, T]: means and standard deviations of the targets, F32 [B, T]. The loss reads scaled targets; the
   * items in `nodes`, and `output`, have the units of the data. NULL: no scaling. */
  const gt_id *scaling;
  const gt_loss_mixture *mixture; /* as in gt_loss_input */
  const gt_id *shift;             /* as in gt_loss_input */
  int64_t classes, values;        /* of the targets: classes of an item, values of a sample; 0: unknown */
  bool ignores;                   /* as in gt_loss_input */
  const char *advice, *expected;  /* as in gt_loss_input */
  /* Results: */
  gt_loss_nodes nodes; /* if `targets` is set */
  /* Otherwise: the layer's output (see `mirrored`); probabilities if the loss applies softmax or sigmoid. */
  gt_id output;
} gt_forward_target;

typedef struct gt_forward {
  /* Set by the caller: */
  const gt_spec *root;
  const gt_optim *optim; /* NULL: one group of parameters */
  gt_model_inputs inputs;
  gt_id clock;  /* GT_NONE if the graph is not run */
  gt_id weight; /* F32 [B]: 0 for padding rows after the end of the data, 1 for others; GT_NONE if there is no
                   loss and no padding */
  bool padded;  /* the batch may have padding rows */
  const gt_id *sample_weight; /* F32 [B]: another factor on the weight of each row, in loss and metrics only;
                                 the model does not read it. NULL: 1 */
  int targets;                /* at least 1 */
  gt_forward_target target[GT_DATA_MAX_TARGETS];
  bool mirrored; /* the inputs contain all samples and then their mirror images; the output for a sample is
                    the mean of the two outputs */
  const gt_value_range *reviewed; /* as in gt_loss_model */
  gt_precision precision;         /* of the model and its loss, and therefore of their gradients */
  gt_model_mode mode;             /* gt_forward_build sets its weight and heads */
  /* Results: */
  gt_model *model;
  gt_id objective; /* with targets: the scalar that training minimizes: the sum of the mean losses, times
                      their weights, and the penalty of the layers */
} gt_forward;

/* False after reporting an error. */
bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics);
#endif

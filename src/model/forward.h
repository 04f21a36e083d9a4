/* The forward pass of a config, shared by training, evaluation, prediction, checks and exports: the model on
 * its inputs, then its loss or its predictions. */
#ifndef GT_MODEL_FORWARD_H
#define GT_MODEL_FORWARD_H
#include "loss/loss.h"
#include "model/model.h"

typedef struct gt_forward_target { /* a target and its prediction */
  /* Set by the caller. */
  const char *name;    /* of the layer that predicts it; NULL: the last layer */
  const gt_loss *loss; /* NULL: no loss */
  gt_id targets;       /* as in gt_loss_input; GT_NONE: only predictions are computed */
  /* F32 [2, T]: means and deviations of the targets, which are F32 [B, T]. The loss reads scaled targets; the
   * items of `nodes`, and `output`, have the units of the data. NULL: unscaled. */
  const gt_id *scaling;
  const gt_loss_mixture *mixture; /* as in gt_loss_input */
  const gt_id *shift;             /* as in gt_loss_input */
  int64_t classes, values;        /* of the targets, per item and per sample; 0: unknown */
  bool ignores;                   /* as in gt_loss_input */
  const char *advice, *expected;  /* as in gt_loss_input */
  /* Results. */
  gt_loss_nodes nodes; /* with targets */
  gt_id output; /* without targets: the layer's output, or the mean of mirrored, as probabilities if the loss
                   takes logits */
} gt_forward_target;

typedef struct gt_forward {
  /* Set by the caller. */
  const gt_spec *root;
  const gt_optim *optim; /* NULL: one group of parameters */
  gt_model_inputs inputs;
  gt_id clock;  /* GT_NONE if the graph is not run */
  gt_id weight; /* F32 [B]: 0 for rows past the end of the data, else 1; GT_NONE: no loss, no such rows */
  bool padded;  /* the batch may have rows past the end of the data */
  const gt_id *sample_weight; /* F32 [B]: factor on the weight of each row in loss and metrics; the model does
                                 not see it. NULL: 1 */
  int targets;                /* at least 1 */
  gt_forward_target target[GT_DATA_MAX_TARGETS];
  bool mirrored; /* the inputs hold all samples followed by their mirror images; the result is the mean of
                    both outputs */
  gt_precision precision; /* precision of the model and its loss, and so of their gradients */
  gt_model_mode mode;     /* its weight and heads are ignored */
  /* Results. */
  gt_model *model;
  gt_id objective; /* with targets: what training minimizes, a scalar: the sum of the mean losses with their
                      weights, and the penalty */
} gt_forward;

/* False after reporting. */
bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics);
#endif

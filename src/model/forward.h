/* The forward pass of a config, in one place for training, evaluation, prediction, checks and exports: the
 * model on its inputs, and what is asked of its output. */
#ifndef GT_MODEL_FORWARD_H
#define GT_MODEL_FORWARD_H
#include "loss/loss.h"
#include "model/model.h"

typedef struct gt_forward {
  /* Set by the caller. */
  const gt_spec *root;
  const gt_optim *optim; /* NULL: one group of parameters */
  gt_model_inputs inputs;
  gt_id clock;  /* GT_NONE where nothing runs */
  gt_id weight; /* F32 [B]: 0 for rows past the end of the data, else 1; GT_NONE with no loss and no such rows
                 */
  bool padded;  /* there are such rows */
  const gt_loss *loss; /* NULL: none is asked for */
  gt_id targets;       /* as in gt_loss_input; GT_NONE: only what the loss makes of the output is asked for */
  const gt_loss_mixture *mixture; /* as in gt_loss_input */
  int64_t classes;
  bool mirrored; /* the inputs hold all samples, and all of them again, mirrored: what is asked for is the
                    mean of both outputs */
  gt_precision precision; /* of the model and its loss, and so of their gradients */
  gt_model_mode mode;     /* but for its weight */
  /* What comes of it. */
  gt_model *model;
  gt_loss_nodes nodes; /* with targets */
  gt_id output; /* without: the model's output, or that mean, as probabilities where the loss takes logits */
} gt_forward;

/* False after reporting. */
bool gt_forward_build(gt_forward *forward, gt_arena *arena, gt_graph *graph, gt_diagnostics *diagnostics);
#endif

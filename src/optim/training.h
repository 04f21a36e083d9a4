/* Assembles the training step: the gradient of a loss, and from it clipping, the update of every parameter
 * group, the moving average of the weights and the guard; both in one graph, or each in its own where
 * gradients are summed in between. Everything lies flat: see store.h.
 *
 * The guard: variable "ok" (F32 [1], 1 at the start) becomes 0 in a step whose mean loss, or any gradient of
 * any group as it would be applied, is not finite (with clip_norm: whose norm is not). Once it is 0, no step
 * changes parameters or state any more, so the host finds the values of the last good step. The host reads it
 * with the log. */
#ifndef GT_OPTIM_TRAINING_H
#define GT_OPTIM_TRAINING_H
#include "optim/optim.h"
#include "store/store.h"

typedef struct gt_training {
  const gt_optim *optim;
  gt_store *store;
  gt_id gradient;      /* F32 [store->trainable], before clipping and scale */
  gt_id scale;         /* scalar factor on the gradient, applied first; GT_NONE: 1 */
  gt_id gradient_norm; /* scalar; GT_NONE without clip_norm */
  gt_id learning_rate; /* scalar: the rate of group 0 */
  gt_id ok;            /* F32 [1], after this step */
} gt_training;

/* Gradient of a scalar loss, F32 [store->trainable] in the parameters' layout, with zeros in gaps; added to
 * `before`, of that shape, unless it is GT_NONE. node: for each slot that is a parameter, its node in this
 * graph (gt_model.node). GT_NONE with GT_ERR_CONFIG if there is nothing to train. */
gt_id gt_training_gradient(gt_graph *graph, const gt_store *store, const gt_id *node, gt_id loss,
                           gt_id before, gt_error *error);
/* Emits the update into the graph and fills *training. store: laid out; gets optimizer slots for the trained
 * parameters, and "state.ok". loss: the mean loss, a scalar, which the guard checks. scale:
 * gt_training.scale. clock: the step's clock, whose table has gt_optim_table_width scalars. */
bool gt_training_update(gt_training *training, gt_graph *graph, const gt_optim *optim, gt_store *store,
                        gt_id gradient, gt_id scale, gt_id loss, gt_id clock, gt_error *error);
/* Updates the moving average of the states after a step. moved: all states after the step (GT_NONE:
 * unchanged). Skipped if the guard is 0, and if the optimizer does not average states. */
void gt_training_average_states(const gt_training *training, gt_graph *graph, gt_id moved);
/* Declares and reads the guard's variable "ok": 0 once a step was not finite. */
gt_id gt_training_ok(gt_store *store, gt_graph *graph, uint32_t *variable);

/* Fills one row of the clock's table, gt_optim_table_width floats, for step `step` (from 0) of `total`, which
 * is the optimizer's t-th (from 1). */
void gt_training_scalars(const gt_optim *optim, const gt_schedule_state *state, uint64_t step, uint64_t total,
                         uint64_t steps_per_epoch, uint64_t t, float *row);
#endif

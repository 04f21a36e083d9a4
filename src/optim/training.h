/* Builds the training step: the gradient of a loss, then clipping, the update of every parameter group, the
 * moving average of the weights and the guard. Gradient and update are in one graph, or in two if gradients
 * of several batches are summed in between. Parameters are stored flat in one variable (store.h).
 *
 * The guard: variable "ok" (F32 [1], 1 at the start) becomes 0 in a step whose mean loss is not finite, or
 * whose gradient is not finite after clipping (with clip_norm: whose gradient norm is not finite). Once it is
 * 0, no step changes parameters or state, so the host finds the values of the last good step. The host reads
 * "ok" whenever it logs. */
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

/* Returns the gradient of a scalar loss, F32 [store->trainable] in the parameters' layout with zeros in gaps,
 * plus `sum` (same shape; GT_NONE: 0), the gradient of earlier batches. node[i]: the node of slot i in this
 * graph if it is a parameter (gt_model.node). GT_NONE with GT_ERR_CONFIG if there is nothing to train. */
gt_id gt_training_gradient(gt_graph *graph, const gt_store *store, const gt_id *node, gt_id loss, gt_id sum,
                           gt_error *error);
/* Emits the update into the graph and fills *training. store: after gt_store_layout; receives optimizer slots
 * for the trained parameters, and "state.ok". loss: the mean loss, a scalar, which the guard checks. scale:
 * gt_training.scale. clock: the step's clock, whose table has gt_optim_table_width columns. */
bool gt_training_update(gt_training *training, gt_graph *graph, const gt_optim *optim, gt_store *store,
                        gt_id gradient, gt_id scale, gt_id loss, gt_id clock, gt_error *error);
/* Emits the update of the moving average of the states. updated: all states after the step (GT_NONE:
 * unchanged). Emits nothing if the optimizer does not average states; has no effect if the guard is 0. */
void gt_training_average_states(const gt_training *training, gt_graph *graph, gt_id updated);
/* Declares and reads the guard's variable "ok", which is 0 from the first step that was not finite. */
gt_id gt_training_ok(gt_store *store, gt_graph *graph, uint32_t *variable);

/* Fills one row of the clock's table, gt_optim_table_width floats, for step `step` (from 0) of `total`. t:
 * number of the optimizer's step (from 1). */
void gt_training_scalars(const gt_optim *optim, const gt_schedule_state *state, uint64_t step, uint64_t total,
                         uint64_t steps_per_epoch, uint64_t t, float *row);
#endif

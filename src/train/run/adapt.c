#include "train/run/adapt.h"
#include "base/count.h"
#include "base/memory.h"
#include "store/state_dict.h"
#include "train/net/pacer.h"
#include "train/run/run.h"
#include <stdlib.h>

enum { SAMPLES = 1024 }; /* limit of the training samples by which layers adapt */

static const gt_model *model_of(const gt_run *run) { return run->net->model; }

bool gt_adapter_open(gt_run *run, gt_error *error) {
  gt_adapter *adapter = &run->adapter;
  *adapter = (gt_adapter){0};
  if (!model_of(run)->adaptations) return true;
  const gt_adaptation *first = &model_of(run)->adaptation[0];
  if (run->session.windows.of[GT_PART_TRAIN])
    return gt_fail(error, GT_ERR_CONFIG,
                   "layer '%s' adapts to the training data (%s), so all training samples must fit on the "
                   "device",
                   first->layer, first->key);
  const gt_net_options options = {.target = run->session.backend->target, .draw = &run->state.draw};
  adapter->net = gt_net_adaptation(&run->generation, run->config, SAMPLES, &options, error);
  adapter->executable = adapter->net ? gt_session_compile(&run->session, adapter->net, error) : NULL;
  return adapter->executable;
}

/* --- schedule ------------------------------------------------------------------------------------------- */

/* True if the layer adapts before the next step. */
static bool is_due(const gt_run *run, const gt_adaptation *adaptation) {
  const int64_t steps = run->state.step - gt_run_attempt_begin(run);
  return steps < adaptation->until && steps % adaptation->every == 0;
}

int64_t gt_adapter_next(const gt_run *run, int64_t step) {
  const int64_t begin = gt_run_attempt_begin(run);
  int64_t next = INT64_MAX;
  for (int i = 0; i < model_of(run)->adaptations; i++) {
    const gt_adaptation *a = &model_of(run)->adaptation[i];
    const int64_t steps = ((step - begin) / a->every + 1) * a->every;
    if (steps < a->until) next = gt_min_i64(next, begin + steps);
  }
  return next;
}

/* --- adaptation ----------------------------------------------------------------------------------------- */

/* Runs the net on one batch: the first batch of the net's epoch number run->state.step, so that the samples
 * depend only on the step. */
static bool run_on_batch(gt_run *run, gt_error *error) {
  const gt_adapter *adapter = &run->adapter;
  gt_pacer pacer;
  gt_pacer_init(&pacer, run->session.backend, adapter->net, adapter->executable, 1);
  return gt_session_set_clock(&run->session, adapter->net, run->state.step * adapter->net->steps, error) &&
         gt_pacer_submit(&pacer, 1, error) && gt_pacer_drain(&pacer, error);
}

static bool adapt_layer(gt_run *run, int number, const gt_slot_values *values, gt_error *error) {
  const gt_adaptation *a = &run->adapter.net->model->adaptation[number];
  const gt_shape shape = gt_node_at(run->adapter.net->stage[0].graph, a->sample)->shape;
  const int64_t count = gt_shape_count(shape);
  float *sample = gt_alloc((size_t)count * sizeof *sample);
  char name[40];
  snprintf(name, sizeof name, GT_SAMPLE_VARIABLE, number);
  const bool ok =
      gt_buffers_download(&run->session.buffers, name, 0, sample, (uint64_t)count * sizeof *sample, error);
  if (ok) a->adapt(a, sample, count / shape.dim[shape.rank - 1], values);
  free(sample);
  return ok;
}

/* Adapts the layers that are due, and resets the slots of role GT_RUN, such as the history of L-BFGS, because
 * they describe the layers before the change. */
static bool adapt_layers(gt_run *run, gt_error *error) {
  gt_state_dict dict;
  if (!gt_state_dict_download(&dict, run->net->model->store, &run->session.buffers, GT_CHECKPOINT_ROLES,
                              error))
    return false;
  const gt_slot_values values = gt_state_dict_values(&dict);
  bool ok = true;
  for (int i = 0; i < model_of(run)->adaptations && ok; i++)
    ok = !is_due(run, &model_of(run)->adaptation[i]) || adapt_layer(run, i, &values, error);
  gt_state_dict_reset(&dict, GT_ROLE(GT_RUN), run->state.draw);
  ok = ok && gt_state_dict_upload(&dict, &run->session.buffers, error);
  gt_state_dict_finish(&dict);
  return ok;
}

bool gt_run_adapt(gt_run *run, gt_error *error) {
  bool due = false;
  for (int i = 0; i < model_of(run)->adaptations; i++) due |= is_due(run, &model_of(run)->adaptation[i]);
  if (!due || run->state.adapted == run->state.step + 1) return true;
  if (!run_on_batch(run, error) || !adapt_layers(run, error)) return false;
  run->state.adapted = run->state.step + 1;
  return true;
}

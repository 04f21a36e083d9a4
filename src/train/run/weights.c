/* The weights of a run: those of its last step, or their average (optim.h), downloaded and checked, and as a
 * model file. */
#include "train/run/generation.h"
#include <stdio.h>

bool gt_run_weights(gt_run *run, gt_state_dict *weights, gt_error *error) {
  gt_buffers *buffers = &run->session.buffers;
  if (!gt_state_dict_download(weights, run->net->model->store, buffers, GT_WEIGHT_ROLES, error)) return false;
  if (gt_state_dict_average(weights, buffers, gt_optim_averages(run->config->optim), false, error) &&
      gt_run_check_weights(run, weights, error))
    return true;
  gt_state_dict_finish(weights);
  return false;
}

bool gt_run_keep_weights(gt_run *run, const char *name, gt_model_results results, gt_error *error) {
  char path[4200];
  gt_state_dict weights;
  snprintf(path, sizeof path, "%s/%s", run->directory, name);
  results.step = run->state.step;
  results.epoch = gt_run_epoch(run, run->state.step);
  results.data = run->data;
  if (!gt_run_weights(run, &weights, error)) return false;
  const bool ok = gt_model_write(path, run->config, &weights, &results, error);
  gt_state_dict_finish(&weights);
  return ok;
}

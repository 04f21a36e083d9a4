/* Attempts of a run that restarts (train.restart_every). Small networks often end in a bad minimum; starting
 * again with new constants and initial values then costs less than training on. Each attempt draws these from
 * a seed of its own, which checkpoints contain. The step number determines the attempt. All other random
 * numbers (order of samples, dropout, …) depend on the step and do not start again. */
#include "train/run/generation.h"

enum { SEED_STEP = 1000003 }; /* large, so that attempts do not repeat the seeds of runs with seed + 1, … */

static uint64_t seed_of(const gt_run *run, int64_t attempt) {
  return (uint64_t)run->config->seed + (uint64_t)attempt * SEED_STEP;
}

int64_t gt_run_epoch(const gt_run *run, int64_t step) {
  const int64_t steps = step - run->state.first_step;
  return run->state.first_epoch + (steps > 0 ? (steps - 1) / run->per_epoch + 1 : !step);
}

int64_t gt_run_attempt_begin(const gt_run *run) {
  return run->state.first_step + run->attempt * run->restart_steps;
}

int64_t gt_run_attempt_end(const gt_run *run) {
  const int64_t end = gt_run_attempt_begin(run) + run->restart_steps;
  return run->restart_steps && end < run->total ? end : run->phase_end;
}

bool gt_run_restores_best(const gt_run *run) {
  const gt_early_stopping *stopping = &run->config->train.early_stopping;
  return stopping->restore_best &&
         (stopping->patience || run->restart_steps || run->config->train.checkpoint.keep_best);
}

const char *gt_run_constants(const gt_run *run, char text[128]) {
  const gt_slot *constant = gt_store_first_constant(run->net->model->store);
  snprintf(text, 128, constant ? " (such as '%s')" : "", constant ? constant->name : "");
  return text;
}

void gt_run_attempt_resume(gt_run *run) {
  const int64_t steps = run->state.step - run->state.first_step;
  run->attempt = run->restart_steps && steps ? (steps - 1) / run->restart_steps : 0;
}

bool gt_run_check_constants(gt_run *run, gt_error *error) {
  char text[128];
  const uint64_t previous = run->state.constants;
  run->state.constants = gt_store_fingerprint(run->net->model->store);
  if (previous == run->state.constants) return true;
  return gt_fail(error, GT_ERR_CONFIG,
                 "the config draws constants%s that differ from those in %s, for which the weights were "
                 "trained. Undo that change, or start a new run with another --run-dir",
                 gt_run_constants(run, text), run->directory);
}

bool gt_run_attempt(gt_run *run, gt_error *error) {
  const int64_t attempt =
      run->restart_steps ? (run->state.step - run->state.first_step) / run->restart_steps : 0;
  if (attempt == run->attempt) return true;
  run->attempt = attempt;
  run->state.draw = seed_of(run, attempt);
  if (!gt_generation_restart(run, error)) return false;
  const gt_store *store = run->net->model->store;
  const gt_slot *constant = gt_store_first_constant(store); /* for example "logic1.wiring" */
  gt_sinks_message(&run->sinks, "attempt %lld: new %s%sinitial values", (long long)attempt + 1,
                   constant ? constant->name + gt_slot_layer_length(constant->name) + 1 : "",
                   constant ? " and " : "");
  run->state.constants = gt_store_fingerprint(store);
  run->state.schedule = gt_schedule_start();
  return true;
}

/* Attempts of a run that restarts: small networks of gates often end in a bad minimum, and a new draw of
 * wiring and initial values costs less than waiting. Attempt k draws them for a seed of its own, which the
 * runs of neighbouring seeds do not share; a checkpoint tells it. Which attempt a step belongs to follows
 * from its number. Everything else that is random (order of samples, dropout, …) is keyed by the step and
 * goes on.
 */
#include "base/log.h"
#include "train/run.h"

enum { SEED_STEP = 1000003 };

static uint64_t seed_of(const gt_run *run, int64_t attempt) {
  return (uint64_t)run->config->seed + (uint64_t)attempt * SEED_STEP;
}

int64_t gt_run_attempt_begin(const gt_run *run) {
  return run->restart_steps ? run->attempt * run->restart_steps : run->state.first_step;
}

int64_t gt_run_attempt_end(const gt_run *run) {
  const int64_t end = (run->attempt + 1) * run->restart_steps;
  return run->restart_steps && end < run->total ? end : run->phase_end;
}

bool gt_run_restores_best(const gt_run *run) {
  const gt_early_stopping *stopping = &run->config->train.early_stopping;
  return stopping->restore_best && (stopping->patience || run->restart_steps);
}

static bool draw(gt_run *run, uint64_t seed, gt_error *error) {
  gt_arena drawn;
  run->state.draw = seed;
  if (seed == run->drawn_by) return true;
  run->drawn_by = seed;
  gt_arena_init(&drawn);
  const bool ok = gt_net_redraw(run->net, &drawn, run->config, seed, error);
  gt_arena_finish(&run->drawn); /* what the attempt before was wired by */
  run->drawn = drawn;
  /* Evaluations have constants of the same names, which are the same buffers. */
  return ok && gt_store_upload_tables(run->net->model->store, &run->session.buffers, error);
}

bool gt_run_attempt_resume(gt_run *run, gt_error *error) {
  const uint64_t wiring = run->state.wiring;
  run->attempt = run->restart_steps && run->state.step ? (run->state.step - 1) / run->restart_steps : 0;
  /* An older version's checkpoint tells the run's seed alone. */
  const uint64_t seed = wiring ? run->state.draw : run->state.draw + (uint64_t)run->attempt * SEED_STEP;
  if (!draw(run, seed, error)) return false;
  run->state.wiring = gt_store_fingerprint(run->net->model->store);
  if (!wiring || wiring == run->state.wiring) return true;
  return gt_fail(error, GT_ERR_CONFIG,
                 "the config wires its gates in another way than the run in %s: what they have learned would "
                 "be lost. Undo that change, or begin another run with a new --run-dir",
                 run->directory);
}

bool gt_run_attempt(gt_run *run, gt_error *error) {
  const int64_t attempt = run->restart_steps ? run->state.step / run->restart_steps : 0;
  if (attempt == run->attempt) return true;
  run->attempt = attempt;
  if (!draw(run, seed_of(run, attempt), error)) return false;
  gt_progress_line(&run->progress, "attempt %lld: other wiring and initial values", (long long)attempt + 1);
  run->state.wiring = gt_store_fingerprint(run->net->model->store);
  run->state.schedule = gt_schedule_start();
  return gt_store_start(run->net->model->store, &run->session.buffers, run->state.draw, error);
}

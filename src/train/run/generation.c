#include "train/run/generation.h"
#include "base/count.h"
#include "base/log.h"
#include "train/config/phases.h"
#include <math.h>
#include <string.h>

static gt_config *phase_config(const gt_run *run, int64_t phase) {
  return run->base->phases ? &run->base->phase[phase] : run->base;
}

bool gt_run_has_next_phase(const gt_run *run) { return run->state.phase + 1 < run->base->phases; }

/* --- opening --- */

static gt_net_options training_options(const gt_run *run) {
  return (gt_net_options){.target = run->session.backend->target,
                          .tuned = &run->session.tuned,
                          .windows = run->session.windows,
                          .draw = &run->state.draw,
                          .first_step = run->state.first_step,
                          .first_epoch = run->state.first_epoch};
}

/* Adds the number of the phase to an error. */
static bool add_phase(gt_error *error, int64_t phase) {
  const gt_error previous = *error;
  *error = (gt_error){0};
  return gt_fail(error, previous.status, "phase %lld: %.1500s", (long long)phase + 1, previous.message);
}

static bool place_data(gt_run *run, const gt_net_options *options, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  unsigned parts = 0;
  for (int part = GT_PART_VALIDATION; part < GT_PARTS; part++)
    if (gt_dataset_split(data, part)) parts |= 1u << part;
  if (!gt_session_place(&run->session, options, parts, error)) return false;
  /* Fails now if a later phase does not fit. */
  for (int64_t p = run->state.phase + 1; p < run->base->phases; p++)
    if (!gt_session_has_room(&run->session, phase_config(run, p), options, parts, error))
      return add_phase(error, p);
  return true;
}

static bool open_step(gt_run *run, gt_error *error) {
  gt_session *session = &run->session;
  gt_net_options options = training_options(run);
  if (!place_data(run, &options, error)) return false;
  options.windows = session->windows;
  run->net = gt_net_training(&run->generation, run->config, &options, error);
  if (!run->net) return false;
  run->step = gt_session_compile(session, run->net, error);
  if (!run->step || !gt_session_load_data(session, run->net, error)) return false;
  run->log =
      run->net->search ? NULL : gt_session_map(session, gt_net_variable(run->net, &run->generation, "log"));
  return true;
}

static bool open_evaluators(gt_run *run, gt_error *error) {
  const gt_dataset *data = &run->config->dataset;
  const unsigned averaged = gt_optim_averages(run->config->optim);
  run->watch = run->test = (gt_evaluator){0};
  if (gt_dataset_split(data, GT_PART_VALIDATION) &&
      !gt_evaluator_open(&run->session, &run->watch, GT_PART_VALIDATION, averaged, error))
    return false;
  if (gt_dataset_split(data, GT_PART_TEST) &&
      !gt_evaluator_open(&run->session, &run->test, GT_PART_TEST, averaged, error))
    return false;
  if (!run->watch.net) run->watch = run->test;
  return true;
}

/* Converts epochs or steps to steps, limited to what can be counted. */
static int64_t in_steps(int64_t units, int64_t steps_per_unit) {
  return gt_times_at_most(units, steps_per_unit, INT64_C(1000000000000000000));
}

/* Sets the lengths and intervals of the run, in steps. */
static void plan_steps(gt_run *run) {
  const gt_train_config *train = &run->config->train;
  run->per_epoch = run->state.epoch_steps = run->net->steps;
  const int64_t unit = train->epochs ? run->per_epoch : 1, every = train->checkpoint.every;
  run->phase_end = run->state.first_step + (train->epochs ? in_steps(train->epochs, unit) : train->steps);
  run->total = run->phase_end;
  for (int64_t p = run->state.phase + 1; p < run->base->phases; p++)
    run->total += gt_phase_steps(phase_config(run, p));
  run->eval_steps = in_steps(train->eval_every, unit);
  run->restart_steps = in_steps(train->restart_every, unit);
  run->save_steps = every < 0 ? run->eval_steps : in_steps(every, unit);
  run->saves_end = every != 0; /* also without evaluations before the end: the run can be resumed */
}

bool gt_generation_open(gt_run *run, gt_error *error) {
  const int64_t phases = run->base->phases ? run->base->phases : 1;
  if (run->state.phase >= phases)
    return gt_fail(error, GT_ERR_CONFIG, "the run in %s is in phase %lld, but the config has only %lld",
                   run->directory, (long long)run->state.phase + 1, (long long)phases);
  run->config = run->session.config = phase_config(run, run->state.phase);
  run->session.nets = &run->generation;
  run->session.draw = &run->state.draw;
  if (!open_step(run, error) || !gt_adapter_open(run, error) || !open_evaluators(run, error)) return false;
  plan_steps(run);
  return true;
}

void gt_generation_close(gt_run *run) {
  gt_session_release(&run->session);
  gt_arena_finish(&run->generation);
  for (int i = 0; i < 2; i++) gt_arena_finish(&run->attempt_arena[i]);
}

/* --- restarting --- */

static bool reopen(gt_run *run, gt_error *error) {
  gt_generation_close(run);
  return gt_generation_open(run, error) &&
         gt_session_set_clock(&run->session, run->net, run->state.step, error);
}

bool gt_generation_restart(gt_run *run, gt_error *error) {
  gt_arena *arena = &run->attempt_arena[run->attempt % 2],
           *previous = &run->attempt_arena[(run->attempt + 1) % 2];
  gt_net_options options = training_options(run);
  options.unplanned = true;
  gt_arena_init(arena);
  gt_net *net = gt_net_training(arena, run->config, &options, error);
  const bool adopted = net && gt_net_adopt(net, run->net);
  gt_arena_finish(adopted ? previous : arena);
  if (adopted) run->net = net;
  /* Evaluations use tables with the same names, and therefore the same buffers. */
  return net &&
         (adopted ? gt_store_upload_tables(net->model->store, &run->session.buffers, error)
                  : reopen(run, error)) &&
         gt_store_init_device(run->net->model->store, &run->session.buffers, run->state.draw, error);
}

/* --- the next phase --- */

/* Changes the host's state to the next phase. Another optimizer or network starts with new moments, so its
 * steps count from 1 again. */
static void advance_state(gt_run *run) {
  gt_host_state *state = &run->state;
  const gt_optim_type *previous = run->config->optim->type;
  const int64_t steps = state->step - state->first_step;
  state->phase++;
  const gt_config *next = phase_config(run, state->phase);
  const bool keeps_moments = next->optim->type == previous && !next->change.type;
  state->optimizer_step = keeps_moments ? state->optimizer_step + steps : 0;
  state->first_epoch += gt_ceil_div(steps, run->per_epoch);
  state->first_step = state->step;
  state->bad_evaluations = 0;
  state->stopped = 0;
  state->schedule = gt_schedule_start();
  /* Values of another metric cannot be compared. */
  if (strcmp(next->train.early_stopping.metric, run->config->train.early_stopping.metric) != 0) {
    state->best = NAN;
    state->best_step = 0;
  }
}

/* Copies the values at the end of the previous phase to the device. */
static bool upload_values(gt_run *run, const gt_state_dict *values, gt_error *error) {
  const gt_store *store = run->net->model->store;
  gt_state_dict dict;
  char text[128];
  if (gt_store_fingerprint(store) != run->state.constants)
    return gt_fail(error, GT_ERR_CONFIG,
                   "phase %lld draws constants%s that differ from those for which the weights were trained",
                   (long long)run->state.phase + 1, gt_run_constants(run, text));
  gt_state_dict_carry(&dict, store, values, run->state.draw);
  const bool ok = gt_state_dict_upload(&dict, &run->session.buffers, error) &&
                  gt_session_set_clock(&run->session, run->net, run->state.step, error);
  gt_state_dict_finish(&dict);
  return ok;
}

/* Applies a change (change.h) to the values at the end of this phase. */
static bool apply_change(gt_run *run, const gt_change *change, gt_state_dict *values, gt_error *error) {
  const gt_change_run between = {.base = run->base,
                                 .config = run->config,
                                 .model = run->net->model,
                                 .next = run->state.phase + 1,
                                 .draw = run->state.draw,
                                 .sinks = &run->sinks,
                                 .arena = run->base->diagnostics.arena,
                                 .generation = &run->generation};
  return gt_run_keep_weights(run, change->type->backup_file, (gt_model_results){0}, error) &&
         change->type->apply(&between, change->settings, values, error);
}

bool gt_generation_next(gt_run *run, gt_error *error) {
  gt_state_dict values;
  if (!gt_state_dict_download(&values, run->net->model->store, &run->session.buffers, GT_CHECKPOINT_ROLES,
                              error))
    return false;
  const gt_config *next = phase_config(run, run->state.phase + 1);
  if (next->change.type && !apply_change(run, &next->change, &values, error)) {
    gt_state_dict_finish(&values);
    return false;
  }
  gt_arena previous = run->generation; /* contains the layout of `values` */
  gt_session_release(&run->session);
  gt_arena_init(&run->generation);
  advance_state(run);
  const bool ok = gt_generation_open(run, error) && upload_values(run, &values, error);
  gt_state_dict_finish(&values);
  gt_arena_finish(&previous);
  if (ok)
    gt_sinks_message(&run->sinks, "phase %lld of %d, until step %lld of %lld",
                     (long long)run->state.phase + 1, run->base->phases, (long long)run->phase_end,
                     (long long)run->total);
  return ok;
}

bool gt_generation_return(gt_run *run, int64_t phase, gt_error *error) {
  gt_generation_close(run);
  run->state.phase = phase;
  return gt_generation_open(run, error);
}

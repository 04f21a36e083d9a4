#include "train/run/run.h"
#include "base/log.h"
#include "train/config/baseline.h"
#include "train/net/choose.h"
#include "train/config/classes.h"
#include "train/run/generation.h"
#include "train/config/init_from.h"
#include "base/time.h"
#include "train/config/review.h"
#include "train/run/signals.h"
#include "train/config/target_scaling.h"
#include "train/config/task.h"
#include <math.h>

/* --- opening --- */

static bool start_fresh(gt_run *run, gt_error *error) {
  gt_config *config = run->config;
  const gt_init_from *from = config->init_from;
  run->state = (gt_host_state){.best = NAN,
                               .schedule = gt_schedule_start(),
                               .draw = (uint64_t)config->seed,
                               .init = from ? from->hash : 0,
                               .data = run->data};
  if (!gt_generation_open(run, error)) return false;
  const gt_model *model = run->net->model;
  run->state.constants = gt_store_fingerprint(model->store);
  if (from && !gt_init_from_apply(from, run->base->root, &config->dataset, model, &run->base->diagnostics))
    return false;
  return gt_store_init_device(model->store, &run->session.buffers, run->state.draw, error);
}

static bool open_sinks(gt_run *run, gt_error *error) {
  const gt_sink_start start = {.directory = run->directory,
                               .device = run->session.backend->name,
                               .step = run->state.step,
                               .total = run->total,
                               .rows = gt_net_rows(run->net),
                               .quiet = run->options->quiet};
  return gt_sinks_open(&run->sinks, &start, run->state.place, error);
}

/* A run that resumes after its end has nothing to train. If the config differs from the checkpoint's, the
 * user may expect more: the message is then a warning. */
static void report_end(gt_run *run) {
  const char *directory = run->directory, *text;
  const long long step = run->state.step;
  if (run->state.stopped == GT_STOPPED_RUN)
    text =
        gt_arena_printf(&run->session.arena,
                        "%s stopped early at step %lld; a new run can start from its weights, with --init %s "
                        "and another --run-dir",
                        directory, step, directory);
  else
    text = gt_arena_printf(&run->session.arena, "%s has run all its %lld steps%s", directory, step,
                           run->total < step ? ", more than the config now asks for" : "");
  if (run->differs)
    gt_warn("nothing left to train: %s", text);
  else
    gt_info("nothing left to train: %s", text);
}

static bool open_state(gt_run *run, gt_error *error) {
  bool found = false;
  gt_config_record_training(run->base, run->base->diagnostics.arena);
  run->data = gt_dataset_fingerprint(&run->config->dataset);
  if (run->options->resume && !gt_run_restore(run, &found, error)) return false;
  if (run->finished) return true;
  if (!found && !start_fresh(run, error)) return false;
  if (run->options->resume)
    gt_info(found ? "resuming %s at step %lld" : "no checkpoint in %s yet: starting from step %lld",
            run->directory, (long long)run->state.step);
  run->result->was_over = found && (run->state.step >= run->total || run->state.stopped == GT_STOPPED_RUN);
  if (run->result->was_over) report_end(run);
  run->first_step = run->state.step;
  return gt_session_set_clock(&run->session, run->net, run->state.step, error) &&
         gt_run_directory_begin(run, error) && open_sinks(run, error);
}

/* A resumed run uses the same device, which its directory records. A new directory is created only after a
 * device has been opened. */
static bool open_device(gt_run *run, gt_error *error) {
  const bool resume = run->options->resume;
  gt_session *session = &run->session;
  gt_session_begin(session, run->config);
  if (resume && !gt_run_directory(run, error)) return false;
  const char *previous = resume ? gt_timing_device(run->directory, &session->arena) : NULL;
  gt_backend *backend = gt_choose_backend(run->config, GT_PART_NONE, run->options->device, previous, error);
  if (!backend) {
    run->directory = NULL; /* add_resume_command then suggests no command: nothing has run there */
    return false;
  }
  gt_session_start(session, backend);
  gt_info("device: %s (%s)", backend->name, backend->why);
  return resume || gt_run_directory(run, error);
}

/* Logs the tasks and, for more than two classes, their counts: the text of a binary task already contains the
 * shares. */
static void log_task(gt_run *run) {
  gt_arena *arena = &run->session.arena;
  const gt_dataset *data = &run->config->dataset;
  for (int k = 0; k < data->targets; k++) {
    const char *name = data->target[k].name, *of = name ? gt_arena_printf(arena, " of '%s'", name) : "";
    const gt_task task = gt_task_of(run->config, k, arena);
    const gt_class_table classes = gt_class_table_of(data, k, arena);
    if (task.kind) gt_info("task%s: %s", of, gt_task_text(&task, arena));
    if (classes.classes > 2) gt_info("classes%s: %s", of, gt_class_table_text(&classes, arena));
  }
  const char *naive = gt_naive_text(run->config, arena);
  if (naive) gt_info("naive forecasts: %s", naive);
}

/* Opens directory, device, plans, data and the first state or checkpoint. */
static bool open_run(gt_run *run, gt_error *error) {
  run->bad_step = run->saved_step = run->lock = -1;
  run->started = gt_seconds();
  run->loss = run->lr = run->grad_norm = NAN;
  if (!open_device(run, error)) return false;
  run->session.memory_limit = run->options->memory_limit;
  gt_info("run directory: %s", run->directory);
  log_task(run);
  const char *targets = gt_target_scaling_text(run->config, &run->session.arena);
  if (targets) gt_info("targets: %s", targets);
  if (!gt_run_directory_tuned(run, error) || !open_state(run, error)) return false;
  if (run->finished) return true;
  const uint32_t tuned = gt_net_work_of(run->net).tuned;
  if (tuned) gt_info("kernels: %u chosen by gtrain tune", tuned);
  return true;
}

static void close_run(gt_run *run) {
  gt_sinks_close(&run->sinks);
  gt_generation_close(run);
  gt_session_close(&run->session);
  gt_unlock(run->lock);
}

static bool train(gt_run *run, gt_error *error) {
  gt_train_result *result = run->result;
  if (!open_run(run, error)) return false;
  snprintf(result->directory, sizeof result->directory, "%s", run->directory);
  snprintf(result->device, sizeof result->device, "%s", run->session.backend->name);
  if (run->finished) return gt_run_evaluate_finished(run, error);
  const double start = gt_seconds();
  const bool looped = gt_run_loop(run, error);
  const double seconds = gt_seconds() - start;
  if (!run->net) return false; /* a phase could not be opened */
  result->step = run->state.step;
  result->epoch = gt_run_epoch(run, run->state.step);
  result->best_step = run->state.best_step;
  result->stopped_early = run->state.stopped == GT_STOPPED_RUN;
  result->attempts = run->attempt + 1;
  result->has_goal = run->config->train.early_stopping.has_goal;
  result->goal_reached = gt_goal_reached(&run->config->train.early_stopping, run->state.best);
  result->train = gt_training_result(&run->state.last, &run->net->form, run->net->model->has_hard);
  result->samples_per_s =
      seconds > 0 ? (double)((run->state.step - run->first_step) * gt_net_rows(run->net)) / seconds : 0;
  result->interrupted = error->status == GT_INTERRUPTED;
  const bool ok = looped && gt_run_end(run, error);
  result->seconds = gt_seconds() - run->started;
  result->memory_peak = run->session.backend->memory_peak;
  if (ok) gt_run_rank_columns(run);
  return ok;
}

/* If the device failed or its memory is exhausted, adds to the error how to continue the run. */
static void add_resume_command(const gt_run *run, gt_error *error) {
  const bool lost = error->status == GT_ERR_NODEVICE && run->directory;
  char next[128] = "Continue with";
  if (!lost && (error->status != GT_ERR_MEMORY || run->saved_step < 0)) return;
  if (run->saved_step >= 0)
    snprintf(next, sizeof next, "The last checkpoint is from step %lld of %lld. Continue with",
             (long long)run->saved_step, (long long)run->total);
  else if (!run->options->resume)
    snprintf(next, sizeof next, "There is no checkpoint yet. Start again with");
  const gt_error why = *error;
  *error = (gt_error){0};
  gt_fail(error, lost ? GT_INTERRUPTED : why.status, "%.1000s. %s:\n  %s", why.message, next, run->command);
}

bool gt_train(gt_config *config, const gt_train_options *options, gt_train_result *result, gt_error *error) {
  gt_run run = {.base = config, .config = config, .options = options, .result = result, .lock = -1};
  *result = (gt_train_result){0};
  /* Handles signals from now on: a signal before the first step stops the run there; a signal during the
   * final evaluation has no effect. */
  gt_signals_catch();
  const bool ok = train(&run, error);
  if (!ok) add_resume_command(&run, error);
  gt_signals_release();
  close_run(&run);
  return ok;
}

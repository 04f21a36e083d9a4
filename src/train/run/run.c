#include "train/run/run.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/config/baseline.h"
#include "train/net/choose.h"
#include "train/config/classes.h"
#include "train/run/generation.h"
#include "train/config/init_from.h"
#include "train/run/progress.h"
#include "train/config/review.h"
#include "train/run/signals.h"
#include "train/config/target_scaling.h"
#include "train/config/task.h"
#include "train/eval/threshold_search.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t gt_run_epoch(const gt_run *run, int64_t step) {
  const int64_t steps = step - run->state.first_step;
  return run->state.first_epoch + (steps > 0 ? (steps - 1) / run->per_epoch + 1 : !step);
}

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
  gt_config_record_ranges(run->base, run->base->diagnostics.arena);
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
  gt_backend *backend = gt_choose_backend(run->config, NULL, run->options->device, previous, error);
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

/* --- weights --- */

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
  const bool ok = gt_model_file_write(path, run->config, &weights, &results, error);
  gt_state_dict_finish(&weights);
  return ok;
}

/* --- the end --- */

/* Opens an earlier phase again, with the layers from its model file, because changes (change.h) may have
 * rewritten the phase's config when the run was resumed. The config outlives the run, so the layers are in
 * its arena. */
static bool reopen_phase(gt_run *run, int64_t phase, const gt_model_file *model, gt_error *error) {
  gt_arena *arena = run->base->diagnostics.arena;
  gt_config *config = &run->base->phase[phase];
  gt_diagnostics diagnostics;
  gt_diagnostics_init(&diagnostics, arena);
  gt_spec *root = gt_spec_parse(arena, model->path, model->config, strlen(model->config), &diagnostics);
  gt_spec *layers = gt_spec_find(root, "model");
  if (!layers) return gt_fail(error, GT_ERR_DATA, "%s: the layers in its config cannot be read", model->path);
  gt_spec_remove(config->root, "model");
  gt_spec_add(arena, config->root, "model", layers);
  config->resolved = gt_config_resolve(config, arena);
  return gt_generation_return(run, phase, error);
}

/* Loads the weights and constants of best.bin, or of the model.bin of a finished run. */
static bool load_best(gt_run *run, const gt_model_file *best, gt_state_dict *weights, gt_error *error) {
  if (run->state.best_phase != run->state.phase && !reopen_phase(run, run->state.best_phase, best, error))
    return false;
  gt_store *store = run->net->model->store;
  gt_buffers *buffers = &run->session.buffers;
  if (!gt_state_dict_read(weights, store, &best->container, best->path, GT_WEIGHT_ROLES, error)) return false;
  if (gt_state_dict_upload(weights, buffers, error) &&
      gt_state_dict_average(weights, buffers, gt_optim_averages(run->config->optim), true, error) &&
      gt_store_read_constants(store, &best->container, best->path, error) &&
      gt_store_upload_tables(store, buffers, error))
    return true;
  gt_state_dict_finish(weights);
  return false;
}

/* Says which weights model.bin gets, if best.bin has better ones. */
static void report_last_weights(const gt_run *run) {
  const gt_host_state *state = &run->state;
  if (run->config->train.checkpoint.keep_best && state->best_step && state->best_step != state->step)
    gt_info(
        "model.bin gets the last weights (early_stopping: {restore_best: false}); the best, of step %lld, "
        "are in best.bin",
        (long long)state->best_step);
}

/* Downloads the last weights, or loads the best weights (*restored). */
static bool choose_weights(gt_run *run, gt_state_dict *weights, bool *restored, gt_error *error) {
  const char *path = gt_arena_printf(&run->session.arena, "%s/best.bin", run->directory);
  gt_model_file best;
  *restored = gt_run_restores_best(run) && run->state.best_step && run->state.best_step != run->state.step;
  if (*restored) {
    if (!gt_model_file_read(&best, path, error)) return false;
    /* best.bin may be newer than the checkpoint from which the run was resumed with fewer steps. */
    *restored = best.step < 0 || best.step == run->state.best_step;
    if (!*restored)
      gt_warn("%s is from step %lld, but the best step is %lld: model.bin gets the last weights", path,
              (long long)best.step, (long long)run->state.best_step);
    const bool ok = !*restored || load_best(run, &best, weights, error);
    gt_model_file_finish(&best);
    if (*restored || !ok) return ok;
  } else if (!gt_run_restores_best(run)) {
    report_last_weights(run);
  }
  return gt_run_weights(run, weights, error);
}

static bool final_evaluation(gt_run *run, gt_evaluator *evaluator, gt_results *result, gt_error *error) {
  if (!evaluator->net) return true;
  if (!gt_evaluator_run(&run->session, evaluator, result, error)) return false;
  if (!(result->items > 0)) {
    gt_warn("no label of the %s split counts: all are the ignore_index", evaluator->net->split);
    return true;
  }
  if (!isfinite(gt_result_loss(result))) gt_warn("the %s loss is not finite", evaluator->net->split);
  return true;
}

/* Writes the row of a test split that was not watched; the watched split already has a row for its step. */
static bool write_test_row(gt_run *run, int64_t step, int64_t epoch, gt_error *error) {
  gt_metric_row row = gt_run_row(run, "test", &run->result->test);
  row.step = step;
  row.epoch = epoch;
  return gt_sinks_row(&run->sinks, &row, error);
}

static bool evaluate_and_write(gt_run *run, const gt_state_dict *weights, int64_t step, int64_t epoch,
                               gt_error *error) {
  gt_train_result *result = run->result;
  const bool watches_test = run->watch.net && run->watch.net == run->test.net;
  if (!watches_test && !final_evaluation(run, &run->watch, &result->validation, error)) return false;
  if (!final_evaluation(run, &run->test, &result->test, error)) return false;
  if (run->test.net && !watches_test && !write_test_row(run, step, epoch, error)) return false;
  const gt_model_results results = {.step = step,
                                    .epoch = epoch,
                                    .validation = result->validation,
                                    .test = result->test,
                                    .data = run->data};
  const char *path = gt_arena_printf(&run->session.arena, "%s/model.bin", run->directory);
  return gt_model_file_write(path, run->config, weights, &results, error);
}

/* Chooses the threshold if it is automatic; evaluations use it from now on. */
static bool set_threshold(gt_run *run, gt_error *error) {
  const gt_threshold *t = &run->config->threshold;
  if (!t->used) return true;
  if (t->automatic && !gt_threshold_choose(&run->session, gt_optim_averages(run->config->optim), error))
    return false;
  run->result->threshold = t->value;
  run->result->thresholds = t->count;
  return gt_threshold_apply(&run->session, error);
}

static bool finish_training(gt_run *run, gt_error *error) {
  gt_state_dict weights;
  bool restored;
  if (!choose_weights(run, &weights, &restored, error)) return false;
  const gt_host_state *state = &run->state;
  const int64_t step = restored ? state->best_step : state->step;
  const int64_t epoch = restored ? state->best_epoch : gt_run_epoch(run, step);
  const bool ok = set_threshold(run, error) && evaluate_and_write(run, &weights, step, epoch, error);
  gt_state_dict_finish(&weights);
  return ok;
}

/* Estimates the importance of columns, after everything has been written. On errors there is no estimate. */
static void rank_columns(gt_run *run) {
  const double share = 0.05; /* of the run's time, for the estimate */
  gt_evaluator *evaluator = run->test.net ? &run->test : &run->watch;
  if (run->options->ranks_columns)
    gt_importance_estimate(&run->session, evaluator, share * (gt_seconds() - run->started),
                           run->base->diagnostics.arena, &run->result->importance);
}

/* For a finished run without checkpoints: evaluates its model.bin and writes nothing. */
static bool evaluate_finished(gt_run *run, gt_error *error) {
  gt_train_result *result = run->result;
  gt_model_file file;
  gt_state_dict weights;
  const char *path = gt_arena_printf(&run->session.arena, "%s/model.bin", run->directory);
  if (!gt_model_file_read(&file, path, error)) return false;
  gt_data_fingerprint saved = file.data;
  const gt_data_signature *s = &file.signature;
  saved.meaning = gt_meaning_fingerprint(s->input, s->inputs, s->target, s->targets);
  if (!gt_run_check_data(run, &saved, "the run wrote", path, error)) {
    gt_model_file_finish(&file);
    return false;
  }
  run->state = (gt_host_state){.best = NAN, .draw = (uint64_t)run->config->seed};
  run->state.phase = run->state.best_phase = run->base->phases ? run->base->phases - 1 : 0;
  bool ok = (run->base->phases ? reopen_phase(run, run->state.phase, &file, error)
                               : gt_generation_open(run, error)) &&
            load_best(run, &file, &weights, error);
  if (ok) {
    gt_state_dict_finish(&weights);
    const bool watches_test = run->watch.net == run->test.net;
    ok = set_threshold(run, error) &&
         (watches_test || final_evaluation(run, &run->watch, &result->validation, error)) &&
         final_evaluation(run, &run->test, &result->test, error);
  }
  result->was_over = true;
  result->step = file.step;
  if (ok) result->epoch = gt_run_epoch(run, file.step);
  result->seconds = gt_seconds() - run->started;
  result->memory_peak = run->session.backend->memory_peak;
  gt_model_file_finish(&file);
  return ok;
}

static bool train(gt_run *run, gt_error *error) {
  gt_train_result *result = run->result;
  if (!open_run(run, error)) return false;
  snprintf(result->directory, sizeof result->directory, "%s", run->directory);
  snprintf(result->device, sizeof result->device, "%s", run->session.backend->name);
  if (run->finished) return evaluate_finished(run, error);
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
  const bool ok = looped && finish_training(run, error);
  result->seconds = gt_seconds() - run->started;
  result->memory_peak = run->session.backend->memory_peak;
  if (ok) rank_columns(run);
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

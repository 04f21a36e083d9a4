/* The end of a run: chooses the weights and thresholds of model.bin, evaluates and writes it. */
#include "train/run/run.h"
#include "base/log.h"
#include "train/eval/threshold_search.h"
#include "train/run/generation.h"
#include "base/time.h"
#include <math.h>
#include <string.h>

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
    gt_warn("no label of the %s split counts: all are the ignore_index", gt_part_keys[evaluator->net->part]);
    return true;
  }
  if (!isfinite(gt_result_loss(result, GT_PLAIN)))
    gt_warn("the %s loss is not finite", gt_part_keys[evaluator->net->part]);
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
  return gt_model_write(path, run->config, weights, &results, error);
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

bool gt_run_end(gt_run *run, gt_error *error) {
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

void gt_run_rank_columns(gt_run *run) {
  const double share = 0.05; /* of the run's time, for the estimate */
  gt_evaluator *evaluator = run->test.net ? &run->test : &run->watch;
  if (run->options->ranks_columns)
    gt_importance_estimate(&run->session, evaluator, share * (gt_seconds() - run->started),
                           run->base->diagnostics.arena, &run->result->importance);
}

bool gt_run_evaluate_finished(gt_run *run, gt_error *error) {
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

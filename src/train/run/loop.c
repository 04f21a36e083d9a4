/* The training loop: submits steps in pieces, reads their log while later pieces run, and stops at boundaries
 * to evaluate and to save. */
#include "base/count.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/run/generation.h"
#include "base/time.h"
#include "train/net/line_search.h"
#include "train/run/signals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limit of replays in flight: half of the rows of the schedule's table, so that the other half can be
 * written. */
enum { IN_FLIGHT = GT_TABLE_ROWS / 2 };

/* Intervals count from the first step of the phase. */
static int64_t next_multiple(const gt_run *run, int64_t every) {
  const int64_t first = run->state.first_step;
  return every ? first + ((run->state.step - first) / every + 1) * every : INT64_MAX;
}
static bool is_multiple(const gt_run *run, int64_t step, int64_t every) {
  return every && (step - run->state.first_step) % every == 0;
}

/* True if the phase is over and another phase follows. */
static bool is_phase_over(const gt_run *run) {
  return gt_run_has_next_phase(run) &&
         (run->state.step >= run->phase_end || run->state.stopped == GT_STOPPED_PHASE);
}

static int64_t next_boundary(const gt_run *run) {
  return gt_min_i64(gt_run_attempt_end(run), gt_min_i64(gt_adapter_next(run, run->state.step),
                                                        gt_min_i64(next_multiple(run, run->eval_steps),
                                                                   next_multiple(run, run->save_steps))));
}

/* --- to the device: the schedule's values for the next steps --- */

static bool upload_table(gt_run *run, int64_t from, int64_t to, gt_error *error) {
  const size_t width = (size_t)run->net->table_width;
  const int64_t first = gt_run_attempt_begin(run), last = gt_run_attempt_end(run);
  const int64_t optimizer_steps = run->state.optimizer_step;
  float *rows = gt_alloc((size_t)(to - from) * width * sizeof *rows + 1);
  for (int64_t s = from; s < to; s++)
    gt_training_scalars(run->config->optim, &run->state.schedule, (uint64_t)(s - first),
                        (uint64_t)(last - first), (uint64_t)run->per_epoch,
                        (uint64_t)(optimizer_steps + s - first + 1), rows + (size_t)(s - from) * width);
  bool ok = true;
  for (int64_t s = from; s < to && ok;) {
    const int64_t table_row = s % GT_TABLE_ROWS, n = gt_min_i64(to - s, GT_TABLE_ROWS - table_row);
    ok = gt_buffers_upload(&run->session.buffers, "train.table", (uint64_t)table_row * width * sizeof *rows,
                           rows + (size_t)(s - from) * width, (uint64_t)n * width * sizeof *rows, error);
    s += n;
  }
  free(rows);
  return ok;
}

/* --- from the device: the log --- */

gt_metric_row gt_run_row(const gt_run *run, const char *split, const gt_results *result) {
  return (gt_metric_row){.step = run->state.step,
                         .epoch = gt_run_epoch(run, run->state.step),
                         .split = split,
                         .result = result,
                         .lr = NAN,
                         .grad_norm = NAN};
}

static gt_results training_result(const gt_run *run, const gt_sums *sums) {
  return gt_training_result(sums, &run->net->form, run->net->model->has_hard);
}

static bool write_train_row(gt_run *run, const gt_sums *sums, gt_error *error) {
  const gt_results result = training_result(run, sums);
  gt_metric_row row = gt_run_row(run, "train", &result);
  row.lr = run->lr;
  row.grad_norm = run->grad_norm;
  return gt_sinks_row(&run->sinks, &row, error);
}

/* Reads the log row of the next finished step; sets bad_step if its loss or gradient is not finite. */
static bool read_row(gt_run *run, gt_error *error) {
  const gt_log_columns *c = &run->net->column;
  const float *row = run->log + (size_t)(run->state.step % GT_LOG_ROWS) * (size_t)c->count;
  const gt_sums sums = gt_net_sums_of(run->net, row);
  bool finite = true;
  for (int k = 0; k < run->net->targets; k++) finite &= isfinite(sums.sum[k][GT_SUM_LOSS]);
  if (!finite || row[c->ok] == 0) {
    run->bad_step = run->state.step;
    run->bad_gradient = finite;
    return true;
  }
  run->lr = row[c->lr];
  if (c->norm >= 0) run->grad_norm = row[c->norm];
  gt_run_record_step(run, &sums);
  return gt_run_write_train_row(run, error);
}

void gt_run_record_step(gt_run *run, const gt_sums *sums) {
  gt_sums_add(&run->state.window, sums);
  gt_sums_add(&run->state.epoch, sums);
  run->state.step++;
  run->loss = gt_mean_loss(sums, &run->net->form);
}

bool gt_run_write_train_row(gt_run *run, gt_error *error) {
  const int64_t every = run->config->train.log_every;
  if (!every || run->state.step % every) return true;
  const bool ok = write_train_row(run, &run->state.window, error);
  run->state.window = (gt_sums){0};
  return ok;
}

static bool read_log(gt_run *run, int64_t finished, gt_error *error) {
  while (run->state.step < finished && run->bad_step < 0)
    if (!read_row(run, error)) return false;
  gt_sinks_step(&run->sinks, run->state.step, gt_run_epoch(run, run->state.step), run->loss);
  return true;
}

static bool is_over_time(const gt_run *run) {
  return run->options->max_seconds > 0 && gt_seconds() - run->started >= run->options->max_seconds;
}

static bool must_stop(const gt_run *run) { return gt_signal_received() || is_over_time(run); }

bool gt_run_has_request(const gt_run *run) { return must_stop(run) || gt_save_requested(); }

/* Runs until the boundary, a request (gt_run_has_request), or a loss or gradient that is not finite; then
 * waits until nothing is in flight. */
static bool run_to(gt_run *run, gt_pacer *pacer, int64_t boundary, gt_error *error) {
  const int64_t base = run->state.step;
  int64_t submitted = base, uploaded = base;
  gt_pacer_init(pacer, run->session.backend, run->net, run->step, IN_FLIGHT);
  while (submitted < boundary && run->bad_step < 0 && !gt_run_has_request(run)) {
    const uint32_t room = gt_pacer_room(pacer, boundary - submitted, error);
    if (!room || !read_log(run, base + pacer->done, error)) return false;
    if (uploaded < submitted + room) {
      const int64_t to = gt_min_i64(boundary, submitted + IN_FLIGHT);
      if (!upload_table(run, uploaded, to, error)) return false;
      uploaded = to;
    }
    if (!gt_pacer_submit(pacer, room, error)) return false;
    submitted += room;
  }
  return gt_pacer_drain(pacer, error) && read_log(run, base + pacer->done, error);
}

/* --- boundaries --- */

static bool improved(const gt_run *run, double value) {
  const gt_early_stopping *stopping = &run->config->train.early_stopping;
  if (isnan(run->state.best)) return !isnan(value);
  return gt_metric_is_larger_better(stopping->watched.kind) ? value > run->state.best + stopping->min_delta
                                                            : value < run->state.best - stopping->min_delta;
}

bool gt_goal_reached(const gt_early_stopping *stopping, double value) {
  if (!stopping->has_goal) return false;
  return gt_metric_is_larger_better(stopping->watched.kind) ? value >= stopping->goal
                                                            : value <= stopping->goal;
}

static bool is_best(const gt_run *run, double value) {
  return gt_goal_reached(&run->config->train.early_stopping, value) || improved(run, value);
}

/* True if this phase or a later one has settings by which the run may end with the best weights so far. */
static bool keeps_best(const gt_run *run) {
  const gt_config *base = run->base;
  for (int p = (int)run->state.phase + 1; p < base->phases; p++) {
    const gt_train_config *train = &base->phase[p].train;
    if (train->checkpoint.keep_best || (train->early_stopping.restore_best && train->early_stopping.patience))
      return true;
  }
  return run->config->train.checkpoint.keep_best || gt_run_restores_best(run);
}

static bool save_best(gt_run *run, const gt_results *result, gt_error *error) {
  if (!keeps_best(run)) return true;
  gt_model_results results = {0};
  *(run->watch.net == run->test.net ? &results.test : &results.validation) = *result;
  return gt_run_keep_weights(run, "best.bin", results, error);
}

static bool observe_result(gt_run *run, const gt_results *result, gt_error *error) {
  const gt_early_stopping *stopping = &run->config->train.early_stopping;
  const double value = gt_result_value(result, stopping->watched);
  if (isnan(value) && !run->warned && stopping->watched.kind->type) {
    run->warned = true;
    gt_warn("metric '%s', which early_stopping watches, is not a number on the %s split; it may lack a class",
            stopping->metric, gt_part_keys[run->watch.net->part]);
  }
  const double trained_loss = gt_result_loss(result, run->net->model->has_hard ? GT_SOFT : GT_PLAIN);
  gt_schedule_observe(run->config->optim->schedule, run->config->optim->config->lr, trained_loss,
                      &run->state.schedule);
  if (gt_goal_reached(stopping, value)) run->state.stopped = GT_STOPPED_RUN;
  if (is_best(run, value)) {
    run->state.best = value;
    run->state.best_step = run->state.step;
    run->state.best_epoch = gt_run_epoch(run, run->state.step);
    run->state.best_phase = run->state.phase;
    run->state.bad_evaluations = 0;
    return save_best(run, result, error);
  }
  run->state.bad_evaluations++;
  if (stopping->patience && run->state.bad_evaluations >= stopping->patience)
    run->state.stopped = gt_run_has_next_phase(run) ? GT_STOPPED_PHASE : GT_STOPPED_RUN;
  return true;
}

/* result: of the watched split; NULL: no split is watched. */
static void report_evaluation(gt_run *run, const gt_results *result, double rate) {
  const gt_result_id watches = run->config->train.early_stopping.watched;
  const gt_evaluation evaluation = {.phase = run->state.phase + 1,
                                    .phases = run->base->phases,
                                    .step = run->state.step,
                                    .steps = run->total,
                                    .epoch = gt_run_epoch(run, run->state.step),
                                    .epochs = run->config->train.epochs,
                                    .train = training_result(run, &run->state.last),
                                    .watched = result ? *result : (gt_results){0},
                                    .split = result ? gt_part_keys[run->watch.net->part] : NULL,
                                    .watches = watches,
                                    .best = result && is_best(run, gt_result_value(result, watches)),
                                    .rate = rate};
  gt_sinks_evaluated(&run->sinks, &evaluation);
}

static bool evaluate(gt_run *run, double seconds, int64_t steps, gt_error *error) {
  gt_results result;
  run->state.last = run->state.epoch;
  if (!write_train_row(run, &run->state.epoch, error)) return false;
  run->state.epoch = (gt_sums){0};
  const double rate = seconds > 0 ? (double)(steps * gt_net_rows(run->net)) / seconds : 0;
  const gt_timing timing = {run->state.step, gt_seconds() - run->started, rate};
  if (!gt_sinks_timing(&run->sinks, &timing, error)) return false;
  if (!run->watch.net) {
    report_evaluation(run, NULL, rate);
    return true;
  }
  if (!gt_evaluator_run(&run->session, &run->watch, &result, error)) return false;
  const gt_metric_row row = gt_run_row(run, gt_part_keys[run->watch.net->part], &result);
  report_evaluation(run, &result, rate);
  return gt_sinks_row(&run->sinks, &row, error) && observe_result(run, &result, error);
}

static bool fail_interrupted(gt_run *run, gt_error *error) {
  if (run->saved_step != run->state.step && !gt_run_save(run, error)) return false;
  const char *why = "interrupted";
  run->result->out_of_time = !gt_signal_received();
  if (run->result->out_of_time)
    why = gt_arena_printf(&run->session.arena, "stopped after %s (--max-time)", run->options->max_time);
  return gt_fail(error, GT_INTERRUPTED, "%s at step %lld of %lld; saved. Continue with:\n  %s", why,
                 (long long)run->state.step, (long long)run->total, run->command);
}

/* Writes a checkpoint if a signal requested it; regular checkpoints are not affected. */
static bool save_if_requested(gt_run *run, gt_error *error) {
  if (!gt_save_requested()) return true;
  gt_save_acknowledge();
  if (run->saved_step != run->state.step && !gt_run_save(run, error)) return false;
  gt_sinks_message(&run->sinks, "saved at step %lld", (long long)run->state.step);
  return true;
}

static bool is_evaluation_step(const gt_run *run, int64_t step) {
  return is_multiple(run, step, run->eval_steps) || step == gt_run_attempt_end(run);
}

static bool at_boundary(gt_run *run, double seconds, int64_t steps, gt_error *error) {
  const int64_t step = run->state.step;
  const bool evaluates = run->state.stopped ? run->state.epoch.steps > 0 : is_evaluation_step(run, step);
  if (evaluates && !evaluate(run, seconds, steps, error)) return false;
  /* Also saves before the next phase: if the run stops while it changes to this phase, a resumed run repeats
   * the change. */
  const bool saves = is_multiple(run, step, run->save_steps) || is_phase_over(run) ||
                     (run->saves_end && (step == run->total || run->state.stopped));
  return !saves || gt_run_save(run, error);
}

static bool loop(gt_run *run, gt_error *error) {
  gt_pacer pacer = {0};
  double seconds = 0;
  int64_t steps = 0;
  while (run->state.step < run->total && run->state.stopped != GT_STOPPED_RUN) {
    const double start = gt_seconds();
    if (is_phase_over(run) && !gt_generation_next(run, error)) return false;
    if (!gt_run_attempt(run, error) || !gt_run_adapt(run, error)) return false;
    const int64_t from = run->state.step, boundary = next_boundary(run);
    if (!(run->net->search ? gt_run_line_search(run, boundary, error) : run_to(run, &pacer, boundary, error)))
      return false;
    gt_sinks_step(&run->sinks, run->state.step, gt_run_epoch(run, run->state.step), run->loss);
    if (run->bad_step >= 0) return gt_run_explain(run, error);
    seconds += gt_seconds() - start;
    steps += run->state.step - from;
    const bool arrived = run->state.step == boundary || run->state.stopped; /* a line search may converge */
    if (arrived && !at_boundary(run, seconds, steps, error)) return false;
    if (arrived && is_evaluation_step(run, run->state.step)) seconds = 0, steps = 0;
    if (!save_if_requested(run, error)) return false;
    if (must_stop(run) && run->state.step < run->total && run->state.stopped != GT_STOPPED_RUN)
      return fail_interrupted(run, error);
  }
  return true;
}

bool gt_run_loop(gt_run *run, gt_error *error) {
  const bool ok = loop(run, error);
  gt_sinks_idle(&run->sinks);
  if (ok) gt_sinks_end(&run->sinks);
  return ok;
}

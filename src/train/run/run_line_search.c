#include "train/net/line_search.h"
#include "base/log.h"
#include "base/memory.h"
#include "optim/lbfgs.h"
#include "train/run/run.h"
#include "train/run/signals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  gt_run *run;
  gt_line_search_net *net;
  const gt_lbfgs_config *settings;
  int m, rows;                 /* size of the history; rows of the basis */
  double *gram, *coefficient;  /* [rows][rows]; [rows] (optim/lbfgs.h) */
  float *staging;              /* room for rows * rows values */
  float measured[GT_MEASURED]; /* results at the last trial */
  float last[GT_MEASURED];     /* results at x */
  float counts[2];             /* STEPS: since the last reset; PAIRS: in the history */
} search;

enum { STEPS, PAIRS };

/* --- the device --- */

static bool replay(search *s, gt_executable *executable, uint32_t times, gt_error *error) {
  gt_backend *backend = s->run->session.backend;
  uint64_t ticket;
  return backend->api->run(backend, executable, times, &ticket, error);
}

static bool upload(search *s, const char *name, const float *values, int64_t count, gt_error *error) {
  return gt_buffers_upload(&s->run->session.buffers, name, 0, values, (uint64_t)count * sizeof *values,
                           error);
}

static bool download(search *s, const char *name, float *values, int64_t count, gt_error *error) {
  return gt_buffers_download(&s->run->session.buffers, name, 0, values, (uint64_t)count * sizeof *values,
                             error);
}

static bool upload_doubles(search *s, const char *name, const double *values, int64_t count,
                           gt_error *error) {
  for (int64_t i = 0; i < count; i++) s->staging[i] = (float)values[i];
  return upload(s, name, s->staging, count, error);
}

static bool upload_control(search *s, double t, bool appends, gt_error *error) {
  const float words[GT_CONTROL] = {[GT_CONTROL_T] = (float)t, [GT_CONTROL_APPENDS] = appends};
  return upload(s, "lbfgs.control", words, GT_CONTROL, error);
}

/* Evaluates loss and gradient at x + t d over all batches. A batch always has the same random numbers. */
static bool evaluate(search *s, double t, gt_error *error) {
  gt_run *run = s->run;
  uint64_t ticket;
  return upload_control(s, t, false, error) && gt_session_set_clock(&run->session, run->net, 0, error) &&
         replay(s, s->net->stage[GT_LINE_SEARCH_TRIAL].executable, 1, error) &&
         gt_net_run_stage(run->net, run->session.backend, 0, run->net->stage[0].times, &ticket, error) &&
         replay(s, s->net->stage[GT_LINE_SEARCH_MEASURE].executable, 1, error) &&
         download(s, "lbfgs.measured", s->measured, GT_MEASURED, error);
}

static double mean_loss(const search *s, const float *measured) {
  const double loss = (double)measured[GT_MEASURED_LOSS];
  return s->run->config->loss[0]->type->sums_batch ? loss : loss / (double)measured[GT_MEASURED_DIVISOR];
}

/* --- between steps --- */

/* Appends the rows and columns of the last pair to those of the history, without the oldest pair. */
static void shift_gram(search *s) {
  const int m = s->m, rows = s->rows;
  double *next = gt_alloc((size_t)(rows * rows) * sizeof *next);
  for (int i = 0; i < 2 * m; i++)
    for (int k = 0; k < 2 * m; k++) {
      const int from_i = i == m - 1 ? 2 * m : i == 2 * m - 1 ? 2 * m + 1 : i + 1;
      const int from_k = k == m - 1 ? 2 * m : k == 2 * m - 1 ? 2 * m + 1 : k + 1;
      next[i * rows + k] = s->gram[from_i * rows + from_k];
    }
  memcpy(s->gram, next, (size_t)(rows * rows) * sizeof *next);
  free(next);
}

/* Sets x to the last trial, x + t d, and updates basis and history. */
static bool accept(search *s, double t, gt_error *error) {
  const int rows = s->rows, first = 2 * s->m;
  const bool appends =
      s->counts[STEPS] > 0 && gt_lbfgs_has_curvature(s->gram, s->m, s->settings->any_curvature);
  if (!upload_control(s, t, appends, error) ||
      !replay(s, s->net->stage[GT_LINE_SEARCH_ACCEPT].executable, 1, error) ||
      !download(s, "lbfgs.products", s->staging, 3 * rows, error))
    return false;
  if (appends) shift_gram(s);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < rows; k++)
      s->gram[(first + i) * rows + k] = s->gram[k * rows + first + i] = (double)s->staging[i * rows + k];
  if (appends && s->counts[PAIRS] < (float)s->m) s->counts[PAIRS]++;
  memcpy(s->last, s->measured, sizeof s->last);
  return upload_doubles(s, "lbfgs.gram", s->gram, rows * rows, error) &&
         upload(s, "lbfgs.last", s->last, GT_MEASURED, error) &&
         upload(s, "lbfgs.counts", s->counts, 2, error);
}

/* Starts the minimization over all steps: a new one evaluates x, a resumed one has the checkpoint's values.
 * The line search of a step is find_length. */
static bool start_search(search *s, gt_error *error) {
  const gt_store *store = s->run->net->model->store;
  gt_state_dict weights;
  if (!gt_state_dict_download(&weights, store, &s->run->session.buffers, GT_ROLE(GT_PARAMETER), error))
    return false;
  const bool ok =
      upload(s, "lbfgs.x", weights.variable[store->parameter[0]->variable_index], store->trainable, error);
  gt_state_dict_finish(&weights);
  if (!ok || !download(s, "lbfgs.gram", s->staging, s->rows * s->rows, error) ||
      !download(s, "lbfgs.last", s->last, GT_MEASURED, error) ||
      !download(s, "lbfgs.counts", s->counts, 2, error))
    return false;
  for (int i = 0; i < s->rows * s->rows; i++) s->gram[i] = (double)s->staging[i];
  if (s->last[GT_MEASURED_DIVISOR] > 0) return true;
  return evaluate(s, 0, error) && (!isfinite(mean_loss(s, s->measured)) || accept(s, 0, error));
}

/* Computes the direction on the device; returns its slope and the first step length. */
static bool find_direction(search *s, double *slope, double *t, gt_error *error) {
  const gt_run *run = s->run;
  const int64_t step = run->state.step - run->state.first_step;
  const double factor = gt_schedule_factor(run->config->optim->schedule, &run->state.schedule, (uint64_t)step,
                                           (uint64_t)(run->phase_end - run->state.first_step),
                                           (uint64_t)run->per_epoch, s->settings->common.lr);
  *t = s->settings->common.lr * factor;
  if (s->counts[STEPS] == 0) {
    const double l1 = (double)s->last[GT_MEASURED_L1];
    memset(s->coefficient, 0, (size_t)s->rows * sizeof *s->coefficient);
    s->coefficient[s->rows - 1] = -1;
    *slope = -s->gram[s->rows * s->rows - 1];
    *t *= fmin(1, 1 / l1);
  } else {
    *slope =
        gt_lbfgs_direction(s->gram, s->m, (int)s->counts[PAIRS], s->settings->any_curvature, s->coefficient);
  }
  return upload_doubles(s, "lbfgs.coefficients", s->coefficient, s->rows, error) &&
         replay(s, s->net->stage[GT_LINE_SEARCH_DIRECT].executable, 1, error);
}

/* Finds the step length *t, and evaluates it last. */
static bool find_length(search *s, double slope, double *t, gt_error *error) {
  gt_wolfe wolfe;
  double evaluated_t = *t;
  if (!evaluate(s, evaluated_t, error)) return false;
  if (!strcmp(s->settings->line_search_fn, "none")) return true;
  gt_wolfe_begin(&wolfe, mean_loss(s, s->last), slope, evaluated_t,
                 (double)s->measured[GT_MEASURED_DIRECTION], s->settings->tolerance_change,
                 (int)s->settings->max_ls);
  while (gt_wolfe_report(&wolfe, mean_loss(s, s->measured), (double)s->measured[GT_MEASURED_SLOPE])) {
    evaluated_t = wolfe.t;
    if (!evaluate(s, evaluated_t, error)) return false;
  }
  *t = wolfe.t;
  return evaluated_t == wolfe.t || evaluate(s, wolfe.t, error);
}

static void record_step(search *s, double t) {
  const float *last = s->last;
  const double *gram = s->gram;
  gt_run *run = s->run;
  gt_sums sums = {1, {{last[GT_MEASURED_LOSS], last[GT_MEASURED_DIVISOR], last[GT_MEASURED_CORRECT]}}};
  if (run->net->target[0].loss.sum[GT_SUM_DIVISOR] != GT_NONE) {
    sums.sum[0][GT_SUM_DIVISOR] = sums.sum[0][GT_SUM_WEIGHT];
    sums.sum[0][GT_SUM_WEIGHT] = gt_split_weight(run->net->data); /* a step uses all samples */
  }
  run->lr = t;
  run->grad_norm = sqrt(gram[s->rows * s->rows - 1]);
  gt_run_record_step(run, &sums);
}

static void stop_converged(search *s, const char *why) {
  gt_run *run = s->run;
  gt_sinks_message(&run->sinks, "L-BFGS converged after step %lld: %s", (long long)run->state.step, why);
  run->state.stopped = gt_run_has_next_phase(run) ? GT_STOPPED_PHASE : GT_STOPPED_RUN;
}

/* Resets the history, whose curvature may be outdated or lost to rounding. The minimization then restarts
 * with steepest descent, as L-BFGS-B does (Zhu, Byrd, Lu and Nocedal, "Algorithm 778", 1997). */
static void reset_history(search *s) {
  const int s_row = 2 * s->m, y_row = s_row + 1;
  s->counts[STEPS] = s->counts[PAIRS] = 0;
  s->gram[s_row * s->rows + y_row] = s->gram[y_row * s->rows + s_row] = 0; /* nor is the last pair appended */
  gt_sinks_message(&s->run->sinks, "L-BFGS: line search failed after step %lld, history reset",
                   (long long)s->run->state.step);
}

/* Finds a direction and a step length *t, and evaluates it last; *t is 0 if no trial lowered the loss.
 * *descends: the direction is a descent direction, by more than the tolerance. */
static bool find_step(search *s, double *t, bool *descends, gt_error *error) {
  for (;;) {
    double slope;
    if (!find_direction(s, &slope, t, error)) return false;
    *descends = slope <= -s->settings->tolerance_change;
    if (*descends && !find_length(s, slope, t, error)) return false;
    const bool fails = *descends ? *t == 0 : !(slope < 0);
    if (!fails || s->counts[STEPS] == 0) return true;
    reset_history(s);
  }
}

/* Runs one step. Nothing changes if the minimization has converged, or if the loss is not finite. */
static bool run_step(search *s, gt_error *error) {
  const gt_lbfgs_config *c = s->settings;
  gt_run *run = s->run;
  double t;
  bool descends;
  const double loss = mean_loss(s, s->last);
  if ((double)s->last[GT_MEASURED_LARGEST] <= c->tolerance_grad)
    return stop_converged(s, "the gradient is zero"), true;
  if (!find_step(s, &t, &descends, error)) return false;
  if (!descends) return stop_converged(s, "no descent direction is left"), true;
  if (!isfinite(mean_loss(s, s->measured)) || !isfinite(s->measured[GT_MEASURED_L1])) {
    run->bad_step = run->state.step;
    run->bad_gradient = isfinite(mean_loss(s, s->measured));
    return true;
  }
  record_step(s, t);
  s->counts[STEPS]++;
  const double change = fabs(mean_loss(s, s->measured) - loss);
  const double distance = t * (double)s->measured[GT_MEASURED_DIRECTION];
  if (!accept(s, t, error) || !gt_run_write_train_row(run, error)) return false;
  if (distance <= c->tolerance_change)
    stop_converged(s, "the weights no longer change");
  else if (change < c->tolerance_change)
    stop_converged(s, "the loss no longer changes");
  return true;
}

bool gt_run_line_search(gt_run *run, int64_t boundary, gt_error *error) {
  gt_line_search_net *net = run->net->search;
  const int rows = GT_LBFGS_ROWS(net->history);
  search s = {.run = run,
              .net = net,
              .settings = (const gt_lbfgs_config *)run->config->optim->config,
              .m = net->history,
              .rows = rows,
              .gram = gt_alloc((size_t)(rows * rows) * sizeof *s.gram),
              .coefficient = gt_alloc((size_t)rows * sizeof *s.coefficient),
              .staging = gt_alloc((size_t)(rows * rows) * sizeof *s.staging)};
  bool ok = start_search(&s, error);
  if (ok && !isfinite(mean_loss(&s, s.last))) run->bad_step = run->state.step;
  while (ok && run->state.step < boundary && run->bad_step < 0 && !run->state.stopped &&
         !gt_run_has_request(run))
    ok = run_step(&s, error);
  free(s.gram);
  free(s.coefficient);
  free(s.staging);
  return ok;
}

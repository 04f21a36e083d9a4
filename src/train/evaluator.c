/* Evaluations of a split: one replay of its batches, then sums in double precision, in batch order. */
#include "base/count.h"
#include "base/memory.h"
#include "train/baseline.h"
#include "train/pacer.h"
#include "train/session.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- opening --- */

/* "mae.price": the metric of one output. Results outlive the session, so their names are the config's. */
static const char *name_output(const gt_session *session, const char *metric, int64_t output) {
  const char *const *names = session->config->dataset.target[0].columns;
  gt_arena *arena = session->config->diagnostics.arena;
  return names ? gt_arena_printf(arena, "%s.%s", metric, names[output])
               : gt_arena_printf(arena, "%s.%lld", metric, (long long)output);
}

static void prepare_metrics(gt_session *session, gt_evaluator *evaluator) {
  const gt_metric_set *set = &evaluator->net->metrics;
  const gt_split *split = evaluator->net->data;
  const int outputs = gt_metric_outputs(set);
  bool varies = false;
  evaluator->targets = GT_NEW_N(session->nets, gt_metric_targets, outputs);
  for (int m = 0; m < set->count; m++) varies |= set->type[m]->varies;
  for (int o = 0; varies && o < outputs; o++)
    evaluator->targets[o].variance = gt_target_errors_of(split, o, gt_target_mean(split, o)).squared;
  evaluator->named = outputs > 1 && outputs <= GT_METRIC_MAX_OUTPUTS ? outputs : 0;
  if (evaluator->named) evaluator->name = GT_NEW_N(session->nets, const char *, set->count *outputs);
  for (int i = 0; i < set->count * evaluator->named; i++)
    evaluator->name[i] = name_output(session, set->type[i / outputs]->name, i % outputs);
}

static bool open_evaluation(gt_session *session, gt_evaluator *evaluator, const char *split, bool hard,
                            unsigned averaged, gt_error *error) {
  const gt_net_options options = {.target = session->backend->target,
                                  .windows = session->windows,
                                  .hard = hard,
                                  .averaged = averaged,
                                  .draw = session->draw,
                                  .scores = session->scores,
                                  .confusion = session->confusion};
  *evaluator =
      (gt_evaluator){.net = gt_net_evaluation(session->nets, session->config, split, &options, error)};
  if (!evaluator->net) return false;
  const gt_model_file *file = session->model;
  gt_store *store = evaluator->net->model->store;
  if (file && (!gt_store_match(store, &file->container, file->path, GT_MODEL_ROLES, error) ||
               !gt_store_take_constants(store, &file->container, file->path, error)))
    return false;
  evaluator->executable = gt_session_compile(session, evaluator->net, error);
  if (!evaluator->executable || !gt_session_load_data(session, evaluator->net, error)) return false;
  if (evaluator->net->output == GT_NONE)
    evaluator->log = gt_session_map(session, gt_net_variable(evaluator->net, session->nets, "log"));
  if (evaluator->net->metrics.count) prepare_metrics(session, evaluator);
  return true;
}

bool gt_evaluator_open_hard(gt_session *session, gt_evaluator *evaluator, const char *split,
                            gt_error *error) {
  return open_evaluation(session, evaluator, split, true, 0, error);
}

bool gt_evaluator_open(gt_session *session, gt_evaluator *evaluator, const char *split, unsigned averaged,
                       gt_error *error) {
  if (!open_evaluation(session, evaluator, split, false, averaged, error)) return false;
  if (!evaluator->net->model->has_hard) return true;
  evaluator->hard = GT_NEW(session->nets, gt_evaluator);
  return open_evaluation(session, evaluator->hard, split, true, averaged, error);
}

static uint64_t confusion_bytes(const gt_net *net) {
  return (uint64_t)(net->counted * net->counted) * sizeof(int32_t);
}

static bool read_confusion(gt_session *session, const gt_net *net, int32_t *count, gt_error *error) {
  return gt_buffers_download(&session->buffers, net->confusion, 0, count, confusion_bytes(net), error);
}

static bool clear_confusion(gt_session *session, const gt_net *net, gt_error *error) {
  if (!net->confusion) return true;
  const uint64_t bytes = confusion_bytes(net);
  void *zeros = gt_alloc(bytes);
  memset(zeros, 0, bytes);
  const bool ok = gt_buffers_upload(&session->buffers, net->confusion, 0, zeros, bytes, error);
  free(zeros);
  return ok;
}

bool gt_evaluator_confusion(gt_session *session, const gt_evaluator *evaluator, gt_arena *arena,
                            gt_confusion_matrix *matrix, gt_error *error) {
  const gt_net *net = evaluator->hard ? evaluator->hard->net : evaluator->net;
  *matrix =
      (gt_confusion_matrix){.classes = net->counted, .names = session->config->dataset.target[0].class_names};
  if (!net->confusion) return false;
  matrix->count = gt_arena_alloc(arena, confusion_bytes(net));
  return read_confusion(session, net, matrix->count, error);
}

/* --- running --- */

typedef struct tally { /* of an evaluation */
  gt_sums sums;
  double *sum;  /* of the metrics */
  float *score; /* of all items, if metrics need them; or NULL */
} tally;

bool gt_evaluator_collect(gt_session *session, const gt_evaluator *evaluator, const char *variable,
                          int64_t values, float *out, gt_error *error) {
  const gt_net *net = evaluator->net;
  uint64_t ticket;
  for (int64_t s = 0; s < net->steps; s++) {
    const int64_t first = s * net->batch, rows = gt_least(net->batch, net->data->samples - first);
    if (!gt_net_run(net, session->backend, evaluator->executable, 1, &ticket, error) ||
        !gt_buffers_download(&session->buffers, variable, 0, out + first * values,
                             (uint64_t)(rows * values) * sizeof *out, error))
      return false;
  }
  return true;
}

static bool run_batches(gt_session *session, const gt_evaluator *evaluator, gt_error *error) {
  const gt_net *net = evaluator->net;
  gt_pacer pacer;
  gt_pacer_init(&pacer, session->backend, net, evaluator->executable, (uint32_t)net->steps);
  while (pacer.submitted < net->steps) {
    const uint32_t room = gt_pacer_room(&pacer, net->steps - pacer.submitted, error);
    if (!room || !gt_pacer_submit(&pacer, room, error)) return false;
  }
  return gt_pacer_drain(&pacer, error);
}

static void add_loss(const gt_evaluator *evaluator, int64_t step, gt_sums *sums) {
  const gt_log_columns *c = &evaluator->net->column;
  const float *row = evaluator->log + step * c->count;
  sums->loss += (double)row[c->loss];
  sums->weight += (double)row[c->weight];
  if (c->correct >= 0) sums->correct += (double)row[c->correct];
  if (c->divisor >= 0) sums->divisor += (double)row[c->divisor];
}

static void add_rows(const gt_evaluator *evaluator, tally *t) {
  const gt_net *net = evaluator->net;
  const gt_log_columns *c = &net->column;
  for (int64_t s = 0; s < net->steps; s++) {
    add_loss(evaluator, s, &t->sums);
    for (int k = 0; c->metrics >= 0 && k < net->metrics.columns; k++)
      t->sum[k] += (double)evaluator->log[s * c->count + c->metrics + k];
  }
  if (isnan(t->sums.loss)) t->sums.loss = NAN; /* without a sign, which would be printed */
}

bool gt_evaluator_sample(gt_session *session, const gt_evaluator *evaluator, int64_t stride, double *loss,
                         gt_error *error) {
  const gt_evaluator *used = evaluator->hard ? evaluator->hard : evaluator;
  const gt_net *net = used->net;
  gt_backend *backend = session->backend;
  gt_sums sums = {0};
  uint64_t ticket;
  for (int64_t s = 0; s < net->steps; s += stride) {
    if (!gt_session_set_clock(session, net, s, error) ||
        !gt_net_run(net, backend, used->executable, 1, &ticket, error) ||
        !backend->api->wait(backend, ticket, error))
      return false;
    add_loss(used, s, &sums);
  }
  *loss = gt_mean_loss(&sums);
  return true;
}

static bool run(gt_session *session, gt_evaluator *evaluator, tally *t, gt_error *error) {
  const gt_net *net = evaluator->net;
  const int64_t scores = net->scores ? gt_net_items(net) * net->metrics.outputs : 0; /* of a sample */
  *t = (tally){0};
  if (!gt_session_set_clock(session, net, 0, error) || !clear_confusion(session, net, error)) return false;
  t->sum = gt_alloc(((size_t)net->metrics.columns + 1) * sizeof *t->sum);
  if (scores) t->score = gt_alloc((size_t)(scores * net->data->samples) * sizeof *t->score);
  const bool ok = scores ? gt_evaluator_collect(session, evaluator, net->scores, scores, t->score, error)
                         : run_batches(session, evaluator, error);
  /* Gathers the first samples of the next evaluation in advance. */
  if (!ok || (net->feed && !gt_feed_seek(net->feed, 0, net->steps, error))) return false;
  add_rows(evaluator, t);
  return true;
}

static void finish(tally *t) {
  free(t->sum);
  free(t->score);
}

/* --- metrics --- */

/* Memory for the targets of the items that count; freed by the caller. */
typedef struct item_targets {
  int32_t *label;
  float *target;
} item_targets;

/* Moves the predictions of the items whose weight is not 0 together, and copies their targets. */
static gt_metric_scores scores_of(const gt_net *net, float *score, item_targets *to) {
  const bool classes = net->metrics.task == GT_METRIC_CLASSES;
  const int64_t outputs = net->metrics.outputs, each = gt_net_items(net), items = net->data->samples * each;
  const int32_t *label = classes ? net->data->target[0].data : NULL;
  const float *target = classes ? NULL : net->data->target[0].data, *weights = net->data->weights.data;
  int64_t n = 0;
  *to = (item_targets){classes ? gt_alloc(((size_t)items + 1) * sizeof *to->label) : NULL,
                       classes ? NULL : gt_alloc(((size_t)(items * outputs) + 1) * sizeof *to->target)};
  for (int64_t i = 0; i < items; i++) {
    if ((classes && label[i] < 0) || (weights && weights[i / each] == 0)) continue;
    if (classes) to->label[n] = label[i];
    if (!classes) memcpy(to->target + n * outputs, target + i * outputs, (size_t)outputs * sizeof *target);
    memmove(score + n++ * outputs, score + i * outputs, (size_t)outputs * sizeof *score);
  }
  return (gt_metric_scores){n, outputs, score, to->label, to->target};
}

static bool read_counts(gt_session *session, const gt_net *net, gt_metric_counts *counts, double **count,
                        gt_error *error) {
  const int64_t cells = net->counted * net->counted;
  int32_t *raw = gt_alloc(confusion_bytes(net));
  const bool ok = read_confusion(session, net, raw, error);
  *count = gt_alloc((size_t)cells * sizeof **count);
  for (int64_t i = 0; ok && i < cells; i++) (*count)[i] = (uint32_t)raw[i];
  *counts = (gt_metric_counts){net->counted, *count};
  free(raw);
  return ok;
}

/* The mean over the outputs, then each of them. */
static void add_metric(const gt_evaluator *evaluator, int m, const gt_metric_totals *totals,
                       gt_results *result) {
  const gt_metric_set *set = &evaluator->net->metrics;
  const int outputs = gt_metric_outputs(set);
  double *value = gt_alloc((size_t)outputs * sizeof *value), sum = 0;
  for (int o = 0; o < outputs; o++) sum += value[o] = gt_metric_value(set, m, o, totals);
  gt_result_add(result, set->type[m]->name, sum / outputs);
  for (int o = 0; o < evaluator->named; o++)
    gt_result_add(result, evaluator->name[m * evaluator->named + o], value[o]);
  free(value);
}

static bool add_metrics(gt_session *session, const gt_evaluator *evaluator, tally *t, gt_results *result,
                        gt_error *error) {
  const gt_net *net = evaluator->net;
  const bool classes = net->metrics.task == GT_METRIC_CLASSES;
  gt_metric_totals all = {.sum = t->sum, .targets = evaluator->targets};
  double *count = NULL;
  item_targets targets = {0};
  if (!net->metrics.count) return true;
  for (int o = 0; o < gt_metric_outputs(&net->metrics); o++) evaluator->targets[o].weight = t->sums.weight;
  if (t->score) all.scores = scores_of(net, t->score, &targets);
  const bool ok = !classes || !net->metrics.counts || read_counts(session, net, &all.counts, &count, error);
  for (int m = 0; ok && m < net->metrics.count; m++) add_metric(evaluator, m, &all, result);
  free(count);
  free(targets.label);
  free(targets.target);
  return ok;
}

/* Loss and accuracy of this form, and its metrics, if it has them. */
static bool evaluate(gt_session *session, gt_evaluator *evaluator, const char *prefix, gt_results *result,
                     gt_results *metrics, gt_error *error) {
  tally t;
  bool ok = run(session, evaluator, &t, error);
  if (ok) {
    result->samples = evaluator->net->data->samples;
    result->items = t.sums.weight;
    gt_result_add_sums(result, &t.sums, prefix, evaluator->net->column.correct >= 0);
    ok = add_metrics(session, evaluator, &t, metrics, error);
  }
  finish(&t);
  return ok;
}

bool gt_evaluator_run(gt_session *session, gt_evaluator *evaluator, gt_results *result, gt_error *error) {
  gt_results soft = {0}, metrics = {0};
  *result = (gt_results){0};
  const bool ok = evaluator->hard ? evaluate(session, evaluator, "soft_", &soft, &metrics, error) &&
                                        evaluate(session, evaluator->hard, "", result, &metrics, error)
                                  : evaluate(session, evaluator, "", result, &metrics, error);
  for (int i = 0; i < soft.count; i++) gt_result_add(result, soft.metric[i].name, soft.metric[i].value);
  for (int i = 0; i < metrics.count; i++)
    gt_result_add(result, metrics.metric[i].name, metrics.metric[i].value);
  return ok;
}

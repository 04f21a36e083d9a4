/* Evaluations of a split: runs its batches once, then adds their sums in double precision, in batch order. */
#include "base/count.h"
#include "base/memory.h"
#include "op/confusion.h"
#include "train/config/baseline.h"
#include "train/net/pacer.h"
#include "train/eval/evaluator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- opening --- */

/* The statistics of a target's outputs that its metrics need: variance and naive error. */
static const gt_metric_targets *target_statistics(const gt_session *session, const gt_net *net, int index,
                                                  const gt_metric_output_group *group) {
  const gt_metric_set *set = &net->target[index].metrics;
  const gt_naive_error naive =
      gt_naive_error_of(net->data, session->config->dataset.target[index].horizon, group->first);
  gt_metric_targets *statistics = GT_NEW(session->nets, gt_metric_targets);
  bool needs_variance = false;
  double mean = 0;
  statistics->naive = group->steps > 1 ? naive.all_steps : naive.at_step;
  for (int m = 0; m < set->count; m++) needs_variance |= set->type[m]->needs_variance;
  for (int k = 0; needs_variance && k < group->steps; k++)
    mean += gt_target_mean(net->data, index, group->first + k * group->stride) / group->steps;
  for (int k = 0; needs_variance && k < group->steps; k++)
    statistics->variance +=
        gt_target_errors_of(net->data, index, group->first + k * group->stride, mean).squared / group->steps;
  return statistics;
}

/* Prepares `count` values of each metric, each over a group of `steps` outputs. */
static void prepare_values(const gt_session *session, const gt_net *net, int index, int count, int steps,
                           gt_evaluator_values *values) {
  values->count = count;
  values->shown = count > 1 && count <= GT_METRIC_MAX_OUTPUTS;
  values->group = GT_NEW_N(session->nets, gt_metric_output_group, count);
  for (int i = 0; i < count; i++) {
    values->group[i] = (gt_metric_output_group){.first = i, .steps = steps, .stride = count};
    values->group[i].targets = target_statistics(session, net, index, &values->group[i]);
  }
}

static void prepare_metrics(gt_session *session, const gt_net *net, int index, gt_evaluator_target *to) {
  const gt_data_target *target = &session->config->dataset.target[index];
  const int outputs = gt_metric_outputs(&net->target[index].metrics),
            horizon = target->classification ? 1 : (int)target->horizon, steps = horizon > 1 ? horizon : 1;
  prepare_values(session, net, index, outputs / steps, steps, &to->columns);
  if (steps > 1 && outputs <= GT_METRIC_MAX_OUTPUTS)
    prepare_values(session, net, index, outputs, 1, &to->steps);
}

static bool open_evaluation(gt_session *session, gt_evaluator *evaluator, int part, bool hard,
                            unsigned averaged, gt_error *error) {
  const gt_net_options options = {.target = session->backend->target,
                                  .windows = session->windows,
                                  .hard = hard,
                                  .averaged = averaged,
                                  .draw = session->draw,
                                  .scores = session->scores,
                                  .confusion = session->confusion};
  *evaluator =
      (gt_evaluator){.net = gt_net_evaluation(session->nets, session->config, part, &options, error)};
  if (!evaluator->net) return false;
  const gt_model_file *file = session->model;
  gt_store *store = evaluator->net->model->store;
  if (file && (!gt_store_match(store, &file->container, file->path, GT_MODEL_ROLES, error) ||
               !gt_store_read_constants(store, &file->container, file->path, error)))
    return false;
  evaluator->executable = gt_session_compile(session, evaluator->net, error);
  if (!evaluator->executable || !gt_session_load_data(session, evaluator->net, error)) return false;
  if (!evaluator->net->predicts)
    evaluator->log = gt_session_map(session, gt_net_variable(evaluator->net, session->nets, "log"));
  for (int k = 0; k < evaluator->net->targets; k++)
    if (evaluator->net->target[k].metrics.count)
      prepare_metrics(session, evaluator->net, k, &evaluator->target[k]);
  return true;
}

bool gt_evaluator_open_model(gt_session *session, gt_evaluator *evaluator, gt_config *config,
                             const gt_model_file *file, const char *device, uint64_t memory_limit,
                             gt_error *error) {
  const gt_diagnostics *found = &config->diagnostics;
  if (!gt_session_open(session, config, GT_PART_TEST, device, error)) return false;
  session->model = file;
  session->memory_limit = memory_limit;
  return (gt_session_place(session, NULL, 1u << GT_PART_TEST, error) &&
          open_evaluation(session, evaluator, GT_PART_TEST, true, 0, error)) ||
         gt_fail(error, GT_ERR_DATA, "%s: its model cannot be built: %s", file->path,
                 found->count ? found->items[0].message : "unknown");
}

bool gt_evaluator_open(gt_session *session, gt_evaluator *evaluator, int part, unsigned averaged,
                       gt_error *error) {
  if (!open_evaluation(session, evaluator, part, false, averaged, error)) return false;
  if (!evaluator->net->model->has_hard) return true;
  evaluator->hard = GT_NEW(session->nets, gt_evaluator);
  return open_evaluation(session, evaluator->hard, part, true, averaged, error);
}

static uint64_t confusion_bytes(const gt_net_target *target) {
  const int words = target->confusion_scale > 0 ? GT_CONFUSION_WORDS : 1;
  return (uint64_t)(target->counted * target->counted * words) * sizeof(int32_t);
}

/* Reads the sums of weights and the number of the items, both [label][predicted class]; items: may be NULL.
 */
static bool read_counts(gt_session *session, const gt_net_target *target, double *weight, double *items,
                        gt_error *error) {
  const double scale = (double)target->confusion_scale;
  uint32_t *raw = gt_alloc(confusion_bytes(target)), *cell = raw;
  const bool ok =
      gt_buffers_download(&session->buffers, target->confusion, 0, raw, confusion_bytes(target), error);
  for (int64_t i = 0; ok && i<target->counted * target->counted; i++, cell += scale> 0 ? 3 : 1) {
    if (items) items[i] = cell[0];
    weight[i] = scale > 0 ? (ldexp(cell[2], 32) + cell[1]) / scale : cell[0];
  }
  free(raw);
  return ok;
}

static bool clear_confusion(gt_session *session, const gt_net_target *target, gt_error *error) {
  if (!target->confusion) return true;
  const uint64_t bytes = confusion_bytes(target);
  void *zeros = gt_alloc(bytes);
  const bool ok = gt_buffers_upload(&session->buffers, target->confusion, 0, zeros, bytes, error);
  free(zeros);
  return ok;
}

bool gt_evaluator_confusion(gt_session *session, const gt_evaluator *evaluator, int target, gt_arena *arena,
                            gt_confusion_matrix *matrix, gt_error *error) {
  const gt_net_target *net_target =
      &(evaluator->hard ? evaluator->hard->net : evaluator->net)->target[target];
  const gt_data_target *data = &session->config->dataset.target[target];
  const int64_t classes = net_target->counted;
  *matrix = (gt_confusion_matrix){0};
  if (!net_target->confusion) return false;
  double *weight = GT_NEW_N(arena, double, 2 * classes * classes), *items = weight + classes * classes;
  *matrix =
      (gt_confusion_matrix){{classes, weight, data->positive}, items, gt_class_names(data, classes, arena)};
  return read_counts(session, net_target, weight, items, error);
}

/* --- running --- */

typedef struct tally { /* sums and scores of an evaluation, in an arena of its own */
  gt_arena arena;
  gt_sums sums;
  double *sum[GT_DATA_MAX_TARGETS];  /* sums of the metrics, [metrics.sum_count] */
  float *score[GT_DATA_MAX_TARGETS]; /* predictions for all items, [items][outputs]; NULL: no metric needs
                                        them */
} tally;

bool gt_evaluator_collect(gt_session *session, const gt_evaluator *evaluator, const gt_collected *item,
                          int items, gt_error *error) {
  const gt_net *net = evaluator->net;
  uint64_t ticket;
  for (int64_t s = 0; s < net->steps; s++) {
    const int64_t first = s * net->batch, rows = gt_min_i64(net->batch, net->data->samples - first);
    if (!gt_net_run(net, session->backend, evaluator->executable, 1, &ticket, error)) return false;
    for (int i = 0; i < items; i++)
      if (!gt_buffers_download(&session->buffers, item[i].variable, 0, item[i].out + first * item[i].values,
                               (uint64_t)(rows * item[i].values) * sizeof *item[i].out, error))
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

static void add_losses(const gt_evaluator *evaluator, int64_t step, gt_sums *sums) {
  const gt_net *net = evaluator->net;
  const gt_sums more = gt_net_sums_of(net, evaluator->log + step * net->column.count);
  gt_sums_add(sums, &more);
}

static void add_rows(const gt_evaluator *evaluator, tally *t) {
  const gt_net *net = evaluator->net;
  for (int64_t s = 0; s < net->steps; s++) {
    const float *row = evaluator->log + s * net->column.count;
    add_losses(evaluator, s, &t->sums);
    for (int k = 0; k < net->targets; k++) {
      const int first = net->column.metrics[k];
      for (int c = 0; first >= 0 && c < net->target[k].metrics.sum_count; c++)
        t->sum[k][c] += (double)row[first + c];
    }
  }
  t->sums.steps = 0;
  for (int k = 0; k < net->targets; k++) /* removes the sign of NaN, which would be printed */
    if (isnan(t->sums.sum[k][GT_SUM_LOSS])) t->sums.sum[k][GT_SUM_LOSS] = NAN;
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
    add_losses(used, s, &sums);
  }
  *loss = gt_mean_loss(&sums, &net->form);
  return true;
}

/* Allocates the sums and predictions of all targets. Returns the number of predictions to collect, `item`. */
static int begin_tally(const gt_net *net, tally *t, gt_collected *item) {
  int items = 0;
  *t = (tally){0};
  gt_arena_init(&t->arena);
  for (int k = 0; k < net->targets; k++) {
    const gt_net_target *target = &net->target[k];
    const int64_t scores = target->items * target->metrics.outputs; /* per sample */
    t->sum[k] = GT_NEW_N(&t->arena, double, target->metrics.sum_count);
    if (!target->scores) continue;
    t->score[k] = GT_NEW_N(&t->arena, float, scores * net->data->samples);
    item[items++] = (gt_collected){target->scores, scores, t->score[k]};
  }
  return items;
}

static bool run(gt_session *session, gt_evaluator *evaluator, tally *t, gt_error *error) {
  const gt_net *net = evaluator->net;
  gt_collected item[GT_DATA_MAX_TARGETS];
  const int items = begin_tally(net, t, item);
  if (!gt_session_set_clock(session, net, 0, error)) return false;
  for (int k = 0; k < net->targets; k++)
    if (!clear_confusion(session, &net->target[k], error)) return false;
  const bool ok = items ? gt_evaluator_collect(session, evaluator, item, items, error)
                        : run_batches(session, evaluator, error);
  /* Starts to gather the first samples of the next evaluation. */
  if (!ok || (net->feed && !gt_feed_seek(net->feed, 0, net->steps, error))) return false;
  add_rows(evaluator, t);
  return true;
}

/* --- metrics --- */

/* Removes the predictions of items with weight 0 or label -1 from the scores of a target, and copies the
 * targets of the others. */
static gt_metric_scores scores_of(const gt_net *net, int index, tally *t) {
  const gt_net_target *net_target = &net->target[index];
  const bool classes = net_target->metrics.task == GT_METRIC_CLASSES;
  const int64_t outputs = net_target->metrics.outputs, each = net_target->items,
                items = net->data->samples * each;
  const void *data = gt_split_target(net->data, index)->data;
  const int32_t *label = classes ? data : NULL;
  const float *target = classes ? NULL : data, *weights = gt_split_weights(net->data)->data;
  float *score = t->score[index], *counted = classes ? NULL : GT_NEW_N(&t->arena, float, items *outputs);
  int32_t *counted_label = classes ? GT_NEW_N(&t->arena, int32_t, items) : NULL;
  int64_t n = 0;
  for (int64_t i = 0; i < items; i++) {
    if ((classes && label[i] < 0) || (weights && weights[i / each] == 0)) continue;
    if (classes) counted_label[n] = label[i];
    if (!classes) memcpy(counted + n * outputs, target + i * outputs, (size_t)outputs * sizeof *target);
    memmove(score + n++ * outputs, score + i * outputs, (size_t)outputs * sizeof *score);
  }
  return (gt_metric_scores){n, outputs, score, counted_label, counted, net_target->metrics.positive};
}

/* Adds the values of metric m for the columns or the steps to the results, if they are shown. id: of their
 * mean, which is returned. */
static double add_values(const gt_metric_set *set, const gt_evaluator_values *values, int m, gt_result_id id,
                         double weight, const gt_metric_totals *totals, gt_results *results) {
  double sum = 0;
  for (int i = 0; i < values->count; i++) {
    gt_metric_output_group group = values->group[i];
    gt_metric_targets targets = *group.targets;
    targets.weight = weight * group.steps;
    group.targets = &targets;
    const double value = gt_metric_value(set, m, &group, totals);
    sum += value;
    if (!values->shown) continue;
    if (group.steps > 1)
      id.column = i;
    else
      id = gt_result_of_output(results->data, id.kind, id.target, i);
    gt_result_add(results, id, value);
  }
  return sum / values->count;
}

/* Adds the mean of metric m over the columns, then its value for each column and for each step. */
static void add_metric(const gt_metric_set *set, const gt_evaluator_target *evaluator_target, int m,
                       int target, double weight, const gt_metric_totals *totals, gt_results *results) {
  const gt_result_id id = {gt_metric_find(set->type[m]->name), target, -1, 0};
  const int mean_index = results->count;
  gt_result_add(results, id, 0);
  const double mean = add_values(set, &evaluator_target->columns, m, id, weight, totals, results);
  if (mean_index < results->count) results->item[mean_index].value = mean;
  add_values(set, &evaluator_target->steps, m, id, weight, totals, results);
}

static bool add_metrics(gt_session *session, const gt_evaluator *evaluator, int index, tally *t,
                        gt_results *result, gt_error *error) {
  const gt_net_target *target = &evaluator->net->target[index];
  const gt_evaluator_target *evaluator_target = &evaluator->target[index];
  const gt_metric_set *set = &target->metrics;
  gt_metric_totals all = {.sum = t->sum[index]};
  if (!set->count) return true;
  if (t->score[index]) all.scores = scores_of(evaluator->net, index, t);
  if (set->task == GT_METRIC_CLASSES && set->counts) {
    double *count = GT_NEW_N(&t->arena, double, target->counted * target->counted);
    all.counts = (gt_metric_counts){target->counted, count, set->positive};
    if (!read_counts(session, target, count, NULL, error)) return false;
  }
  for (int m = 0; m < set->count; m++)
    add_metric(set, evaluator_target, m, index, t->sums.sum[index][GT_SUM_WEIGHT], &all, result);
  return true;
}

/* Evaluates one form of the model: *result gets loss and accuracy, *metrics the metrics. */
static bool evaluate(gt_session *session, gt_evaluator *evaluator, int model_form, gt_results *result,
                     gt_results *metrics, gt_error *error) {
  tally t;
  bool ok = run(session, evaluator, &t, error);
  if (ok) {
    result->samples = evaluator->net->data->samples;
    gt_result_add_sums(result, &t.sums, &evaluator->net->form, model_form);
  }
  for (int k = 0; ok && k < evaluator->net->targets; k++)
    ok = add_metrics(session, evaluator, k, &t, metrics, error);
  gt_arena_finish(&t.arena);
  return ok;
}

bool gt_evaluator_run(gt_session *session, gt_evaluator *evaluator, gt_results *result, gt_error *error) {
  const gt_dataset *data = &session->config->dataset;
  gt_results soft = {.data = data}, metrics = {.data = data};
  *result = (gt_results){.data = data};
  const bool ok = evaluator->hard ? evaluate(session, evaluator, GT_SOFT, &soft, &metrics, error) &&
                                        evaluate(session, evaluator->hard, GT_PLAIN, result, &metrics, error)
                                  : evaluate(session, evaluator, GT_PLAIN, result, &metrics, error);
  for (int i = 0; i < soft.count; i++) gt_result_add(result, soft.item[i].id, soft.item[i].value);
  for (int i = 0; i < metrics.count; i++) gt_result_add(result, metrics.item[i].id, metrics.item[i].value);
  return ok;
}

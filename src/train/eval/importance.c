#include "train/eval/importance.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/philox.h"
#include "base/time.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits for estimates. LEAST_COLUMNS: the summary of a run names the three most important columns, so fewer
 * need no ranking. LEAST_ROWS: rows to evaluate, or all of a smaller split. */
enum { LEAST_COLUMNS = 4, MOST_COLUMNS = 50, LEAST_ROWS = 100 };

typedef struct shuffler {
  gt_session *session;
  gt_evaluator *evaluator;
  gt_column_group *group;
  int groups, repeats;
  int64_t
      stride; /* evaluates the loss of batches 0, stride, 2 * stride, …; 0: loss and metrics of all batches */
  int64_t rows;    /* number of rows that are shuffled */
  double deadline; /* on the clock of gt_seconds; 0: none */
  gt_arena *arena;
  uint32_t *order; /* [rows] */
  uint8_t
      *saved; /* the original values of a column, [places][rows][4]: a place for each input that reads it */
} shuffler;

/* --- shuffling --- */

static const gt_net *net_of(const shuffler *s) { return s->evaluator->net; }

static gt_tensor *tensor_of(const shuffler *s, const gt_column_place *place) {
  return (gt_tensor *)(uintptr_t)gt_split_input(net_of(s)->data, place->input);
}

/* The number of rows in all of the batches 0, stride, 2 * stride, … Only the last batch of the split can be
 * incomplete. */
static int64_t count_rows(const gt_net *net, int64_t stride) {
  const int64_t batches = (net->steps + stride - 1) / stride, last = (batches - 1) * stride * net->batch;
  return (batches - 1) * net->batch + gt_min_i64(net->batch, net->data->samples - last);
}

/* The address of a column's value in the index-th row that is evaluated; for a series, in row `index`. */
static uint8_t *value_at(const shuffler *s, const gt_column_place *place, int64_t index) {
  const gt_tensor rows = gt_tensor_as_rows(tensor_of(s, place)), *tensor = &rows;
  const int64_t batch = net_of(s)->batch, stride = s->stride ? s->stride : 1,
                row = tensor_of(s, place)->start ? index : index / batch * stride * batch + index % batch;
  return (uint8_t *)tensor->data +
         (size_t)(row * gt_tensor_features(tensor) + place->feature) * gt_element_size(tensor->element);
}

/* Draws a permutation (Fisher-Yates) for s->order; all are equally likely. */
static void shuffle_order(const shuffler *s, uint32_t draw) {
  const uint64_t seed = (uint64_t)s->session->config->seed;
  gt_philox words = {{0, 0, 0, 0}};
  for (uint32_t i = 0; i < s->rows; i++) {
    if (i % 4 == 0) words = gt_philox_block(seed, GT_PURPOSE_IMPORTANCE, draw, i / 4);
    const uint32_t k = (uint32_t)((uint64_t)words.v[i % 4] * (i + 1) >> 32);
    s->order[i] = s->order[k];
    s->order[k] = i;
  }
}

static uint8_t *saved_at(const shuffler *s, int place, int64_t row) {
  return s->saved + ((int64_t)place * s->rows + row) * 4;
}

/* Waits until no thread reads the samples, and discards those that were gathered in advance. */
static bool stop_reading(const shuffler *s, gt_error *error) {
  return !net_of(s)->feed || gt_feed_seek(net_of(s)->feed, 0, 0, error);
}

static bool upload(const shuffler *s, const gt_column_place *place, gt_error *error) {
  const gt_samples samples = gt_net_samples(net_of(s), &s->session->config->dataset);
  return samples.ring ||
         gt_tensor_upload(tensor_of(s, place),
                          gt_samples_variable(&samples, GT_SAMPLE_INPUT, place->input, s->arena),
                          &s->session->buffers, error);
}

static void save_values(const shuffler *s, const gt_column_group *group) {
  for (int p = 0; p < group->places; p++)
    for (int64_t i = 0; i < s->rows; i++)
      memcpy(saved_at(s, p, i), value_at(s, &group->place[p], i),
             gt_element_size(tensor_of(s, &group->place[p])->element));
}

/* Sets the value of each row to the original value of row order[row]; order NULL: restores the values. */
static bool set_values(const shuffler *s, const gt_column_group *group, const uint32_t *order,
                       gt_error *error) {
  bool ok = stop_reading(s, error);
  for (int p = 0; p < group->places; p++) {
    const size_t size = gt_element_size(tensor_of(s, &group->place[p])->element);
    for (int64_t i = 0; i < s->rows; i++)
      memcpy(value_at(s, &group->place[p], i), saved_at(s, p, order ? order[i] : i), size);
    ok = ok && upload(s, &group->place[p], error);
  }
  return ok;
}

/* --- scores --- */

/* *name, *metric: the main metric, which is the second result; NULL and 0 if there is none or only one of the
 * soft form, with several targets, or with a stride. */
static bool evaluate(const shuffler *s, double *loss, double *metric, const char **name, gt_error *error) {
  gt_results results;
  *name = NULL;
  *metric = 0;
  if (s->stride) return gt_evaluator_sample(s->session, s->evaluator, s->stride, loss, error);
  if (!gt_evaluator_run(s->session, s->evaluator, &results, error)) return false;
  *loss = gt_result_loss(&results, GT_PLAIN);
  if (results.count < 2 || s->session->config->dataset.targets > 1 ||
      results.item[1].id.kind->form == GT_SOFT)
    return true;
  *name = results.item[1].id.kind->name;
  *metric = results.item[1].value;
  return true;
}

static gt_importance_score summarize(const double *value, int count) {
  double mean = 0, squares = 0;
  for (int i = 0; i < count; i++) mean += value[i] / count;
  for (int i = 0; i < count; i++) squares += (value[i] - mean) * (value[i] - mean);
  return (gt_importance_score){mean, sqrt(squares / count)};
}

/* Evaluates with a column shuffled, `repeats` times. Restores the values, also after an error. */
static bool measure_column(const shuffler *s, int index, gt_importance_column *out, gt_error *error) {
  const gt_column_group *group = &s->group[index];
  double *loss = GT_NEW_N(s->arena, double, 2 * s->repeats), *metric = loss + s->repeats;
  const char *name;
  bool ok = true;
  save_values(s, group);
  for (int r = 0; r < s->repeats && ok; r++) {
    shuffle_order(s, (uint32_t)(index * s->repeats + r));
    ok = set_values(s, group, s->order, error) && evaluate(s, &loss[r], &metric[r], &name, error);
  }
  ok &= set_values(s, group, NULL, error);
  *out = (gt_importance_column){group->name, summarize(loss, s->repeats), summarize(metric, s->repeats), 0};
  return ok;
}

static int largest_rise_first(const void *a, const void *b) {
  const gt_importance_column *x = a, *y = b;
  const double left = isnan(x->rise) ? INFINITY : x->rise, right = isnan(y->rise) ? INFINITY : y->rise;
  return (left < right) - (left > right);
}

static bool allocate(shuffler *s, gt_error *error) {
  int places = 1;
  void *order, *saved;
  for (int g = 0; g < s->groups; g++) places = s->group[g].places > places ? s->group[g].places : places;
  if (!gt_try_alloc(&order, (uint64_t)s->rows, sizeof *s->order, "the order of the rows", error))
    return false;
  s->order = order;
  if (!gt_try_alloc(&saved, (uint64_t)s->rows * (uint64_t)places, 4, "the values of a column", error))
    return false;
  s->saved = saved;
  return true;
}

static bool measure(shuffler *s, gt_importance *out, gt_error *error) {
  *out = (gt_importance){
      .samples = s->stride ? s->rows : net_of(s)->data->samples, .repeats = s->repeats, .columns = s->groups};
  out->column = GT_NEW_N(s->arena, gt_importance_column, s->groups);
  bool ok = allocate(s, error) && evaluate(s, &out->loss, &out->value, &out->metric, error);
  for (int g = 0; g < s->groups && ok; g++) {
    ok = measure_column(s, g, &out->column[g], error) && (s->deadline <= 0 || gt_seconds() < s->deadline);
    out->column[g].rise = out->column[g].loss.mean - out->loss;
  }
  if (ok) qsort(out->column, (size_t)s->groups, sizeof *out->column, largest_rise_first);
  free(s->order);
  free(s->saved);
  return ok;
}

/* The number of rows to shuffle: samples or, for a series, the rows from which windows are cut. */
static int64_t rows_of(const gt_net *net) { return gt_tensor_as_rows(gt_split_input(net->data, 0)).dim[0]; }

bool gt_importance_measure(gt_session *session, gt_evaluator *evaluator, int repeats, gt_arena *arena,
                           gt_importance *out, gt_error *error) {
  shuffler s = {.session = session, .evaluator = evaluator, .repeats = repeats, .arena = arena};
  s.groups = gt_column_groups(&session->config->dataset, arena, &s.group);
  s.rows = rows_of(evaluator->net);
  if (!s.groups)
    return gt_fail(error, GT_ERR_DATA,
                   "the data is not a table, so it has no columns whose importance can be "
                   "measured");
  return measure(&s, out, error);
}

/* --- estimates --- */

/* The smallest stride with which all columns can be evaluated in time, from the measured times of a batch and
 * of an upload. 0: too few batches can be evaluated. */
static int64_t choose_stride(const shuffler *s, double seconds, gt_error *error) {
  const gt_net *net = net_of(s);
  const double safety = 0.6; /* fraction of the time that is planned */
  double loss, start = 0, batch = 0, upload_time;
  int64_t stride = 1;
  for (int i = 0; i < 2; i++) { /* the first run warms up caches */
    start = gt_seconds();
    if (batch > seconds || !gt_evaluator_sample(s->session, s->evaluator, net->steps, &loss, error)) return 0;
    batch = gt_seconds() - start;
  }
  start = gt_seconds();
  if (!upload(s, &s->group[0].place[0], error)) return 0;
  upload_time = gt_seconds() - start;
  /* Each column is uploaded twice: shuffled, and restored. */
  const double per_column = safety * seconds / (s->groups + 1) - 2 * upload_time;
  /* Powers of two, so that a little noise in the timing seldom changes the result. */
  while (stride < net->steps && (double)((net->steps + stride - 1) / stride) * batch > per_column)
    stride *= 2;
  const int64_t rows = count_rows(net, stride);
  const bool in_time = (double)((net->steps + stride - 1) / stride) * batch <= per_column;
  return in_time && rows >= gt_min_i64(LEAST_ROWS, net->data->samples) ? stride : 0;
}

bool gt_importance_estimate(gt_session *session, gt_evaluator *evaluator, double seconds, gt_arena *arena,
                            gt_importance *out) {
  shuffler s = {.session = session, .evaluator = evaluator, .repeats = 1, .arena = arena};
  gt_error error = {0};
  *out = (gt_importance){0};
  s.deadline = gt_seconds() + seconds;
  if (!evaluator->net || evaluator->net->order.window ||
      gt_split_tensor(evaluator->net->data, GT_SAMPLE_START, 0)->rank)
    return false;
  s.groups = gt_column_groups(&session->config->dataset, arena, &s.group);
  if (s.groups < LEAST_COLUMNS || s.groups > MOST_COLUMNS) return false;
  s.stride = choose_stride(&s, seconds, &error);
  s.rows = s.stride ? count_rows(evaluator->net, s.stride) : 0;
  if (s.stride && measure(&s, out, &error)) return true;
  out->columns = 0;
  return false;
}

#include "train/eval/threshold_search.h"
#include "base/log.h"
#include "base/memory.h"
#include "train/config/class_table.h"
#include "train/config/threshold.h"
#include <math.h>
#include <stdlib.h>

static int by_probability(const void *a, const void *b) {
  const gt_scored *x = a, *y = b;
  if (x->probability != y->probability) return x->probability < y->probability ? -1 : 1;
  return x->label != y->label ? (x->label ? 1 : -1) : (x->weight > y->weight) - (x->weight < y->weight);
}

/* The decimal number with the fewest digits between two probabilities, nearest to their middle; 0 if they are
 * too close to be distinguished with float arithmetic. */
static double choose_between(double low, double high) {
  const double margin = 1e-6 * low + 2e-7, middle = low + (high - low) / 2;
  for (double unit = 10; unit <= 1e9; unit *= 10) {
    const double t = round(middle * unit) / unit;
    if (t > 0 && t < 1 && t - low > (low > 0 ? margin : 0) && high - t > (high < 1 ? margin : 0)) return t;
  }
  return 0;
}

/* Replaces the best threshold if this one is better, or as good and nearer to 1/2. */
static void keep_if_better(gt_chosen_threshold *best, double threshold, double value) {
  if (value < best->best || (value == best->best && !(fabs(threshold - 0.5) < fabs(best->value - 0.5))))
    return;
  best->value = threshold;
  best->best = value;
}

bool gt_threshold_search(gt_scored *item, int64_t items, const gt_metric_type *metric,
                         gt_chosen_threshold *out) {
  double count[4] = {0}, half[4] = {0}; /* [label][predicted] */
  for (int64_t i = 0; i < items; i++) {
    if (!isfinite(item[i].probability)) return false;
    count[2 * item[i].label + 1] += item[i].weight;
    half[2 * item[i].label + (item[i].probability > 0.5)] += item[i].weight;
  }
  qsort(item, (size_t)items, sizeof *item, by_probability);
  out->value = 0.5;
  out->half = out->best = metric->of_counts(&(gt_metric_counts){2, half, 1});
  /* The items below i are predicted as 0. */
  for (int64_t i = 0; i <= items;) {
    const double low = i ? item[i - 1].probability : 0, high = i < items ? item[i].probability : 1;
    const double t = choose_between(low, high);
    if (t > 0) keep_if_better(out, t, metric->of_counts(&(gt_metric_counts){2, count, 1}));
    if (i == items) break;
    for (; i < items && item[i].probability == high; i++) {
      count[2 * item[i].label + 1] -= item[i].weight;
      count[2 * item[i].label] += item[i].weight;
    }
  }
  return true;
}

/* --- at the end of a run --- */

/* Collects the items of one output that have a label, with the weights of their samples; returns their
 * number. */
static int64_t collect_items(const gt_dataset *data, const gt_net *net, const float *logit, int output,
                             int outputs, gt_scored *to) {
  const bool classes = data->target[0].classification;
  const int yes = data->target[0].positive;
  const gt_split *split = net->data;
  const float *weights = gt_split_weights(split)->data;
  const int64_t each = gt_tensor_features(gt_split_target(split, 0)), items = split->samples * each;
  int64_t n = 0;
  for (int64_t i = output; i < items; i += outputs) {
    const int label = gt_class_of(data, split, 0, i);
    const double x = classes ? (double)logit[2 * i + yes] - (double)logit[2 * i + !yes] : (double)logit[i];
    const double weight = weights ? (double)weights[i / each] : 1;
    if (label >= 0 && weight > 0) to[n++] = (gt_scored){1 / (1 + exp(-x)), weight, label == yes};
  }
  return n;
}

static bool has_both_classes(const gt_scored *item, int64_t items) {
  int64_t ones = 0;
  for (int64_t i = 0; i < items; i++) ones += item[i].label;
  return ones && ones < items;
}

static void choose_one(gt_config *config, int output, gt_scored *item, int64_t items) {
  enum { MAX_REPORTED = 20 };
  gt_threshold *t = &config->threshold;
  gt_chosen_threshold chosen = {.value = 0.5};
  const char *of = gt_threshold_target_text(config, output, config->diagnostics.arena);
  if (!has_both_classes(item, items))
    gt_warn("the threshold%s stays 0.5: the validation split has one class", of);
  else if (!gt_threshold_search(item, items, t->metric, &chosen))
    gt_warn("the threshold%s stays 0.5: not all outputs for the validation split are finite", of);
  else if (output < MAX_REPORTED)
    gt_info("threshold %.10g%s (largest %s on validation: %.4g; 0.5 gives %.4g)", chosen.value, of,
            t->metric->name, chosen.best, chosen.half);
  t->value[output] = chosen.value;
}

static bool choose(gt_session *session, const gt_evaluator *evaluator, gt_error *error) {
  const gt_net *net = evaluator->net;
  const int64_t each = net->target[0].items * net->target[0].metrics.outputs,
                values = each * net->data->samples;
  const int outputs = session->config->threshold.count;
  float *logit = gt_alloc((size_t)values * sizeof *logit);
  gt_scored *item = gt_alloc((size_t)values * sizeof *item);
  const bool ok =
      gt_session_set_clock(session, net, 0, error) &&
      gt_evaluator_collect(session, evaluator, &(gt_collected){net->target[0].scores, each, logit}, 1, error);
  for (int i = 0; i < outputs && ok; i++)
    choose_one(session->config, i, item,
               collect_items(&session->config->dataset, net, logit, i, outputs, item));
  free(item);
  free(logit);
  return ok;
}

bool gt_threshold_choose(gt_session *session, unsigned averaged, gt_error *error) {
  gt_evaluator evaluator;
  session->scores = true;
  const bool opened = gt_evaluator_open(session, &evaluator, GT_PART_VALIDATION, averaged, error);
  session->scores = false;
  return opened && choose(session, evaluator.hard ? evaluator.hard : &evaluator, error);
}

bool gt_threshold_apply(gt_session *session, gt_error *error) {
  session->threshold = session->config->threshold.value;
  return gt_session_load_threshold(session, error);
}

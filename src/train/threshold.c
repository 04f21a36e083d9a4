#include "train/threshold.h"
#include "base/log.h"
#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const metrics[] = {"f1", "f1_macro", "balanced_accuracy", "iou", NULL};

static const gt_field fields[] = {
    GT_ROW(gt_threshold_config, value, GT_FIELD_STRING, .fallback = "auto",
           .help = "a number between 0 and 1; auto: chosen on the validation split at the end of training"),
    GT_ROW(gt_threshold_config, metric, GT_FIELD_CHOICE, .fallback = "f1", .choices = metrics,
           .help = "metric that auto makes as large as possible"),
    {.name = NULL},
};
const gt_schema gt_threshold_schema = {
    .name = "threshold",
    .help = "probability above which a binary classifier answers class 1 (default: 0.5)",
    .fields = fields,
    .shorthand = "value"};

/* --- config --- */

void gt_config_read_threshold(gt_config *config, const gt_threshold_config *given) {
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "eval"), "threshold");
  gt_threshold *t = &config->threshold;
  if (gt_spec_is_null(node) || !given->value || !given->metric) return;
  const gt_spec *value = gt_spec_find(node, "value");
  *t = (gt_threshold){.used = true,
                      .automatic = !strcmp(given->value, "auto"),
                      .metric = gt_metric_find(given->metric)->type,
                      .at = value ? value->at : node->at};
  if (t->automatic) return;
  char *end;
  t->value = strtod(given->value, &end);
  if (*given->value && !*end && t->value > 0 && t->value < 1) return;
  gt_error_at(&config->diagnostics, t->at, "'%s' is not a threshold", given->value)->expected =
      "auto, or a number between 0 and 1";
}

static bool is_binary(const gt_config *config) {
  const gt_dataset *data = &config->dataset;
  return gt_metric_task_of(config->loss[0]) == GT_METRIC_CLASSES
             ? data->target[0].classes == 2
             : gt_metric_task_of(config->loss[0]) == GT_METRIC_BITS &&
                   gt_tensor_features(&data->train.target[0]) == 1;
}

/* The class of an item: 0 or 1, or -1 if it does not count. */
static int class_of(const gt_split *split, bool classes, int64_t item) {
  const int64_t each = gt_tensor_features(&split->target[0]);
  if (split->weights.data && ((const float *)split->weights.data)[item / each] == 0) return -1;
  return classes ? ((const int32_t *)split->target[0].data)[item]
                 : ((const float *)split->target[0].data)[item] > 0.5f;
}

static void check_split(const gt_config *config, gt_diagnostics *diagnostics) {
  const gt_dataset *data = &config->dataset;
  const gt_split *split = &data->validation;
  const gt_position at = config->threshold.at;
  const bool classes = data->target[0].classification;
  if (!split->samples) {
    gt_error_at(diagnostics, at, "the threshold is chosen on the validation split, and there is none")
        ->expected = "data: {validation: 0.2}, or a number instead of auto";
    return;
  }
  const int64_t items = split->samples * gt_tensor_features(&split->target[0]);
  int64_t count[2] = {0};
  if (!split->target[0].data) return; /* an outline */
  for (int64_t i = 0; i < items; i++)
    if (class_of(split, classes, i) >= 0) count[class_of(split, classes, i)]++;
  if (items > GT_METRIC_MAX_SCORES)
    gt_error_at(diagnostics, at, "the validation split has %lld items; a threshold is chosen on at most %d",
                (long long)items, GT_METRIC_MAX_SCORES)
        ->expected = "a smaller validation split, or a number instead of auto";
  if (count[0] && count[1]) return;
  const char *const *names = classes ? data->target[0].class_names : data->target[0].words;
  gt_error_at(diagnostics, at,
              "the threshold is chosen on the validation split, whose %lld samples are all of class '%s'",
              (long long)split->samples,
              names      ? names[count[1] > 0]
              : count[1] ? "1"
                         : "0")
      ->expected = "data: {split: stratified}, a larger validation split, or a number instead of auto";
}

void gt_config_check_threshold(const gt_config *config, bool trained, gt_diagnostics *diagnostics) {
  const gt_threshold *t = &config->threshold;
  if (!t->used || config->dataset.targets > 1) return; /* reported: config_metrics.c */
  if (!is_binary(config))
    gt_error_at(diagnostics, t->at, "a threshold needs a binary classifier")->expected =
        "2 classes with loss: cross_entropy, or one output with loss: bce";
  else if (t->automatic && !trained)
    check_split(config, diagnostics);
}

bool gt_config_take_threshold(gt_config *config, double chosen) {
  gt_threshold *t = &config->threshold;
  if (!t->used || !t->automatic) return true;
  t->value = chosen;
  if (chosen > 0) return true;
  gt_error_at(&config->diagnostics, t->at, "this model was trained without choosing a threshold")->expected =
      "a number between 0 and 1";
  return false;
}

/* --- the search --- */

float gt_threshold_shift(double threshold) { return (float)-log(threshold / (1 - threshold)); }

static int by_probability(const void *a, const void *b) {
  const gt_scored *x = a, *y = b;
  if (x->probability != y->probability) return x->probability < y->probability ? -1 : 1;
  return x->label != y->label ? (x->label ? 1 : -1) : (x->weight > y->weight) - (x->weight < y->weight);
}

/* The decimal number of fewest digits between two probabilities, nearest to their middle; 0 if they are
 * too close for float arithmetic to tell them apart. */
static double between(double low, double high) {
  const double margin = 1e-6 * low + 2e-7, middle = low + (high - low) / 2;
  for (double unit = 10; unit <= 1e9; unit *= 10) {
    const double t = round(middle * unit) / unit;
    if (t > 0 && t < 1 && t - low > (low > 0 ? margin : 0) && high - t > (high < 1 ? margin : 0)) return t;
  }
  return 0;
}

/* Makes a threshold the best one if it is better, or as good and nearer to 1/2. */
static void consider(gt_chosen_threshold *best, double threshold, double value) {
  if (value < best->best || (value == best->best && !(fabs(threshold - 0.5) < fabs(best->value - 0.5))))
    return;
  best->value = threshold;
  best->best = value;
}

bool gt_threshold_search(gt_scored *item, int64_t items, const gt_metric_type *metric,
                         gt_chosen_threshold *out) {
  double count[4] = {0}, half[4] = {0}; /* [label][answer] */
  for (int64_t i = 0; i < items; i++) {
    if (!isfinite(item[i].probability)) return false;
    count[2 * item[i].label + 1] += item[i].weight;
    half[2 * item[i].label + (item[i].probability > 0.5)] += item[i].weight;
  }
  qsort(item, (size_t)items, sizeof *item, by_probability);
  out->value = 0.5;
  out->half = out->best = metric->of_counts(&(gt_metric_counts){2, half});
  /* The items below i are answered 0. */
  for (int64_t i = 0; i <= items;) {
    const double low = i ? item[i - 1].probability : 0, high = i < items ? item[i].probability : 1;
    const double t = between(low, high);
    if (t > 0) consider(out, t, metric->of_counts(&(gt_metric_counts){2, count}));
    if (i == items) break;
    for (; i < items && item[i].probability == high; i++) {
      count[2 * item[i].label + 1] -= item[i].weight;
      count[2 * item[i].label] += item[i].weight;
    }
  }
  return true;
}

/* --- at the end of a run --- */

/* The items that count. Counts of classes do not weigh samples, sums of bits do, as in the metrics. */
static int64_t score(const gt_net *net, const float *logit, gt_scored *to) {
  const bool classes = net->target[0].metrics.task == GT_METRIC_CLASSES;
  const gt_split *split = net->data;
  const float *weights = classes ? NULL : split->weights.data;
  const int64_t items = split->samples * net->target[0].items;
  int64_t n = 0;
  for (int64_t i = 0; i < items; i++) {
    const int label = class_of(split, classes, i);
    const double x = classes ? (double)logit[2 * i + 1] - (double)logit[2 * i] : (double)logit[i];
    if (label >= 0) to[n++] = (gt_scored){1 / (1 + exp(-x)), weights ? (double)weights[i] : 1, label};
  }
  return n;
}

static bool collect(gt_session *session, const gt_evaluator *evaluator, gt_scored **item, int64_t *items,
                    gt_error *error) {
  const gt_net *net = evaluator->net;
  const int64_t each = net->target[0].items * net->target[0].metrics.outputs,
                values = each * net->data->samples;
  float *logit = gt_alloc((size_t)values * sizeof *logit);
  *item = gt_alloc((size_t)(net->data->samples * net->target[0].items) * sizeof **item);
  const bool ok =
      gt_session_set_clock(session, net, 0, error) &&
      gt_evaluator_collect(session, evaluator, &(gt_collected){net->target[0].scores, each, logit}, 1, error);
  *items = ok ? score(net, logit, *item) : 0;
  free(logit);
  return ok;
}

static void choose(gt_config *config, gt_scored *item, int64_t items) {
  gt_threshold *t = &config->threshold;
  gt_chosen_threshold chosen = {.value = 0.5};
  if (gt_threshold_search(item, items, t->metric, &chosen))
    gt_info("threshold %.10g (largest %s on validation: %.4g; 0.5 gives %.4g)", chosen.value, t->metric->name,
            chosen.best, chosen.half);
  else
    gt_warn("the threshold stays 0.5: not all outputs for the validation split are finite");
  t->value = chosen.value;
}

bool gt_threshold_choose(gt_session *session, unsigned averaged, gt_error *error) {
  gt_evaluator evaluator;
  gt_scored *item = NULL;
  int64_t items;
  session->scores = true;
  const bool opened = gt_evaluator_open(session, &evaluator, "validation", averaged, error);
  session->scores = false;
  if (!opened) return false;
  const bool ok = collect(session, evaluator.hard ? evaluator.hard : &evaluator, &item, &items, error);
  if (ok) choose(session->config, item, items);
  free(item);
  return ok;
}

bool gt_threshold_apply(gt_session *session, gt_error *error) {
  session->threshold = session->config->threshold.value;
  return gt_session_load_threshold(session, error);
}

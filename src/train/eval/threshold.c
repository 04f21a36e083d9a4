#include "train/eval/threshold.h"
#include "base/log.h"
#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gt_threshold_metrics[] = {"f1", "f1_macro", "balanced_accuracy", "iou", NULL};

static const gt_field fields[] = {
    GT_ROW(gt_threshold_config, value, GT_FIELD_STRING, .fallback = "auto",
           .help = "a number between 0 and 1; auto: chosen on the validation split at the end of training"),
    GT_ROW(gt_threshold_config, metric, GT_FIELD_CHOICE, .fallback = "f1", .choices = gt_threshold_metrics,
           .help = "metric that auto makes as large as possible"),
    {.name = NULL},
};
const gt_schema gt_threshold_schema = {
    .name = "threshold",
    .help = "probability above which a binary classifier predicts class 1 (default: 0.5)",
    .fields = fields,
    .shorthand = "value"};

/* --- config --- */

void gt_config_read_threshold(gt_config *config, const gt_threshold_config *setting) {
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "eval"), "threshold");
  gt_threshold *t = &config->threshold;
  if (gt_spec_is_null(node) || !setting->value || !setting->metric) return;
  const gt_spec *value = gt_spec_find(node, "value");
  *t = (gt_threshold){.used = true,
                      .automatic = !strcmp(setting->value, "auto"),
                      .metric = gt_metric_find(setting->metric)->type,
                      .at = value ? value->at : node->at};
  if (t->automatic) return;
  char *end;
  t->given = strtod(setting->value, &end);
  if (*setting->value && !*end && t->given > 0 && t->given < 1) return;
  gt_error_at(&config->diagnostics, t->at, "'%s' is not a threshold", setting->value)->expected =
      "auto, or a number between 0 and 1";
}

/* Number of outputs that have a threshold; 0: the model is not a binary classifier. */
static int count_outputs(const gt_config *config) {
  const gt_dataset *data = &config->dataset;
  const gt_tensor *target = gt_split_target(&data->split[GT_PART_TRAIN], 0);
  const int64_t labels = gt_tensor_features(target);
  /* Labels index arrays of two (count_classes), also if a loss of bits is an error for them. */
  if (data->target[0].classification && data->target[0].classes != 2) return 0;
  if (gt_metric_task_of(config->loss[0]) == GT_METRIC_CLASSES) return data->target[0].classes == 2;
  return gt_metric_task_of(config->loss[0]) == GT_METRIC_BITS && (labels == 1 || target->rank == 2)
             ? (int)labels
             : 0;
}

/* The class of an item: 0 or 1; -1 if its label is ignored or its weight is 0. */
static int class_of(const gt_split *split, bool classes, int64_t item) {
  const int64_t each = gt_tensor_features(gt_split_target(split, 0));
  if (gt_split_weights(split)->data && ((const float *)gt_split_weights(split)->data)[item / each] == 0)
    return -1;
  return classes ? ((const int32_t *)gt_split_target(split, 0)->data)[item]
                 : ((const float *)gt_split_target(split, 0)->data)[item] > 0.5f;
}

/* Counts the items of each class for an output that has a threshold. */
static void count_classes(const gt_config *config, int output, int64_t count[2]) {
  const gt_split *split = &config->dataset.split[GT_PART_VALIDATION];
  const bool classes = config->dataset.target[0].classification;
  const int64_t items = split->samples * gt_tensor_features(gt_split_target(split, 0)),
                outputs = config->threshold.count;
  count[0] = count[1] = 0;
  for (int64_t i = output; i < items; i += outputs)
    if (class_of(split, classes, i) >= 0) count[class_of(split, classes, i)]++;
}

static void report_one_class(gt_config *config, int64_t ones) {
  const gt_dataset *data = &config->dataset;
  const gt_data_target *target = &data->target[0];
  const char *const *names = target->classification ? target->class_names : target->words;
  const char *name = names && names[ones > 0] ? names[ones > 0] : ones ? "1" : "0";
  const bool several = config->threshold.count > 1;
  gt_error_at(&config->diagnostics, config->threshold.at,
              "the threshold is chosen on the validation split, whose %lld samples are all of %s%s%s",
              (long long)data->split[GT_PART_VALIDATION].samples,
              several ? "one class in each target" : "class '", several ? "" : name, several ? "" : "'")
      ->expected = "data: {split: stratified}, a larger validation split, or a number instead of auto";
}

static void check_split(gt_config *config) {
  const gt_split *split = &config->dataset.split[GT_PART_VALIDATION];
  const gt_threshold *t = &config->threshold;
  if (!split->samples) {
    gt_error_at(&config->diagnostics, t->at,
                "the threshold is chosen on the validation split, and there is none")
        ->expected = "data: {validation: 0.2}, or a number instead of auto";
    return;
  }
  const int64_t items = split->samples * gt_tensor_features(gt_split_target(split, 0));
  if (!gt_split_target(split, 0)->data) return; /* an outline has no values */
  if (items > GT_METRIC_MAX_SCORES)
    gt_error_at(&config->diagnostics, t->at,
                "the validation split has %lld items; a threshold is chosen on at most %d", (long long)items,
                GT_METRIC_MAX_SCORES)
        ->expected = "a smaller validation split, or a number instead of auto";
  int64_t count[2] = {0};
  bool has_both = false;
  for (int i = 0; i < t->count && !has_both; i++) {
    count_classes(config, i, count);
    has_both = count[0] && count[1];
  }
  if (!has_both) report_one_class(config, count[1]);
}

void gt_config_check_threshold(gt_config *config, bool trained) {
  gt_threshold *t = &config->threshold;
  if (!t->used || config->dataset.targets > 1) return; /* reported: config_metrics.c */
  t->count = count_outputs(config);
  t->value = GT_NEW_N(config->diagnostics.arena, double, t->count + 1);
  for (int i = 0; i < t->count; i++) t->value[i] = t->given;
  if (!t->count)
    gt_error_at(&config->diagnostics, t->at, "a threshold needs a binary classifier")->expected =
        "2 classes with loss: cross_entropy, or boolean targets with loss: bce";
  else if (t->automatic && !trained)
    check_split(config);
}

bool gt_config_load_threshold(gt_config *config, const gt_model_file *file) {
  gt_threshold *t = &config->threshold;
  if (!t->used || !t->automatic) return true;
  for (int i = 0; i < t->count && file->thresholds == t->count; i++) t->value[i] = file->threshold[i];
  if (file->thresholds == t->count) return true;
  gt_error_at(&config->diagnostics, t->at, "this model was trained without choosing a threshold")->expected =
      "a number between 0 and 1";
  return false;
}

const char *gt_threshold_target_text(const gt_config *config, int target, gt_arena *arena) {
  const char *const *names = config->dataset.target[0].columns;
  if (config->threshold.count < 2) return "";
  return names ? gt_arena_printf(arena, " of '%s'", names[target])
               : gt_arena_printf(arena, " of target %d", target);
}

/* --- the search --- */

float gt_threshold_shift(double threshold) { return (float)-log(threshold / (1 - threshold)); }

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
  out->half = out->best = metric->of_counts(&(gt_metric_counts){2, half});
  /* The items below i are predicted as 0. */
  for (int64_t i = 0; i <= items;) {
    const double low = i ? item[i - 1].probability : 0, high = i < items ? item[i].probability : 1;
    const double t = choose_between(low, high);
    if (t > 0) keep_if_better(out, t, metric->of_counts(&(gt_metric_counts){2, count}));
    if (i == items) break;
    for (; i < items && item[i].probability == high; i++) {
      count[2 * item[i].label + 1] -= item[i].weight;
      count[2 * item[i].label] += item[i].weight;
    }
  }
  return true;
}

/* --- at the end of a run --- */

/* Collects the items of one output that have a label; returns their number. As in the metrics, samples are
 * weighted for bits, not for classes. */
static int64_t collect_items(const gt_net *net, const float *logit, int output, int outputs, gt_scored *to) {
  const bool classes = net->target[0].metrics.task == GT_METRIC_CLASSES;
  const gt_split *split = net->data;
  const float *weights = classes ? NULL : gt_split_weights(split)->data;
  const int64_t items = split->samples * gt_tensor_features(gt_split_target(split, 0));
  int64_t n = 0;
  for (int64_t i = output; i < items; i += outputs) {
    const int label = class_of(split, classes, i);
    const double x = classes ? (double)logit[2 * i + 1] - (double)logit[2 * i] : (double)logit[i];
    if (label >= 0)
      to[n++] = (gt_scored){1 / (1 + exp(-x)), weights ? (double)weights[i / outputs] : 1, label};
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
    gt_info("threshold%s %.10g (largest %s on validation: %.4g; 0.5 gives %.4g)", of, chosen.value,
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
    choose_one(session->config, i, item, collect_items(net, logit, i, outputs, item));
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

/* For two classes, the shift is added to the second output, class 1; for bits, to each output. */
bool gt_threshold_apply(gt_session *session, gt_error *error) {
  const gt_threshold *threshold = &session->config->threshold;
  const int first = session->config->dataset.target[0].classification;
  float *shift = GT_NEW_N(&session->arena, float, first + threshold->count);
  for (int i = 0; i < threshold->count && threshold->value; i++)
    shift[first + i] = gt_threshold_shift(threshold->value[i]);
  session->shift = shift;
  return gt_session_load_shift(session, error);
}

#include "train/config/threshold.h"
#include "train/config/class_table.h"
#include "train/file/model_file.h"
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
    .help = "probability above which a binary classifier predicts the positive class (default: 0.5)",
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
  const gt_tensor *target = gt_train_target(data, 0);
  const int64_t labels = gt_tensor_features(target);
  /* Labels index arrays of two (count_classes), also if a loss of bits is an error for them. */
  if (data->target[0].classification && data->target[0].classes != 2) return 0;
  if (gt_metric_task_of(config->loss[0]) == GT_METRIC_CLASSES) return data->target[0].classes == 2;
  return gt_metric_task_of(config->loss[0]) == GT_METRIC_BITS && (labels == 1 || target->rank == 2)
             ? (int)labels
             : 0;
}

static void report_one_class(gt_config *config, bool ones) {
  const gt_dataset *data = &config->dataset;
  const char *name = gt_class_name(&data->target[0], 0, ones, config->diagnostics.arena);
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
  bool ones = false;
  for (int i = 0; i < t->count; i++) {
    const double *weight =
        gt_class_items_of(&config->dataset, split, 0, i, t->count, config->diagnostics.arena).weight;
    if (weight[0] > 0 && weight[1] > 0) return;
    ones = weight[1] > 0;
  }
  report_one_class(config, ones);
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
  const gt_data_target *target = config->dataset.target;
  if (!t->used || !t->automatic) return true;
  if (file->thresholds && target->positive != file->signature.target[0].positive) {
    const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "data"), "positive");
    return gt_refuse(&config->diagnostics, node ? node->at : t->at,
                     "that class, or eval: {threshold: NUMBER}",
                     "the threshold of this model was chosen for another class, '%s'",
                     gt_class_name(target, 0, !target->positive, config->diagnostics.arena));
  }
  for (int i = 0; i < t->count && file->thresholds == t->count; i++) t->value[i] = file->threshold[i];
  if (file->thresholds == t->count) return true;
  return gt_refuse(&config->diagnostics, t->at, "a number between 0 and 1",
                   "this model was trained without choosing a threshold");
}

const char *gt_threshold_target_text(const gt_config *config, int target, gt_arena *arena) {
  const gt_data_target *of = &config->dataset.target[0];
  const char *const *names = of->columns;
  if (config->threshold.count < 2)
    return gt_arena_printf(arena, " of '%s'", gt_class_name(of, 0, of->positive, arena));
  return names ? gt_arena_printf(arena, " of '%s'", names[target])
               : gt_arena_printf(arena, " of target %d", target);
}

float gt_threshold_shift(double threshold) { return (float)-log(threshold / (1 - threshold)); }

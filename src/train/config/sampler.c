#include "train/config/sampler.h"
#include "train/config/class_table.h"
#include <string.h>

bool gt_sampler_is_balanced(const gt_train_config *train) {
  return train->sampler && !strcmp(train->sampler, "balanced");
}

/* --- checks --- */

/* True if the targets are 0 or 1, one per sample: two classes. */
static bool are_bits(const gt_config *config) {
  const gt_tensor *targets = gt_train_target(&config->dataset, 0);
  return gt_metric_task_of(config->loss[0]) == GT_METRIC_BITS && gt_tensor_features(targets) == 1 &&
         gt_targets_are_bits(targets);
}

static const char *position_text(const gt_spec *node, gt_arena *arena) {
  return gt_arena_printf(arena, "%s:%u:%u", node->at.file, node->at.line, node->at.column);
}

static void check_weights(const gt_config *config, gt_position at, gt_diagnostics *diagnostics) {
  const gt_spec *weights = gt_spec_find(gt_spec_find(config->root, "loss"), "class_weights");
  if (!gt_spec_is_null(weights))
    gt_error_at(diagnostics, at,
                "a balanced sampler beside class_weights (%s) would correct the imbalance twice",
                position_text(weights, diagnostics->arena))
        ->expected = "sampler: balanced or loss.class_weights, not both";
  if (gt_split_weights(&config->dataset.split[GT_PART_TRAIN])->rank)
    gt_error_at(diagnostics, at,
                "a balanced sampler cannot be combined with weights of samples (data.weight)")
        ->expected = "sampler: balanced or data.weight, not both";
}

void gt_config_check_sampler(const gt_config *config, gt_diagnostics *diagnostics) {
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "train"), "sampler");
  const gt_dataset *data = &config->dataset;
  /* config_metrics.c reports several targets. */
  if (!gt_sampler_balances(config) || !node || data->targets > 1) return;
  if (data->target[0].classification ? gt_train_target(data, 0)->rank > 1 : !are_bits(config))
    gt_error_at(diagnostics, node->at, "a balanced sampler needs targets that are one class per sample; %s",
                data->target[0].classification                     ? "these are an array of labels per sample"
                : gt_tensor_features(gt_train_target(data, 0)) > 1 ? "these are several numbers per sample"
                                                                   : "these are numbers")
        ->expected = "sampler: shuffle";
  if (config->optim->type->line_search)
    gt_error_at(diagnostics, node->at, "optimizer '%s' reads all samples in each step, so none are drawn",
                config->optim->type->name)
        ->expected = "sampler: shuffle, or another optimizer";
  check_weights(config, node->at, diagnostics);
}

/* --- members --- */

const int32_t *gt_sampler_members(const gt_config *config, gt_arena *arena, uint32_t *classes) {
  const gt_dataset *data = &config->dataset;
  const int64_t samples = data->split[GT_PART_TRAIN].samples,
                most = data->target[0].classification ? data->target[0].classes : 2;
  const int64_t *counts = gt_class_items_of(data, &data->split[GT_PART_TRAIN], 0, 0, 1, arena).count;
  *classes = 2;
  if (!counts) return NULL;
  int32_t *next = GT_NEW_N(arena, int32_t, most); /* the position of a class's next sample */
  *classes = 0;
  for (int64_t c = 0; c < most; c++) *classes += counts[c] > 0;
  int32_t *members = GT_NEW_N(arena, int32_t, *classes + 1 + samples), *sorted = members + *classes + 1;
  int32_t start = 0, k = 0;
  for (int64_t c = 0; c < most; c++) {
    next[c] = start;
    if (!counts[c]) continue;
    start += (int32_t)counts[c];
    members[++k] = start;
  }
  for (int64_t i = 0; i < samples; i++) {
    const int class = gt_class_of(data, &data->split[GT_PART_TRAIN], 0, i);
    if (class >= 0) sorted[next[class]++] = (int32_t)i;
  }
  return members;
}

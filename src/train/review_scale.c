/* Finds inputs and targets so large that a network learns little from them: reports the largest column of the
 * inputs, and of each target the first output. */
#include "train/baseline.h"
#include "train/config_metrics.h"
#include "train/review.h"
#include "train/target_scaling.h"
#include <math.h>

static const double far = 30; /* magnitude; the values of an untrained network are about 1 */

static gt_position place_of(const gt_config *config, const char *key) {
  const gt_spec *data = gt_spec_find(config->root, "data"), *node = gt_spec_find(data, key);
  return gt_spec_is_null(node) ? data->at : node->at;
}

static void review_inputs(gt_config *config, gt_arena *arena) {
  const gt_unscaled_column column = gt_largest_unscaled_column(&config->dataset);
  if (!(column.magnitude > far)) return;
  gt_finding_at(&config->diagnostics, GT_FINDING_far_from_unit_scale, place_of(config, "normalize"), "%s",
                gt_unscaled_column_text(&column, arena))
      ->help = "data: {normalize: standard} scales each column to mean 0 and deviation 1";
}

static void review_target(gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_split *train = &data->train;
  if (!gt_loss_regresses_targets(config->loss[target]) || data->target[target].scaling.count ||
      !train->target[target].data)
    return;
  for (int64_t o = 0; train->target[target].rank == 2 && o < gt_tensor_features(&train->target[target]);
       o++) {
    const double mean = gt_target_mean(train, target, o),
                 deviation = sqrt(gt_target_errors_of(train, target, o, mean).squared);
    if (fabs(mean) <= far && deviation <= far) continue;
    if (!gt_config_has_unbounded_output(config, target, arena)) return;
    const int outputs = (int)gt_tensor_features(&train->target[target]);
    const char *name = outputs > 1 || data->target[target].columns
                           ? gt_config_value_name(&data->target[target], outputs, false, (int)o, arena)
                           : NULL;
    gt_finding_at(&config->diagnostics, GT_FINDING_far_from_unit_scale, place_of(config, "normalize_targets"),
                  "target%s%s%s has mean %.4g and deviation %.4g and is not scaled", name ? " '" : "",
                  name ? name : "", name ? "'" : "", mean, deviation)
        ->help =
        "data: {normalize_targets: standard} scales targets for the loss; predictions keep the data's units";
    return;
  }
}

void gt_config_review_scale(gt_config *config, gt_arena *arena) {
  if (!config->loss[0] || config->dataset.boards) return;
  review_inputs(config, arena);
  if (config->diagnostics.errors) return; /* then it is not decided which targets are scaled */
  for (int k = 0; k < config->dataset.targets; k++)
    if (!config->dataset.target[k].classification) review_target(config, k, arena);
}

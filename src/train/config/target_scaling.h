/* Scaling of targets for the loss (`data.normalize_targets`). A network starts with outputs of about mean 0
 * and deviation 1 and needs many steps to reach targets of another size, so the loss compares its outputs
 * with (target - mean) / deviation. Predictions and metrics are in the units of the data; the loss is not. */
#ifndef GT_TRAIN_TARGET_SCALING_H
#define GT_TRAIN_TARGET_SCALING_H
#include "train/config/config.h"

/* True if the config has `standard`; then an outline also needs the values of the targets. */
bool gt_config_has_target_scaling(const gt_spec *root);
/* True if the layer that predicts a target neither limits its outputs nor computes them by an expression. */
bool gt_config_has_unbounded_output(gt_config *config, int target, gt_arena *arena);
/* Sets the scaling of each target: the scaling of the trained model, or according to the config. `auto`
 * scales the targets of a CSV without data.shape if one of them has a mean with a magnitude above 3 or a
 * deviation that is not between 1/3 and 3, if the loss trains outputs to equal targets, and if the model's
 * last layer does not limit its outputs: a model that ends in an activation, gates or an expression is
 * assumed to output values in the units of the data. The config's model and loss must have been checked.
 * wanted: NULL, or as in gt_dataset_open. Errors are in config->diagnostics or *error. */
void gt_config_scale_targets(gt_config *config, const gt_data_requirements *wanted, gt_arena *arena,
                             gt_error *error);
/* Adds a finding if this result is a loss with the units of scaled targets, because a number for it is
 * probably meant in the units of the data. what: the setting with the number. */
void gt_config_warn_scaled_loss(gt_config *config, gt_result_id result, gt_position at, const char *what);
/* "'mass' scaled by mean 4202 and deviation 802 (…)", with the setting that switches it off; NULL: no target
 * is scaled. */
const char *gt_target_scaling_text(const gt_config *config, gt_arena *arena);
#endif

#include "train/config/target_scaling.h"
#include "base/text.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

enum { MAX_LISTED = 4 };     /* targets in a message */
static const double far = 3; /* limit for the magnitude of the mean, and for the deviation or its inverse */

static const gt_spec *setting(const gt_spec *root) {
  return gt_spec_find(gt_spec_find(root, "data"), "normalize_targets");
}

static bool is_set_to(const gt_spec *root, const char *method) {
  const gt_spec *node = setting(root);
  return node && node->kind == GT_SPEC_SCALAR && !strcmp(node->scalar, method);
}

bool gt_config_has_target_scaling(const gt_spec *root) { return is_set_to(root, "standard"); }

/* Why a target cannot be scaled, for a message; NULL: it can be scaled. */
static const char *obstacle(const gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_tensor *tensor = gt_train_target(data, target);
  const gt_loss *loss = config->loss[target];
  if (data->target[target].classification) return "the targets are classes, which have no scale";
  if (loss->type->residual || !gt_loss_regresses_targets(loss))
    return gt_arena_printf(arena, "loss '%s' does not train the outputs to equal the targets",
                           loss->type->name);
  if (tensor->rank != 2 || tensor->element != GT_ELEMENT_F32)
    return "each sample has an array of targets, which cannot be scaled";
  return NULL;
}

/* True if the layer's outputs are values of its input or averages of them. */
static bool passes_values(const gt_layer_type *type) {
  return type->moves || type->family == GT_LAYER_SHAPE || type->family == GT_LAYER_POOLING ||
         type->family == GT_LAYER_DROPOUT;
}

/* True if the last layer that computes the values of a target can output any number. */
static bool outputs_any_number(const gt_model *model, const char *target) {
  const gt_model_layer *layer =
      target ? gt_model_find_layer(model, target) : &model->layer[model->layers - 1];
  while (layer && passes_values(layer->type)) layer = gt_model_find_layer(model, layer->input[0]);
  return layer && layer->type->family != GT_LAYER_ACTIVATION && layer->type->family != GT_LAYER_GATES &&
         layer->type->family != GT_LAYER_OTHER;
}

bool gt_config_has_unbounded_output(gt_config *config, int target, gt_arena *arena) {
  const gt_model *model = gt_config_build_model(config, arena, &config->diagnostics);
  return model && outputs_any_number(model, config->dataset.target[target].name);
}

static bool is_far(const gt_target_scaling *s) {
  for (int64_t o = 0; o < s->count; o++) {
    const double deviation = (double)s->values[s->count + o];
    if (fabs((double)s->values[o]) > far || deviation > far || deviation < 1 / far) return true;
  }
  return false;
}

/* True if `auto` scales the target. */
static bool is_auto_scaled(gt_config *config, int target, const gt_target_scaling *measured,
                           gt_arena *arena) {
  const gt_spec *data = gt_spec_find(config->root, "data");
  if (strcmp(config->dataset.format, "csv") || !gt_spec_is_null(gt_spec_find(data, "shape")) ||
      !is_far(measured))
    return false;
  return gt_config_has_unbounded_output(config, target, arena);
}

/* With several targets, `standard` scales those that can be scaled; if there is none, it is an error. */
static void scale_by_config(gt_config *config, gt_arena *arena) {
  gt_dataset *data = &config->dataset;
  const bool is_standard = gt_config_has_target_scaling(config->root);
  const char *why = NULL;
  bool any = false;
  if (is_set_to(config->root, "none") || config->diagnostics.errors || !config->loss[0]) return;
  for (int k = 0; k < data->targets; k++) {
    const char *why_not = obstacle(config, k, arena);
    if (why_not) why = why_not;
    any |= !why_not;
    if (why_not || !gt_train_target(data, k)->data) continue;
    const gt_target_scaling measured =
        gt_data_measure_target(gt_train_target(data, k), data->target[k].horizon, arena);
    if (is_standard || is_auto_scaled(config, k, &measured, arena)) data->target[k].scaling = measured;
  }
  if (!any && is_standard)
    gt_error_at(&config->diagnostics, setting(config->root)->at, "%s", why)->expected =
        "normalize_targets: none; otherwise remove the key";
}

/* Finds settings of scaling for a trained model, which keeps its scaling. */
static void find_ignored_settings(gt_config *config) {
  static const char *const keys[] = {"normalize", "normalize_targets"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "data"), keys[i]);
    if (node && gt_position_is_override(node->at))
      gt_finding_at(&config->diagnostics, GT_FINDING_no_effect, node->at,
                    "data.%s has no effect: a trained model keeps the scaling that it was trained with",
                    keys[i])
          ->help = "train a model with this setting";
  }
}

void gt_config_scale_targets(gt_config *config, const gt_data_requirements *wanted, gt_arena *arena,
                             gt_error *error) {
  gt_dataset *data = &config->dataset;
  if (wanted && wanted->signature) find_ignored_settings(config);
  for (int k = 0; k < data->targets && wanted && wanted->signature; k++) {
    const gt_tensor *tensor = gt_train_target(data, k);
    const gt_target_scaling *scaling = &wanted->signature->target[k].scaling;
    data->target[k].scaling = *scaling;
    data->target[k].training = wanted->signature->target[k].training;
    data->target[k].training_count = wanted->signature->target[k].training_count;
    if (scaling->count && (tensor->rank != 2 || gt_tensor_features(tensor) != scaling->count))
      gt_fail(error, GT_ERR_DATA, "the model's scaling of targets does not match the data's targets");
  }
  if (!wanted || !wanted->signature) scale_by_config(config, arena);
  /* The loss is not in the units of the data, so results also contain rmse, which is. */
  for (int k = 0; k < data->targets; k++)
    if (data->target[k].scaling.count) gt_config_add_metric(config, k, gt_metric_find("rmse"));
}

/* The first scaled target whose loss is this result or a part of it; NULL: there is none. */
static const gt_data_target *scaled_target(const gt_dataset *data, gt_result_id result) {
  for (int k = 0; k < data->targets && !result.kind->type && !result.kind->correct; k++)
    if ((result.target < 0 || result.target == k) && data->target[k].scaling.count) return &data->target[k];
  return NULL;
}

void gt_config_warn_scaled_loss(gt_config *config, gt_result_id result, gt_position at, const char *what) {
  const gt_dataset *data = &config->dataset;
  gt_arena *arena = config->diagnostics.arena;
  const gt_data_target *target = scaled_target(data, result);
  if (!target) return;
  const char *of = data->targets > 1 ? gt_arena_printf(arena, " of '%s'", target->name) : "",
             *prefix = data->targets > 1 ? gt_arena_printf(arena, "%s.", target->name) : "",
             *sum = result.target < 0 ? "the sum of losses, and " : "";
  gt_finding_at(
      &config->diagnostics, GT_FINDING_scaled_loss, at,
      "%s is a number for %sthe loss%s%s compares scaled targets and is not in the units of the data", what,
      sum, of, *sum ? "" : ", which")
      ->help = gt_arena_printf(arena,
                               "metric %srmse or %smae, which are in the units of the data; or data: "
                               "{normalize_targets: none}",
                               prefix, prefix);
}

static const char *name_of(const gt_data_target *target, int64_t output, gt_arena *arena) {
  const char *const *names = target->row_columns ? target->row_columns : target->columns;
  if (names) return gt_arena_printf(arena, "'%s' ", names[output]);
  if (target->name && target->scaling.count == 1) return gt_arena_printf(arena, "'%s' ", target->name);
  return target->scaling.count > 1 ? gt_arena_printf(arena, "target %lld ", (long long)output + 1) : "";
}

const char *gt_target_scaling_text(const gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  gt_list list = gt_list_open(arena, MAX_LISTED);
  for (int k = 0; k < data->targets; k++) {
    const gt_target_scaling *s = &data->target[k].scaling;
    /* All steps of a series' target are scaled alike. */
    const int64_t horizon = data->target[k].horizon, columns = horizon ? s->count / horizon : s->count;
    for (int64_t o = 0; o < columns; o++)
      gt_list_add(&list, "%sstandardized by mean %.4g and standard deviation %.4g",
                  name_of(&data->target[k], o, arena), (double)s->values[o], (double)s->values[s->count + o]);
  }
  if (!list.count) return NULL;
  const char *text = gt_list_more(&list);
  if (gt_config_has_target_scaling(config->root)) return text;
  return gt_arena_printf(arena, "%s (turn off with data: {normalize_targets: none})", text);
}

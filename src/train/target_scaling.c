#include "train/target_scaling.h"
#include "model/model.h"
#include "train/metrics.h"
#include <math.h>
#include <string.h>

enum { MAX_LISTED = 4 };
static const double far = 3; /* from mean 0, or as a factor from deviation 1 */

static const gt_spec *setting(const gt_spec *root) {
  return gt_spec_find(gt_spec_find(root, "data"), "normalize_targets");
}

static bool is_set_to(const gt_spec *root, const char *method) {
  const gt_spec *node = setting(root);
  return node && node->kind == GT_SPEC_SCALAR && !strcmp(node->scalar, method);
}

bool gt_config_asks_to_scale_targets(const gt_spec *root) { return is_set_to(root, "standard"); }

/* Why these targets cannot be scaled, for a message; NULL: they can. */
static const char *obstacle(const gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  if (data->target[0].classification) return "the targets are classes, which have no scale";
  if (config->loss->type->residual || !gt_loss_fits_targets(config->loss))
    return gt_arena_printf(arena, "loss '%s' does not train the outputs to equal the targets",
                           config->loss->type->name);
  if (data->train.target[0].rank != 2 || data->train.target[0].element != GT_ELEMENT_F32)
    return "each sample has an array of targets, which cannot be scaled";
  return NULL;
}

static const gt_model_layer *layer_named(const gt_model *model, const char *name) {
  for (int i = 0; i < model->layers; i++)
    if (!strcmp(model->layer[i].name, name)) return &model->layer[i];
  return NULL;
}

/* True if the layer's outputs are those of its input in other places, or means of them. */
static bool passes_values(const gt_layer_type *type) {
  return type->moves || type->family == GT_LAYER_SHAPE || type->family == GT_LAYER_POOLING ||
         type->family == GT_LAYER_DROPOUT;
}

/* True if the last layer that computes values can output any number. */
static bool outputs_any_number(const gt_model *model) {
  const gt_model_layer *layer = &model->layer[model->layers - 1];
  while (layer && passes_values(layer->type)) layer = layer_named(model, layer->input[0]);
  return layer && layer->type->family != GT_LAYER_ACTIVATION && layer->type->family != GT_LAYER_GATES &&
         layer->type->family != GT_LAYER_OTHER;
}

bool gt_config_outputs_any_number(gt_config *config, gt_arena *arena) {
  const gt_model *model = gt_config_build_model(config, arena, &config->diagnostics);
  return model && outputs_any_number(model);
}

static bool is_far(const gt_target_scaling *s) {
  for (int64_t o = 0; o < s->count; o++) {
    const double deviation = (double)s->values[s->count + o];
    if (fabs((double)s->values[o]) > far || deviation > far || deviation < 1 / far) return true;
  }
  return false;
}

/* Decides for `auto`. */
static bool would_help(gt_config *config, const gt_target_scaling *measured, gt_arena *arena) {
  const gt_spec *data = gt_spec_find(config->root, "data");
  if (strcmp(config->dataset.format, "csv") || !gt_spec_is_null(gt_spec_find(data, "shape")) ||
      !is_far(measured))
    return false;
  return gt_config_outputs_any_number(config, arena);
}

static void scale_by_config(gt_config *config, gt_arena *arena) {
  gt_dataset *data = &config->dataset;
  const bool asked = gt_config_asks_to_scale_targets(config->root);
  if (is_set_to(config->root, "none") || config->diagnostics.errors || !config->loss) return;
  const char *why = obstacle(config, arena);
  if (why && asked)
    gt_error_at(&config->diagnostics, setting(config->root)->at, "%s", why)->expected =
        "normalize_targets: none, or no such key";
  if (why || !data->train.target[0].data) return;
  const gt_target_scaling measured = gt_data_measure_targets(&data->train, arena);
  if (asked || would_help(config, &measured, arena)) data->target[0].scaling = measured;
}

void gt_config_scale_targets(gt_config *config, const gt_data_wanted *wanted, gt_arena *arena,
                             gt_error *error) {
  gt_dataset *data = &config->dataset;
  if (wanted && wanted->signature) {
    data->target[0].scaling = wanted->signature->target_scaling;
    if (data->target[0].scaling.count &&
        (data->train.target[0].rank != 2 ||
         gt_tensor_features(&data->train.target[0]) != data->target[0].scaling.count))
      gt_fail(error, GT_ERR_DATA, "the model's scaling of targets does not match the data's targets");
  } else {
    scale_by_config(config, arena);
  }
  /* The loss has other units than the data. */
  if (data->target[0].scaling.count) gt_config_want_metric(config, gt_metric_find("rmse"));
}

static const char *name_of(const gt_dataset *data, int64_t output, gt_arena *arena) {
  if (data->target[0].columns) return gt_arena_printf(arena, "'%s' ", data->target[0].columns[output]);
  return data->target[0].scaling.count > 1 ? gt_arena_printf(arena, "target %lld ", (long long)output + 1)
                                           : "";
}

const char *gt_target_scaling_text(const gt_config *config, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_target_scaling *s = &data->target[0].scaling;
  const char *text = "";
  if (!s->count) return NULL;
  for (int64_t o = 0; o < s->count && o < MAX_LISTED; o++)
    text = gt_arena_printf(arena, "%s%s%sscaled by mean %.4g and deviation %.4g", text, o ? ", " : "",
                           name_of(data, o, arena), (double)s->values[o], (double)s->values[s->count + o]);
  if (s->count > MAX_LISTED)
    text = gt_arena_printf(arena, "%s and %lld more", text, (long long)s->count - MAX_LISTED);
  if (gt_config_asks_to_scale_targets(config->root)) return text;
  return gt_arena_printf(arena, "%s (data: {normalize_targets: none} leaves %s)", text,
                         s->count > 1 ? "them as they are" : "it as it is");
}

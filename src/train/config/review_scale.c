/* Finds inputs and targets so large that a network learns little from them: reports the largest column of the
 * inputs, and of each target the first output. Also finds means and deviations that do not suit the data. */
#include "base/text.h"
#include "train/config/baseline.h"
#include "train/config/review.h"
#include "train/config/target_scaling.h"
#include <math.h>

static const double far = 30; /* magnitude; the values of an untrained network are about 1 */

static gt_position place_of(const gt_config *config, const char *key) {
  const gt_spec *data = gt_spec_find(config->root, "data"), *node = gt_spec_find(data, key);
  return gt_spec_is_null(node) ? data->at : node->at;
}

/* What `normalize` with a given mean or std makes of a column is reported if many values are beyond `far`, if
 * all are nearly the same, or if they are farther from 0 than this many times the width of their range. */
static const double far_share = 0.01, least_width = 0.1, far_widths = 3;

/* The map in `normalize` that gives mean, std or a factor for an input; NULL: none does. */
static const gt_spec *given_scaling(const gt_config *config, int index) {
  static const char *const keys[] = {"mean", "std", "scale"};
  const gt_spec *node = gt_spec_find(gt_spec_find(config->root, "data"), "normalize");
  const gt_spec *own = gt_spec_find(gt_spec_find(node, "inputs"), config->dataset.input[index].name);
  if (own) node = own;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!gt_spec_is_null(gt_spec_find(node, keys[i]))) return node;
  return NULL;
}

static bool is_list(const gt_spec *node) { return node && node->kind == GT_SPEC_SEQUENCE && node->count > 1; }

/* "values" of all columns together, "channel 1", "column 'a'" */
static const char *part_name(const gt_input *input, int64_t columns, int64_t column, gt_arena *arena) {
  if (columns == 1) return "values";
  if ((input->rank < 2 || input->window) && input->columns)
    return gt_arena_printf(arena, "column '%s'", gt_escape_name(arena, input->columns[column]));
  const bool is_channel = input->rank > 1 && columns == input->dim[input->rank - 1];
  return gt_arena_printf(arena, "%s %lld", is_channel ? "channel" : "column", (long long)column + 1);
}

/* True if values from low to high, of which a share is beyond `far`, are not near unit scale. */
static bool is_far_from_unit(double low, double high, double share) {
  const double width = high - low, distance = fmax(0, fmax(low, -high));
  return width > 0 && (width < least_width || distance > far_widths * width || share > far_share);
}

/* True if the numbers of `mean` and `std` in the map are at most 1, as those of values from 0 to 1. */
static bool fits_unit_range(const gt_spec *node) {
  static const char *const keys[] = {"mean", "std"};
  bool fits = true;
  for (int k = 0; k < 2; k++) {
    const gt_spec *list = gt_spec_find(node, keys[k]);
    const int count = !list ? 0 : list->kind == GT_SPEC_SEQUENCE ? list->count : 1;
    for (int i = 0; i < count; i++) {
      double number;
      const gt_spec *item = list->kind == GT_SPEC_SEQUENCE ? list->child[i] : list;
      if (gt_spec_float(item, &number)) fits &= fabs(number) <= 1;
    }
  }
  return fits;
}

/* The first layer type in a model that does more than rearrange values; NULL: none is found. */
static const gt_layer_type *first_layer(const gt_spec *node) {
  const gt_layer_type *type = NULL;
  for (int i = 0; node && i < node->count && !type; i++) {
    const gt_spec *child = node->child[i];
    const char *name = child->key ? child->key : child->kind == GT_SPEC_SCALAR ? child->scalar : NULL;
    type = name ? gt_layer_find(name) : NULL;
    if (type && type->moves)
      type = NULL;
    else if (!type)
      type = first_layer(child);
  }
  return type;
}

/* True if the first layer expects values of any range: gates after a threshold, a norm, or a KAN with its
 * grid. */
static bool has_own_range(const gt_config *config) {
  const gt_layer_type *type = first_layer(gt_spec_find(config->root, "model"));
  return !type || type->family == GT_LAYER_GATES || type->family == GT_LAYER_NORM ||
         type->family == GT_LAYER_KAN;
}

/* Finds a mean, std or factor for data in other units, such as those of bytes for values from 0 to 1, or the
 * other way round, or a divisor given as a factor. A single number for all columns is judged by all of them
 * together. */
static void review_given_scaling(gt_config *config, int index, gt_arena *arena) {
  const gt_input *input = &config->dataset.input[index];
  const gt_tensor *samples = gt_train_input(&config->dataset, index);
  const gt_spec *node = given_scaling(config, index);
  if (!node || !input->scaling.count || !samples->data) return;
  const gt_value_range range = gt_scaled_range(input, samples, arena);
  const bool is_factor =
      gt_spec_is_null(gt_spec_find(node, "mean")) && gt_spec_is_null(gt_spec_find(node, "std"));
  if (is_factor && has_own_range(config)) return;
  const bool apart = is_list(gt_spec_find(node, "mean")) || is_list(gt_spec_find(node, "std"));
  const int64_t columns = apart || !range.columns ? range.columns : 1;
  for (int64_t c = 0; c < columns; c++) {
    double low = (double)range.low[c], high = (double)range.high[c];
    for (int64_t k = 0; k < range.columns && !apart; k++) {
      low = fmin(low, (double)range.low[k]);
      high = fmax(high, (double)range.high[k]);
    }
    if (!is_far_from_unit(low, high, gt_share_outside(samples, &input->scaling, c, columns, -far, far)))
      continue;
    gt_diagnostic *item = gt_finding_at(
        &config->diagnostics, GT_FINDING_far_from_unit_scale, node->at,
        "%s %s from %.4g to %.4g after this normalization, which is far from mean 0 and deviation 1",
        part_name(input, columns, c, arena), columns == 1 ? "go" : "goes", low, high);
    item->reason = item->message;
    item->help = "data: {normalize: standard} measures mean and deviation";
    if (is_factor)
      item->help = samples->element == GT_ELEMENT_U8
                       ? "without 'scale', bytes are divided by 255"
                       : "'scale' multiplies; data: {normalize: standard} measures mean and deviation";
    else if (samples->element == GT_ELEMENT_U8 && fits_unit_range(node) != (input->white > 1.5))
      item->help =
          input->white > 1.5
              ? "bytes are divided by 255 before: give mean and std between 0 and 1, or add scale: 1"
              : "with scale: 1, give mean and std from 0 to 255; without it, bytes are divided by 255";
    return;
  }
}

/* An equation's inputs cannot be normalized, but a first layer can scale them, such as an `expression`. */
static bool scales_by_layer(const gt_config *config) {
  const gt_layer_type *type = first_layer(gt_spec_find(config->root, "model"));
  return !type || (type->family != GT_LAYER_DENSE && type->family != GT_LAYER_ACTIVATION);
}

static void review_inputs(gt_config *config, gt_arena *arena) {
  const gt_unscaled_column column = gt_largest_unscaled_column(&config->dataset);
  const bool is_equation = config->loss[0]->type->residual;
  if (!(column.magnitude > far) || (is_equation && scales_by_layer(config))) return;
  const char *help = "data: {normalize: standard} scales each column to mean 0 and deviation 1";
  if (is_equation)
    help = gt_arena_printf(
        arena,
        "write the equation in other units, in which inputs are near 1, or scale them in the first "
        "layer, as by {expression: \"x/%g\"}",
        pow(10, floor(log10(column.magnitude))));
  gt_finding_at(&config->diagnostics, GT_FINDING_far_from_unit_scale,
                place_of(config, is_equation ? "range" : "normalize"), "%s",
                gt_unscaled_column_text(&column, arena))
      ->help = help;
}

static void review_target(gt_config *config, int target, gt_arena *arena) {
  const gt_dataset *data = &config->dataset;
  const gt_split *train = &data->split[GT_PART_TRAIN];
  if (config->loss[target]->type->residual || !gt_loss_regresses_targets(config->loss[target]) ||
      data->target[target].scaling.count || !gt_split_target(train, target)->data)
    return;
  for (int64_t o = 0;
       gt_split_target(train, target)->rank == 2 && o < gt_tensor_features(gt_split_target(train, target));
       o++) {
    const double mean = gt_target_mean(train, target, o),
                 deviation = sqrt(gt_target_errors_of(train, target, o, mean).squared);
    if (fabs(mean) <= far && deviation <= far) continue;
    if (!gt_config_has_unbounded_output(config, target, arena)) return;
    const char *name = gt_tensor_features(gt_split_target(train, target)) > 1 || data->target[target].columns
                           ? gt_result_column(data, gt_result_of_output(data, NULL, target, o), arena)
                           : NULL;
    gt_diagnostic *item = gt_finding_at(&config->diagnostics, GT_FINDING_far_from_unit_scale,
                                        place_of(config, "normalize_targets"),
                                        "target%s%s%s has mean %.4g and deviation %.4g and is not scaled",
                                        name ? " '" : "", name ? name : "", name ? "'" : "", mean, deviation);
    item->help =
        "data: {normalize_targets: standard} scales targets for the loss; predictions keep the data's units";
    item->reason = gt_arena_printf(arena, "%s; set data: {normalize_targets: standard}", item->message);
    return;
  }
}

void gt_config_review_scale(gt_config *config, gt_arena *arena) {
  if (!config->loss[0] || config->dataset.boards) return;
  review_inputs(config, arena);
  for (int k = 0; k < config->dataset.inputs; k++) review_given_scaling(config, k, arena);
  if (config->diagnostics.errors) return; /* then it is not decided which targets are scaled */
  for (int k = 0; k < config->dataset.targets; k++)
    if (!config->dataset.target[k].classification) review_target(config, k, arena);
}

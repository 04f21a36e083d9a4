/* layer_norm: normalizes every sample, or position, by its own mean and variance over the last axes (Ba,
 * Kiros and Hinton, "Layer Normalization", 2016), as torch.nn.LayerNorm: y = (x - mean) / sqrt(var + eps) *
 * weight + bias. */
#include "layer/norm.h"
#include "layer/review.h"

typedef struct layer_norm_config {
  int64_t axes;
  double eps;
  bool elementwise_affine, bias;
} layer_norm_config;

static const gt_field fields[] = {
    GT_ROW(layer_norm_config, axes, GT_FIELD_INT, .fallback = "1", .min = 1, .max = GT_MAX_RANK,
           .help = "number of last axes to normalize over"),
    GT_ROW(layer_norm_config, eps, GT_FIELD_FLOAT, .fallback = "1e-5", .min = 0, .max = 1,
           .help = "added to the variance for numerical stability"),
    GT_ROW(layer_norm_config, elementwise_affine, GT_FIELD_BOOL, .fallback = "true",
           .help = "learn a weight and a bias per value"),
    GT_ROW(layer_norm_config, bias, GT_FIELD_BOOL, .fallback = "true", .help = "learn a bias, too"),
    {.name = NULL},
};

static gt_id build_layer_norm(gt_build *build, const void *config, const gt_id *input) {
  const layer_norm_config *c = config;
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, input[0])->shape;
  gt_shape last = {.rank = (int)c->axes};
  uint32_t axes = 0;
  if (shape.rank - 1 < c->axes)
    return gt_build_error(build, "axes", "can normalize only %d axes besides the batch: its input is %s",
                          shape.rank - 1, gt_build_input_text(build, input, 0));
  for (int k = 0; k < last.rank; k++) {
    const int d = shape.rank - last.rank + k;
    last.dim[k] = shape.dim[d];
    axes |= 1u << d;
  }
  if (!gt_norm_check_padding(build, input, axes)) return GT_NONE;
  gt_review_norm(build, gt_norm_count(shape, axes), false, "remove it, or normalize over more axes");
  gt_norm_form form = {axes, true, c->eps, GT_NONE, GT_NONE};
  if (c->elementwise_affine)
    form.weight = gt_build_parameter(build, "weight", last, gt_init_constant_of(build->arena, 1));
  if (c->elementwise_affine && c->bias)
    form.bias = gt_build_parameter(build, "bias", last, gt_init_constant_of(build->arena, 0));
  return gt_norm_rows(build, input[0], &form);
}

GT_DEFINE(layer, layer_norm) = {.name = "layer_norm",
                                .help = "layer normalization over the last axes",
                                .schema = GT_SCHEMA("layer_norm", "layer normalization", fields, "axes"),
                                .config_size = sizeof(layer_norm_config),
                                .family = GT_LAYER_NORM,
                                .features = GT_FEATURES_KEPT,
                                .axes = gt_norm_axes,
                                .refit = gt_refit_overlap,
                                .build = build_layer_norm};

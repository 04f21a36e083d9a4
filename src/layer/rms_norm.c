/* rms_norm: divides the last axis by its root mean square (Zhang and Sennrich, "Root Mean Square Layer
 * Normalization", NeurIPS 2019), as torch.nn.RMSNorm: y = x / sqrt(mean(x²) + eps) * weight. */
#include "layer/norm.h"

typedef struct rms_norm_config {
  double eps;
  bool elementwise_affine;
} rms_norm_config;

static const gt_field fields[] = {
    GT_ROW(rms_norm_config, eps, GT_FIELD_FLOAT, .fallback = "1.1920928955078125e-7", .min = 0, .max = 1,
           .help =
               "added to the mean square for numerical stability; the default is FLT_EPSILON, as in PyTorch"),
    GT_ROW(rms_norm_config, elementwise_affine, GT_FIELD_BOOL, .fallback = "true",
           .help = "learn a weight per value"),
    {.name = NULL},
};

static gt_id build_rms_norm(gt_build *build, const void *config, const gt_id *input) {
  const rms_norm_config *c = config;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  const gt_shape last = gt_shape_1(shape.dim[shape.rank - 1]);
  gt_norm_form form = {1u << (shape.rank - 1), false, c->eps, GT_NONE, GT_NONE};
  if (c->elementwise_affine)
    form.weight = gt_build_parameter(build, "weight", last, gt_init_constant_of(build->arena, 1));
  return gt_norm_rows(build, input[0], &form);
}

GT_DEFINE(layer, rms_norm) = {.name = "rms_norm",
                              .help = "RMS normalization over the last axis",
                              .schema = GT_SCHEMA("rms_norm", "RMS normalization", fields, "eps"),
                              .config_size = sizeof(rms_norm_config),
                              .family = GT_LAYER_NORM,
                              .features = GT_FEATURES_KEPT,
                              .axes = gt_norm_axes,
                              .refit = gt_refit_overlap,
                              .build = build_rms_norm};

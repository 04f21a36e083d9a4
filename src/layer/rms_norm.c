/* rms_norm: the last axis by its root mean square (Zhang and Sennrich, "Root Mean Square Layer
 * Normalization", NeurIPS 2019), as torch.nn.RMSNorm: y = x / sqrt(mean(x²) + eps) * weight. */
#include "layer/norm.h"
#include "op/elementwise.h"
#include "op/reduce.h"

typedef struct rms_norm_config {
  double eps;
  bool elementwise_affine;
} rms_norm_config;

static const gt_field fields[] = {
    GT_ROW(rms_norm_config, eps, GT_FIELD_FLOAT, .fallback = "1.1920928955078125e-7", .min = 0, .max = 1,
           .help = "added to the mean square; the default is FLT_EPSILON, as in PyTorch"),
    GT_ROW(rms_norm_config, elementwise_affine, GT_FIELD_BOOL, .fallback = "true",
           .help = "learn a weight for each value"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "rms_norm", .help = "divides by the root mean square", .fields = fields, .shorthand = "eps"};

static gt_id build_rms_norm(gt_build *build, const void *config, const gt_id *input, int inputs) {
  const rms_norm_config *c = config;
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, input[0])->shape;
  (void)inputs;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  const gt_id square = gt_mean(graph, gt_mul(graph, input[0], input[0]), 1u << (shape.rank - 1), true);
  const gt_id out = gt_norm_scale(graph, input[0], square, c->eps);
  return gt_norm_affine(build, out, gt_shape_1(shape.dim[shape.rank - 1]), c->elementwise_affine, false);
}

GT_DEFINE(layer, rms_norm) = {.name = "rms_norm",
                              .help = "divides the last axis by its root mean square",
                              .schema = &schema,
                              .config_size = sizeof(rms_norm_config),
                              .min_inputs = 1,
                              .max_inputs = 1,
                              .refit = gt_refit_overlap,
                              .build = build_rms_norm};

/* y = x Wᵀ + b over the last axis; W [units, in] and b [units] stored and initialized as in
 * torch.nn.Linear. */
#include "layer/layer.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include <math.h>

typedef struct linear_config {
  int64_t units;
  bool bias;
  const gt_spec *init, *bias_init;
} linear_config;

static const gt_field fields[] = {
    GT_ROW(linear_config, units, GT_FIELD_INT, .min = 1, .max = 1 << 24, .help = "number of output features",
           .flags = GT_FIELD_REQUIRED),
    GT_ROW(linear_config, bias, GT_FIELD_BOOL, .fallback = "true",
           .help = "add a learned bias to each output"),
    GT_ROW(linear_config, init, GT_FIELD_NODE, .holds = "init",
           .help = "initial weight (default: uniform in ±1/sqrt(inputs), as in PyTorch)"),
    GT_ROW(linear_config, bias_init, GT_FIELD_NODE, .holds = "init",
           .help = "initial bias (default: uniform in ±1/sqrt(inputs))"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "linear", .help = "fully connected layer", .fields = fields, .shorthand = "units"};

static gt_id build_linear(gt_build *build, const void *config, const gt_id *input, int inputs) {
  const linear_config *c = config;
  (void)inputs;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  const int64_t in = shape.dim[shape.rank - 1];
  const gt_init *weight_init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                       : gt_init_linear_default(build->arena);
  const double bound = 1 / sqrt((double)in);
  const gt_init *bias_init = c->bias_init ? gt_init_read(build->arena, c->bias_init, build->diagnostics)
                                          : gt_init_uniform_between(build->arena, -bound, bound);
  const gt_id weight = gt_build_parameter(build, "weight", gt_shape_2(c->units, in), weight_init);
  gt_id out = gt_matmul(build->graph, input[0], weight, false, true);
  if (!c->bias) return out;
  const gt_id bias = gt_build_parameter(build, "bias", gt_shape_1(c->units), bias_init);
  return gt_add(build->graph, out, bias);
}

GT_DEFINE(layer, linear) = {.name = "linear",
                            .help = "fully connected layer over the last axis",
                            .schema = &schema,
                            .config_size = sizeof(linear_config),
                            .family = GT_LAYER_DENSE,
                            .min_inputs = 1,
                            .max_inputs = 1,
                            .refit = gt_refit_overlap,
                            .build = build_linear};

/* y = x Wᵀ + b over the last axis; W [units, in] and b [units] stored and initialized as in torch.nn.Linear.
 * With `weight: NAME` W is that of an embedding or another linear layer (Press and Wolf, "Using the Output
 * Embedding to Improve Language Models", EACL 2017). */
#include "layer/layer.h"
#include "op/table_product.h"
#include <math.h>

typedef struct linear_config {
  int64_t units;
  bool bias;
  const char *weight;
  const gt_spec *init, *bias_init;
} linear_config;

static const gt_field fields[] = {
    GT_ROW(linear_config, units, GT_FIELD_INT, .min = 1, .max = 1 << 24, .help = "number of output features",
           .flags = GT_FIELD_REQUIRED, .unless = "weight"),
    GT_ROW(
        linear_config, weight, GT_FIELD_STRING,
        .help =
            "name of an earlier layer, such as an embedding, whose weight this layer uses as its own (tied "
            "weights); its rows are the outputs (default: a weight of its own)"),
    GT_ROW(linear_config, bias, GT_FIELD_BOOL, .fallback = "true",
           .help = "add a learned bias to each output"),
    GT_ROW(linear_config, init, GT_FIELD_NODE, .definition = "init",
           .help = "initial weight (default: uniform in ±1/sqrt(inputs), as in PyTorch)"),
    GT_ROW(linear_config, bias_init, GT_FIELD_NODE, .definition = "init",
           .help = "initial bias (default: uniform in ±1/sqrt(inputs))"),
    {.name = NULL},
};

/* The weight [units, in]: of this layer, or of another one. GT_NONE after reporting. */
static gt_id weight_of(gt_build *build, const linear_config *c, const gt_id *input, int64_t in) {
  const gt_init *init = c->init ? gt_init_read(build->arena, c->init, build->diagnostics)
                                : gt_init_linear_default(build->arena);
  if (!c->weight) return gt_build_parameter(build, "weight", gt_shape_2(c->units, in), init);
  if (c->init) return gt_build_error(build, "init", "has no weight of its own to initialize");
  const gt_id weight = gt_build_shared(build, "weight", c->weight, "weight");
  if (weight == GT_NONE) return GT_NONE;
  const gt_shape shape = gt_node_at(build->graph, weight)->shape;
  char text[128];
  if (shape.rank == 2 && shape.dim[1] == in && (!c->units || c->units == shape.dim[0])) return weight;
  return gt_build_error(build, "weight", "cannot use the weight %s of '%s': its input is %s%s",
                        gt_shape_text(shape, text), c->weight, gt_build_input_text(build, input, 0),
                        c->units ? gt_arena_printf(build->arena, " and units is %lld", (long long)c->units)
                                 : "");
}

static gt_id build_linear(gt_build *build, const void *config, const gt_id *input) {
  const linear_config *c = config;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  if (shape.rank < 2)
    return gt_build_error(build, NULL, "needs at least one axis besides the batch; its input is %s",
                          gt_build_input_text(build, input, 0));
  const int64_t in = shape.dim[shape.rank - 1];
  const double bound = 1 / sqrt((double)in);
  const gt_init *bias_init = c->bias_init ? gt_init_read(build->arena, c->bias_init, build->diagnostics)
                                          : gt_init_uniform_between(build->arena, -bound, bound);
  const gt_id weight = weight_of(build, c, input, in);
  if (weight == GT_NONE) return GT_NONE;
  const int64_t units = gt_node_at(build->graph, weight)->shape.dim[0];
  const gt_id bias = c->bias ? gt_build_parameter(build, "bias", gt_shape_1(units), bias_init) : GT_NONE;
  return gt_table_product(build->graph, input[0], weight, bias);
}

static const gt_slot_axes axes[] = {{"weight", .output = 1, .input = 2}, {"bias", .output = 1}, {NULL}};

GT_DEFINE(layer, linear) = {.name = "linear",
                            .help = "fully connected layer over the last axis",
                            .schema = GT_SCHEMA("linear", "fully connected layer", fields, "units"),
                            .config_size = sizeof(linear_config),
                            .family = GT_LAYER_DENSE,
                            .axes = axes,
                            .refit = gt_refit_overlap,
                            .build = build_linear};

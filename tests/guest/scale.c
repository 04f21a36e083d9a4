/* scale: multiplies each value by a learned factor for its position in the sample. */
#include "layer/layer.h"
#include "op/elementwise.h"

typedef struct scale_config {
  double start;
} scale_config;

static const gt_field fields[] = {
    GT_ROW(scale_config, start, GT_FIELD_FLOAT, .fallback = "1", .min = -100, .max = 100,
           .help = "initial value of the factors"),
    {.name = NULL},
};

static gt_id build_scale(gt_build *build, const void *config, const gt_id *input) {
  const scale_config *c = config;
  gt_shape shape = gt_node_at(build->graph, input[0])->shape; /* [batch, …] */
  shape.dim[0] = 1;
  const gt_init *init = gt_init_constant_of(build->arena, c->start);
  return gt_mul(build->graph, input[0], gt_build_parameter(build, "factors", shape, init));
}

GT_DEFINE(layer, scale) = {.name = "scale",
                           .help = "multiplies each value by a learned factor",
                           .schema = GT_SCHEMA("scale", "learned factors", fields, "start"),
                           .config_size = sizeof(scale_config),
                           .build = build_scale};

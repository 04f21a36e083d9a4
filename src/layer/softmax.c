/* softmax and log_softmax along one axis. */
#include "op/softmax.h"
#include "layer/layer.h"

typedef struct softmax_config {
  int64_t axis;
} softmax_config;

static const gt_field fields[] = {
    GT_ROW(softmax_config, axis, GT_FIELD_INT, .fallback = "-1", .min = -GT_MAX_RANK, .max = GT_MAX_RANK - 1,
           .help = "axis along which the values sum to 1 (0 is the batch, -1 the last)"),
    {.name = NULL},
};

static gt_id build_softmax(gt_build *build, const void *config, const gt_id *input) {
  const softmax_config *c = config;
  int axis;
  if (!gt_build_axis(build, "axis", c->axis, gt_node_at(build->graph, input[0])->shape.rank, &axis))
    return GT_NONE;
  return gt_softmax(build->graph, input[0], axis);
}

GT_DEFINE(layer, softmax) = {.name = "softmax",
                             .help = "softmax along an axis",
                             .schema = GT_SCHEMA("softmax", "softmax along an axis", fields, "axis"),
                             .config_size = sizeof(softmax_config),
                             .family = GT_LAYER_ACTIVATION,
                             .features = GT_FEATURES_KEPT,
                             .applies = "softmax",
                             .build = build_softmax};

static gt_id build_log_softmax(gt_build *build, const void *config, const gt_id *input) {
  const softmax_config *c = config;
  int axis;
  if (!gt_build_axis(build, "axis", c->axis, gt_node_at(build->graph, input[0])->shape.rank, &axis))
    return GT_NONE;
  return gt_log_softmax(build->graph, input[0], axis);
}

GT_DEFINE(layer, log_softmax) = {.name = "log_softmax",
                                 .help = "log of softmax, numerically stable",
                                 .schema = GT_SCHEMA("log_softmax", "log of softmax", fields, "axis"),
                                 .config_size = sizeof(softmax_config),
                                 .family = GT_LAYER_ACTIVATION,
                                 .features = GT_FEATURES_KEPT,
                                 .applies = "softmax",
                                 .build = build_log_softmax};

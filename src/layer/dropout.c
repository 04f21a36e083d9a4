/* Dropout (Srivastava et al., JMLR 2014), inverted: kept values are scaled by 1/(1-p) in training, so that
 * evaluation passes its input through unchanged; and dropout1d to 3d, which drop whole channels of a sample
 * (Tompson et al., "Efficient Object Localization Using Convolutional Networks", CVPR 2015). The mask of
 * `dropout` is computed again wherever it is used and never stored (gt_random, op/elementwise.h). */
#include "layer/spatial.h"
#include "op/elementwise.h"

typedef struct dropout_config {
  double p;
} dropout_config;

#define FIELDS(name_, text)                                                                          \
  static const gt_field name_[] = {                                                                  \
      GT_ROW(dropout_config, p, GT_FIELD_FLOAT, .fallback = "0.5", .min = 0, .max = 1, .help = text, \
             .flags = GT_FIELD_OPEN_MAX),                                                            \
      {.name = NULL},                                                                                \
  }
FIELDS(fields, "probability of zeroing a value");
FIELDS(channel_fields, "probability of zeroing a channel");

/* x times a random mask of shape `shape`, which is broadcast. */
static gt_id drop(gt_build *build, const dropout_config *c, gt_id x, gt_shape shape) {
  gt_graph *graph = build->graph;
  if (!build->training || c->p <= 0) return x;
  const gt_id draw = gt_random(graph, shape, build->clock);
  const gt_id dropped = gt_less(graph, draw, gt_constant(graph, c->p));
  const gt_id mask = gt_where(graph, dropped, gt_constant(graph, 0), gt_constant(graph, 1 / (1 - c->p)));
  return gt_mul(graph, x, mask);
}

static gt_id drop_channels(gt_build *build, const dropout_config *c, const gt_id *input, int axes) {
  gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  if (!gt_spatial_check(build, input, axes)) return GT_NONE;
  for (int k = 0; k < axes; k++) shape.dim[1 + k] = 1;
  return drop(build, c, input[0], shape);
}

#define DROPOUT(op, text, field_rows, result)                                                         \
  static gt_id build_##op(gt_build *build, const void *config, const gt_id *input) { return result; } \
  extern const gt_layer_type gt_layer_##op;                                                           \
  const gt_layer_type gt_layer_##op = {.name = #op,                                                   \
                                       .help = text " and scale the others by 1/(1-p)",               \
                                       .schema = GT_SCHEMA(#op, text, field_rows, "p"),               \
                                       .config_size = sizeof(dropout_config),                         \
                                       .family = GT_LAYER_DROPOUT,                                    \
                                       .features = GT_FEATURES_KEPT,                                  \
                                       .build = build_##op};

GT_REGISTER(layer, dropout)
DROPOUT(dropout, "zero random values in training", fields,
        drop(build, config, input[0], gt_node_at(build->graph, input[0])->shape))
GT_REGISTER(layer, dropout1d)
DROPOUT(dropout1d, "zero random channels of a sequence in training", channel_fields,
        drop_channels(build, config, input, 1))
GT_REGISTER(layer, dropout2d)
DROPOUT(dropout2d, "zero random channels of an image in training", channel_fields,
        drop_channels(build, config, input, 2))
GT_REGISTER(layer, dropout3d)
DROPOUT(dropout3d, "zero random channels of a volume in training", channel_fields,
        drop_channels(build, config, input, 3))

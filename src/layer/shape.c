/* flatten and reshape: the same values with another shape. */
#include "layer/circuit.h"
#include "layer/sequence.h"
#include "op/core.h"

static gt_id build_flatten(gt_build *build, const void *config, const gt_id *input) {
  (void)config;
  const gt_shape shape = gt_node_at(build->graph, input[0])->shape;
  const int64_t batch = shape.dim[0];
  return gt_reshape(build->graph, input[0], gt_shape_2(batch, gt_shape_count(shape) / batch));
}

/* In a circuit: the same bits in the same order. */
static bool pass_signals(gt_layer_circuit *circuit, const void *config) {
  (void)config;
  return gt_layer_circuit_pass_through(circuit);
}

static const gt_field no_fields[] = {{.name = NULL}};
GT_DEFINE(layer, flatten) = {.name = "flatten",
                             .help = "flatten each sample to one axis",
                             .schema = GT_SCHEMA("flatten", "flatten each sample to one axis", no_fields),
                             .family = GT_LAYER_SHAPE,
                             .features = GT_FEATURES_TILED,
                             .integers = true,
                             .moves = true,
                             .ends_lengths = true,
                             .build = build_flatten,
                             .circuit = pass_signals};

typedef struct reshape_config {
  gt_ints shape;
} reshape_config;

static const gt_field reshape_fields[] = {
    GT_ROW(reshape_config, shape, GT_FIELD_INTS, .min = -1, .max = 1 << 30,
           .help = "shape of one sample, without the batch; one -1 is inferred", .flags = GT_FIELD_REQUIRED),
    {.name = NULL},
};

static gt_id build_reshape(gt_build *build, const void *config, const gt_id *input) {
  const reshape_config *c = config;
  const gt_shape from = gt_node_at(build->graph, input[0])->shape;
  const int64_t values = gt_shape_count(from) / from.dim[0];
  if (c->shape.count >= GT_MAX_RANK)
    return gt_build_error(build, "shape", "has %d axes; at most %d are possible", c->shape.count,
                          GT_MAX_RANK - 1);
  gt_shape to = {.rank = c->shape.count + 1, .dim = {from.dim[0]}};
  int64_t known = 1;
  int free_axis = 0;
  for (int d = 1; d < to.rank; d++) {
    const int64_t n = c->shape.items[d - 1];
    to.dim[d] = n;
    if (n == 0) return gt_build_error(build, "shape", "cannot output an axis of length 0");
    if (n < 0 && free_axis) return gt_build_error(build, "shape", "can infer only one -1");
    if (n < 0) free_axis = d;
    if (n > 0 && __builtin_mul_overflow(known, n, &known)) known = INT64_MAX;
  }
  if (free_axis) to.dim[free_axis] = values / known;
  if (free_axis ? values % known != 0 : known != values) {
    char text[128];
    gt_shape sample = {.rank = to.rank - 1};
    for (int d = 0; d < sample.rank; d++) sample.dim[d] = c->shape.items[d];
    return gt_build_error(build, "shape", "cannot reshape %s, %lld values per sample, to %s",
                          gt_build_input_text(build, input, 0), (long long)values,
                          gt_shape_text(sample, text));
  }
  /* The values of a step stay together if their number per sample and the number of steps do. */
  if (to.dim[1] == from.dim[1] && to.rank > 2) gt_build_set_lengths(build, 1, 0, 1, to.dim[1]);
  return gt_reshape(build->graph, input[0], to);
}

GT_DEFINE(layer, reshape) = {.name = "reshape",
                             .help = "reshape each sample",
                             .schema = GT_SCHEMA("reshape", "reshape each sample", reshape_fields, "shape"),
                             .config_size = sizeof(reshape_config),
                             .family = GT_LAYER_SHAPE,
                             .integers = true,
                             .moves = true,
                             .ends_lengths = true,
                             .build = build_reshape,
                             .circuit = pass_signals};

/* Layers with several inputs: add, mul (with NumPy broadcasting) and concatenate. */
#include "layer/layer.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <stdio.h>

static const gt_field no_fields[] = {{.name = NULL}};

/* The first axis from the end in which two shapes do not broadcast, as "64 against 32 in the last axis". */
static const char *mismatch(gt_build *build, gt_shape a, gt_shape b) {
  for (int k = 1; k <= a.rank && k <= b.rank; k++) {
    const int64_t m = a.dim[a.rank - k], n = b.dim[b.rank - k];
    if (m == n || m == 1 || n == 1) continue;
    if (k == 1)
      return gt_arena_printf(build->arena, "%lld against %lld in the last axis", (long long)m, (long long)n);
    return gt_arena_printf(build->arena, "%lld against %lld in axis -%d", (long long)m, (long long)n, k);
  }
  return "their shapes differ";
}

static gt_id combine(gt_build *build, const char *verb, gt_id (*op)(gt_graph *, gt_id, gt_id),
                     const gt_id *input) {
  gt_id out = input[0];
  for (int k = 1; k < build->inputs; k++) {
    const gt_shape a = gt_node_at(build->graph, out)->shape, b = gt_node_at(build->graph, input[k])->shape;
    gt_shape result;
    if (!gt_shape_broadcast(a, b, &result))
      return gt_build_error(build, "from", "cannot %s %s and %s: %s", verb,
                            gt_build_input_text(build, input, k - 1), gt_build_input_text(build, input, k),
                            mismatch(build, a, b));
    if (result.dim[0] != gt_node_at(build->graph, input[0])->shape.dim[0])
      return gt_build_error(build, "from", "cannot %s %s and %s: their batch axes differ", verb,
                            gt_build_input_text(build, input, k - 1), gt_build_input_text(build, input, k));
    out = op(build->graph, out, input[k]);
  }
  return out;
}

static gt_id build_add(gt_build *build, const void *config, const gt_id *input) {
  (void)config;
  return combine(build, "add", gt_add, input);
}

GT_DEFINE(layer, add) = {.name = "add",
                         .help = "sum of the inputs, e.g. for skip connections",
                         .schema = GT_SCHEMA("add", "sum of the inputs", no_fields),
                         .family = GT_LAYER_JOIN,
                         .features = GT_FEATURES_KEPT,
                         .min_inputs = 2,
                         .build = build_add};

static gt_id build_mul(gt_build *build, const void *config, const gt_id *input) {
  (void)config;
  return combine(build, "multiply", gt_mul, input);
}

GT_DEFINE(layer, mul) = {.name = "mul",
                         .help = "elementwise product of the inputs, e.g. for gating",
                         .schema = GT_SCHEMA("mul", "product of the inputs", no_fields),
                         .family = GT_LAYER_JOIN,
                         .features = GT_FEATURES_KEPT,
                         .min_inputs = 2,
                         .build = build_mul};

typedef struct concatenate_config {
  int64_t axis;
} concatenate_config;

static const gt_field concatenate_fields[] = {
    GT_ROW(concatenate_config, axis, GT_FIELD_INT, .fallback = "-1", .min = -GT_MAX_RANK,
           .max = GT_MAX_RANK - 1, .help = "axis to concatenate along (0 is the batch, -1 the last)"),
    {.name = NULL},
};

static gt_id build_concatenate(gt_build *build, const void *config, const gt_id *input) {
  const concatenate_config *c = config;
  const gt_shape a = gt_node_at(build->graph, input[0])->shape;
  int axis;
  if (!gt_build_axis(build, "axis", c->axis, a.rank, &axis)) return GT_NONE;
  for (int k = 1; k < build->inputs; k++) {
    const gt_shape b = gt_node_at(build->graph, input[k])->shape;
    bool same = a.rank == b.rank;
    for (int d = 0; same && d < a.rank; d++) same = d == axis || a.dim[d] == b.dim[d];
    if (!same)
      return gt_build_error(build, "from",
                            "cannot concatenate %s and %s along axis %d: all other axes must be equal",
                            gt_build_input_text(build, input, 0), gt_build_input_text(build, input, k), axis);
  }
  return gt_concatenate(build->graph, input, build->inputs, axis);
}

GT_DEFINE(layer, concatenate) = {
    .name = "concatenate",
    .help = "concatenation of the inputs along an axis",
    .schema = GT_SCHEMA("concatenate", "concatenation of the inputs", concatenate_fields),
    .config_size = sizeof(concatenate_config),
    .family = GT_LAYER_JOIN,
    .min_inputs = 2,
    .integers = true,
    .build = build_concatenate};

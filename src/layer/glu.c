/* glu: the first half of the last axis times a gate of the second, as torch.nn.functional.glu (Dauphin et
 * al., "Language Modeling with Gated Convolutional Networks", 2017); with silu as the gate, SwiGLU (Shazeer,
 * "GLU Variants Improve Transformer", 2020). */
#include "layer/layer.h"
#include "op/elementwise.h"
#include "op/move.h"
#include <string.h>

typedef struct glu_config {
  const char *gate;
} glu_config;

static const char *const gates[] = {"sigmoid", "silu", NULL};

static const gt_field fields[] = {
    GT_ROW(glu_config, gate, GT_FIELD_CHOICE, .fallback = "sigmoid", .choices = gates,
           .help = "function of the second half; silu makes it SwiGLU"),
    {.name = NULL},
};

static gt_id half_of(gt_graph *graph, gt_id x, int64_t first, int64_t end) {
  const gt_shape shape = gt_node_at(graph, x)->shape;
  int64_t start[GT_MAX_RANK] = {0}, stop[GT_MAX_RANK];
  memcpy(stop, shape.dim, sizeof stop);
  start[shape.rank - 1] = first;
  stop[shape.rank - 1] = end;
  return gt_shrink(graph, x, start, stop);
}

static gt_id build_glu(gt_build *build, const void *config, const gt_id *input) {
  const glu_config *c = config;
  gt_graph *graph = build->graph;
  const gt_shape shape = gt_node_at(graph, input[0])->shape;
  const int64_t width = shape.dim[shape.rank - 1];
  if (shape.rank < 2 || width % 2)
    return gt_build_error(build, NULL, "halves the last axis, which must be even; its input is %s",
                          gt_build_input_text(build, input, 0));
  const gt_id value = half_of(graph, input[0], 0, width / 2),
              gate = half_of(graph, input[0], width / 2, width);
  return gt_mul(graph, value, strcmp(c->gate, "silu") ? gt_sigmoid(graph, gate) : gt_silu(graph, gate));
}

GT_DEFINE(layer, glu) = {.name = "glu",
                         .help = "first half of the last axis times the sigmoid of the second",
                         .schema = GT_SCHEMA("glu", "gated linear unit", fields, "gate"),
                         .config_size = sizeof(glu_config),
                         .family = GT_LAYER_ACTIVATION,
                         .build = build_glu};

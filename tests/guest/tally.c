/* A layer that returns its input and counts the batches of training in a state. If `shown` is not 0, it adds
 * this multiple of the count to the output. The loss then depends on the state, so an optimizer would change
 * the state if it were a parameter. */
#include "layer/layer.h"
#include "op/elementwise.h"

typedef struct tally_config {
  double shown;
} tally_config;

static const gt_field fields[] = {
    GT_ROW(tally_config, shown, GT_FIELD_FLOAT, .fallback = "0", .min = -1, .max = 1,
           .help = "multiple of the count that is added to the output"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "tally", .help = "counts batches", .fields = fields, .shorthand = "shown"};

static gt_id build_tally(gt_build *build, const void *config, const gt_id *input) {
  const tally_config *c = config;
  gt_graph *graph = build->graph;
  const gt_id batches = gt_build_state(build, "batches", gt_shape_1(1), 0);
  gt_build_update(build, "batches", gt_add(graph, batches, gt_constant(graph, 1)));
  return gt_add(graph, input[0], gt_mul(graph, batches, gt_constant(graph, c->shown)));
}

GT_DEFINE(layer, tally) = {.name = "tally",
                           .help = "counts the batches it was trained on",
                           .schema = &schema,
                           .config_size = sizeof(tally_config),
                           .build = build_tally};

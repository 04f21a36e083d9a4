/* Random bits: 1 with the input as probability, drawn on the device in each step. The layer has no gradient:
 * bits are the inputs of a model. */
#include "layer/layer.h"
#include "op/elementwise.h"

static const gt_field fields[] = {{.name = NULL}};

/* Without a clock (predictions) the input is returned: for probabilities 0 and 1 this is exact. */
static gt_id build_bernoulli(gt_build *build, const void *config, const gt_id *input) {
  (void)config;
  gt_graph *graph = build->graph;
  if (build->clock == GT_NONE) return input[0];
  return gt_less(graph, gt_random(graph, gt_node_at(graph, input[0])->shape, build->clock), input[0]);
}

GT_DEFINE(layer, bernoulli) = {
    .name = "bernoulli",
    .help = "random bits, 1 with the input as probability",
    .schema = GT_SCHEMA("bernoulli", "random bits, 1 with the input as probability", fields),
    .build = build_bernoulli};

/* Dropout (Srivastava et al., JMLR 2014), inverted: kept values are scaled by 1/(1-p) in training, so that
 * evaluation passes its input on unchanged. The mask is drawn anew wherever it is used and never stored
 * (op/elementwise.h). */
#include "layer/layer.h"
#include "op/elementwise.h"

typedef struct dropout_config {
  double p;
} dropout_config;

static const gt_field fields[] = {
    GT_ROW(dropout_config, p, GT_FIELD_FLOAT, .fallback = "0.5", .min = 0, .max = 1,
           .help = "probability that a value is dropped", .flags = GT_FIELD_OPEN_MAX),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "dropout", .help = "drops values at random in training", .fields = fields, .shorthand = "p"};

static gt_id build_dropout(gt_build *build, const void *config, const gt_id *input, int inputs) {
  const dropout_config *c = config;
  gt_graph *graph = build->graph;
  (void)inputs;
  if (!build->training || c->p <= 0) return input[0];
  const gt_id draw = gt_random(graph, gt_node_at(graph, input[0])->shape, build->clock);
  const gt_id dropped = gt_less(graph, draw, gt_constant(graph, c->p));
  const gt_id mask = gt_where(graph, dropped, gt_constant(graph, 0), gt_constant(graph, 1 / (1 - c->p)));
  return gt_mul(graph, input[0], mask);
}

GT_DEFINE(layer, dropout) = {.name = "dropout",
                             .help = "drops values at random in training, scaling the others by 1/(1-p)",
                             .schema = &schema,
                             .config_size = sizeof(dropout_config),
                             .min_inputs = 1,
                             .max_inputs = 1,
                             .build = build_dropout};

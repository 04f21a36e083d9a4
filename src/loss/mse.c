/* Mean squared error: the mean of (x - t)² over a sample's outputs. */
#include "loss/loss.h"

static const gt_field fields[] = {{.name = NULL}};
static const gt_schema schema = {.name = "mse", .help = "mean squared error", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  return (void)config, gt_loss_squared_error(graph, prediction, targets);
}

GT_DEFINE(loss, mse) = {
    .name = "mse", .schema = &schema, .regresses_targets = gt_loss_always_regresses_targets, .build = build};

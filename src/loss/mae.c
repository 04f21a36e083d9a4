/* Mean absolute error: the mean of |x - t| over a sample's outputs. */
#include "loss/loss.h"
#include "op/elementwise.h"
#include "op/reduce.h"

static const gt_field fields[] = {{.name = NULL}};
static const gt_schema schema = {.name = "mae", .help = "mean absolute error", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  return gt_mean(graph, gt_abs(graph, gt_sub(graph, prediction, targets)), 1u << 1, false);
}

GT_DEFINE(loss, mae) = {
    .name = "mae", .schema = &schema, .regresses_targets = gt_loss_always_regresses_targets, .build = build};

/* Mean squared error: the mean of (x - t)² over a sample's outputs. */
#include "loss/loss.h"
#include "op/elementwise.h"
#include "op/reduce.h"

static const gt_field fields[] = {{.name = NULL}};
static const gt_schema schema = {.name = "mse", .help = "mean squared error", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  const gt_id difference = gt_sub(graph, prediction, targets);
  return gt_mean(graph, gt_mul(graph, difference, difference), 1u << 1, false);
}

GT_DEFINE(loss, mse) = {.name = "mse", .help = "mean squared error", .schema = &schema, .build = build};

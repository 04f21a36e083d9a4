/* The sum, not the mean, of squared errors over a sample's outputs; the gradient is that of the sum over the
 * batch. Accuracy: the fraction of outputs on the same side of 1/2 as their targets. */
#include "loss/loss.h"
#include "op/elementwise.h"
#include "op/reduce.h"

static const gt_field fields[] = {{.name = NULL}};
static const gt_schema schema = {.name = "sum_squared", .help = "sum of squared errors", .fields = fields};

static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  const gt_id difference = gt_sub(graph, prediction, targets);
  return gt_sum(graph, gt_mul(graph, difference, difference), 1u << 1, false);
}

static gt_id correct(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  (void)config;
  const gt_id half = gt_constant(graph, 0.5);
  const gt_id predicted = gt_less(graph, half, prediction), expected = gt_less(graph, half, targets);
  const gt_id wrong = gt_abs(graph, gt_sub(graph, predicted, expected));
  return gt_mean(graph, gt_sub(graph, gt_constant(graph, 1), wrong), 1u << 1, false);
}

GT_DEFINE(loss, sum_squared) = {.name = "sum_squared",
                                .schema = &schema,
                                .sums_batch = true,
                                .regresses_targets = gt_loss_always_regresses_targets,
                                .build = build,
                                .correct = correct};

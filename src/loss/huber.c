/* Huber loss (Huber 1964; torch.nn.HuberLoss): d²/2 where |d| < delta, delta (|d| - delta/2) elsewhere. */
#include "loss/loss.h"
#include "op/elementwise.h"
#include "op/reduce.h"

typedef struct huber_config {
  double delta;
} huber_config;

static const gt_field fields[] = {
    GT_ROW(huber_config, delta, GT_FIELD_FLOAT, .fallback = "1", .min = 0, .max = 1e30,
           .help = "error at which the loss changes from quadratic to linear", .flags = GT_FIELD_OPEN_MIN),
    {.name = NULL},
};
static const gt_schema schema = {.name = "huber",
                                 .help = "Huber loss: quadratic for small errors, linear for large ones",
                                 .fields = fields};

/* With m = min(|d|, delta) both branches are m (|d| - m/2), whose derivative is m sign(d). */
static gt_id build(gt_graph *graph, const void *config, gt_id prediction, gt_id targets) {
  const huber_config *c = config;
  const gt_id magnitude = gt_abs(graph, gt_sub(graph, prediction, targets));
  const gt_id clipped = gt_min(graph, magnitude, gt_constant(graph, c->delta));
  const gt_id half = gt_mul(graph, gt_constant(graph, 0.5), clipped);
  return gt_mean(graph, gt_mul(graph, clipped, gt_sub(graph, magnitude, half)), 1u << 1, false);
}

GT_DEFINE(loss, huber) = {.name = "huber",
                          .schema = &schema,
                          .config_size = sizeof(huber_config),
                          .regresses_targets = gt_loss_always_regresses_targets,
                          .build = build};

/* RMSprop as in torch.optim.RMSprop: s = alpha s + (1-alpha) g²; d = g / (sqrt(s) + eps), if centered with
 * s - mean² instead of s. With momentum: b = momentum b + d, p -= lr b; without: p -= lr d. */
#include "op/elementwise.h"
#include "optim/optim.h"

typedef struct rmsprop_config {
  gt_optim_common common;
  double alpha, eps, momentum;
  bool centered;
} rmsprop_config;

static const gt_field fields[] = {
    GT_OPTIM_LR("0.01"),
    GT_OPTIM_WEIGHT_DECAY("0", "weight decay (L2 penalty): adds weight_decay * parameter to the gradient"),
    GT_ROW(rmsprop_config, alpha, GT_FIELD_FLOAT, .fallback = "0.99", .min = 0, .max = 1,
           .help = "decay rate of the running average of squared gradients", .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(rmsprop_config, eps, GT_FIELD_FLOAT, .fallback = "1e-8", .min = 0, .max = 1,
           .help = "added to the denominator for numerical stability"),
    GT_ROW(rmsprop_config, momentum, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1,
           .help = "momentum factor", .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(rmsprop_config, centered, GT_FIELD_BOOL, .fallback = "false",
           .help = "divide by the standard deviation of the gradient instead of its root mean square"),
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "rmsprop", .help = "gradient divided by its root mean square", .fields = fields};

static gt_id update(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient) {
  const rmsprop_config *c = config;
  gt_graph *graph = gt_optim_graph(context);
  gradient = gt_optim_add_scaled(context, gradient, c->common.weight_decay, parameter);
  const gt_id old = gt_mul(graph, gt_constant(graph, c->alpha), gt_optim_state(context, "square_avg"));
  const gt_id square = gt_optim_add_scaled(context, old, 1 - c->alpha, gt_mul(graph, gradient, gradient));
  gt_optim_set_state(context, "square_avg", square);
  gt_id variance = square;
  if (c->centered) {
    const gt_id mean = gt_optim_lerp(context, gt_optim_state(context, "grad_avg"), gradient, 1 - c->alpha);
    gt_optim_set_state(context, "grad_avg", mean);
    /* Rounding can leave a variance slightly below zero. */
    variance = gt_max(graph, gt_sub(graph, square, gt_mul(graph, mean, mean)), gt_constant(graph, 0));
  }
  const gt_id denominator = gt_add(graph, gt_sqrt(graph, variance), gt_constant(graph, c->eps));
  gt_id direction = gt_div(graph, gradient, denominator);
  if (c->momentum > 0) {
    direction = gt_optim_add_scaled(context, direction, c->momentum, gt_optim_state(context, "momentum"));
    gt_optim_set_state(context, "momentum", direction);
  }
  return gt_sub(graph, parameter, gt_mul(graph, gt_optim_scalar(context, 0), direction));
}

GT_DEFINE(optim, rmsprop) = {.name = "rmsprop",
                             .help = "RMSprop (Tieleman and Hinton 2012)",
                             .schema = &schema,
                             .config_size = sizeof(rmsprop_config),
                             .scalar = {gt_optim_learning_rate},
                             .update = update};

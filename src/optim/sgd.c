/* Stochastic gradient descent with momentum, as in torch.optim.SGD without dampening. b = momentum b + g,
 * then p -= lr b, or with Nesterov momentum p -= lr (g + momentum b). */
#include "op/elementwise.h"
#include "optim/optim.h"

typedef struct sgd_config {
  gt_optim_common common;
  double momentum;
  bool nesterov;
} sgd_config;

static const gt_field fields[] = {
    GT_OPTIM_LR("0.01"),
    GT_OPTIM_WEIGHT_DECAY("0", "weight decay (L2 penalty): adds weight_decay * parameter to the gradient"),
    GT_ROW(sgd_config, momentum, GT_FIELD_FLOAT, .fallback = "0", .min = 0, .max = 1,
           .help = "momentum factor", .flags = GT_FIELD_OPEN_MAX),
    GT_ROW(sgd_config, nesterov, GT_FIELD_BOOL, .fallback = "false", .help = "use Nesterov momentum"),
    {.name = NULL},
};
static const gt_schema schema = {.name = "sgd", .help = "stochastic gradient descent", .fields = fields};

static const char *check(const void *config) {
  const sgd_config *c = config;
  return c->nesterov && c->momentum <= 0 ? "nesterov needs a momentum above 0" : NULL;
}

static gt_id update(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient) {
  const sgd_config *c = config;
  gt_graph *graph = gt_optim_graph(context);
  gt_id direction = gt_optim_add_scaled(context, gradient, c->common.weight_decay, parameter);
  if (c->momentum > 0) {
    const gt_id previous = gt_optim_state(context, "momentum");
    const gt_id momentum = gt_optim_add_scaled(context, direction, c->momentum, previous);
    gt_optim_set_state(context, "momentum", momentum);
    direction = c->nesterov ? gt_optim_add_scaled(context, direction, c->momentum, momentum) : momentum;
  }
  return gt_sub(graph, parameter, gt_mul(graph, gt_optim_scalar(context, 0), direction));
}

GT_DEFINE(optim, sgd) = {.name = "sgd",
                         .help = "stochastic gradient descent, with optional (Nesterov) momentum",
                         .schema = &schema,
                         .config_size = sizeof(sgd_config),
                         .scalar = {gt_optim_learning_rate},
                         .check = check,
                         .update = update};

/* Adam as in torch.optim.Adam: weight decay is added to the gradient (L2 penalty). */
#include "optim/adam.h"
#include "op/elementwise.h"
#include <math.h>

const char *gt_adam_check(const void *config) {
  const gt_adam_config *c = config;
  return c->betas.count != 2 ? "betas must be two numbers" : NULL;
}

double gt_adam_step_size(const void *config, double lr, uint64_t t) {
  const gt_adam_config *c = config;
  return lr / (1 - pow(c->betas.items[0], (double)t));
}

double gt_adam_correction(const void *config, double lr, uint64_t t) {
  const gt_adam_config *c = config;
  (void)lr;
  return sqrt(1 - pow(c->betas.items[1], (double)t));
}

gt_id gt_adam_step(gt_optim_context *context, const gt_adam_config *config, gt_id start, gt_id gradient) {
  gt_graph *graph = gt_optim_graph(context);
  const double beta1 = config->betas.items[0], beta2 = config->betas.items[1];
  const gt_id m = gt_optim_lerp(context, gt_optim_state(context, "exp_avg"), gradient, 1 - beta1);
  const gt_id old_v = gt_mul(graph, gt_constant(graph, beta2), gt_optim_state(context, "exp_avg_sq"));
  const gt_id v = gt_optim_add_scaled(context, old_v, 1 - beta2, gt_mul(graph, gradient, gradient));
  gt_optim_set_state(context, "exp_avg", m);
  gt_optim_set_state(context, "exp_avg_sq", v);
  gt_id denominator = gt_div(graph, gt_sqrt(graph, v), gt_optim_scalar(context, 1));
  denominator = gt_add(graph, denominator, gt_constant(graph, config->eps));
  const gt_id step = gt_mul(graph, gt_optim_scalar(context, 0), gt_div(graph, m, denominator));
  return gt_sub(graph, start, step);
}

static const gt_field fields[] = {
    GT_OPTIM_LR("0.001"),
    GT_OPTIM_WEIGHT_DECAY("0", "weight decay (L2 penalty): adds weight_decay * parameter to the gradient"),
    GT_ADAM_FIELDS,
    {.name = NULL},
};
static const gt_schema schema = {.name = "adam", .help = "Adam", .fields = fields};

static gt_id update(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient) {
  const gt_adam_config *c = config;
  gradient = gt_optim_add_scaled(context, gradient, c->common.weight_decay, parameter);
  return gt_adam_step(context, c, parameter, gradient);
}

GT_DEFINE(optim, adam) = {.name = "adam",
                          .help = "Adam (Kingma and Ba 2015)",
                          .schema = &schema,
                          .config_size = sizeof(gt_adam_config),
                          .scalar = {gt_adam_step_size, gt_adam_correction},
                          .check = gt_adam_check,
                          .update = update};

/* Lion (Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023, algorithm 2): p = p (1 - lr wd) -
 * lr sign(lerp(m, g, 1-beta1)); m = lerp(m, g, 1-beta2). */
#include "op/elementwise.h"
#include "optim/optim.h"

typedef struct lion_config {
  gt_optim_common common;
  gt_floats betas;
} lion_config;

static const gt_field fields[] = {
    GT_OPTIM_LR("0.0001"),
    GT_OPTIM_WEIGHT_DECAY("0", "decoupled weight decay: each step subtracts lr * weight_decay * parameter"),
    GT_ROW(lion_config, betas, GT_FIELD_FLOATS, .fallback = "[0.9, 0.99]", .min = 0, .max = 1,
           .help = "coefficients of the running average in the update and in the average itself",
           .flags = GT_FIELD_OPEN_MAX),
    {.name = NULL},
};
static const gt_schema schema = {.name = "lion", .help = "sign of an averaged gradient", .fields = fields};

static const char *check(const void *config) {
  const lion_config *c = config;
  return c->betas.count != 2 ? "betas must be two numbers" : NULL;
}

static double decay_factor(const void *config, double lr, uint64_t t) {
  const lion_config *c = config;
  (void)t;
  return 1 - lr * c->common.weight_decay;
}

static gt_id update(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient) {
  const lion_config *c = config;
  gt_graph *graph = gt_optim_graph(context);
  /* Both averages use the same difference node, so that they are fused into one kernel. */
  const gt_id average = gt_optim_state(context, "exp_avg"), difference = gt_sub(graph, gradient, average);
  const double beta1 = c->betas.items[0], beta2 = c->betas.items[1];
  const gt_id direction = gt_sign(graph, gt_optim_add_scaled(context, average, 1 - beta1, difference));
  gt_optim_set_state(context, "exp_avg", gt_optim_add_scaled(context, average, 1 - beta2, difference));
  if (c->common.weight_decay > 0) parameter = gt_mul(graph, parameter, gt_optim_scalar(context, 1));
  return gt_sub(graph, parameter, gt_mul(graph, gt_optim_scalar(context, 0), direction));
}

GT_DEFINE(optim, lion) = {.name = "lion",
                          .help = "Lion: sign of an averaged gradient (Chen et al. 2023)",
                          .schema = &schema,
                          .config_size = sizeof(lion_config),
                          .scalar = {gt_optim_learning_rate, decay_factor},
                          .check = check,
                          .update = update};

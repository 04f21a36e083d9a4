/* AdamW as in torch.optim.AdamW: weight decay shrinks the parameters directly, not through the gradient. */
#include "op/elementwise.h"
#include "optim/adam.h"

static const gt_field fields[] = {
    GT_OPTIM_LR("0.001"),
    GT_OPTIM_WEIGHT_DECAY("0.01",
                          "decoupled weight decay: each step subtracts lr * weight_decay * parameter"),
    GT_ADAM_FIELDS,
    {.name = NULL},
};
static const gt_schema schema = {
    .name = "adamw", .help = "Adam with decoupled weight decay", .fields = fields};

static double decay_factor(const void *config, double lr, uint64_t t) {
  const gt_optim_common *c = config;
  (void)t;
  return 1 - lr * c->weight_decay;
}

static gt_id update(gt_optim_context *context, const void *config, gt_id parameter, gt_id gradient) {
  const gt_adam_config *c = config;
  gt_id start = parameter;
  if (c->common.weight_decay > 0)
    start = gt_mul(gt_optim_graph(context), parameter, gt_optim_scalar(context, 2));
  return gt_adam_step(context, c, start, gradient);
}

GT_DEFINE(optim, adamw) = {.name = "adamw",
                           .help = "AdamW: Adam with decoupled weight decay (Loshchilov and Hutter 2019)",
                           .schema = &schema,
                           .config_size = sizeof(gt_adam_config),
                           .scalar = {gt_adam_step_size, gt_adam_correction, decay_factor},
                           .check = gt_adam_check,
                           .update = update};

/* The update that Adam and AdamW share: m = lerp(m, g, 1-beta1); v = beta2 v + (1-beta2) g²;
 * p -= lr/(1-beta1^t) * m / (sqrt(v)/sqrt(1-beta2^t) + eps). Private to this room. */
#ifndef GT_OPTIM_ADAM_H
#define GT_OPTIM_ADAM_H
#include "optim/optim.h"

typedef struct gt_adam_config {
  gt_optim_common common;
  gt_floats betas;
  double eps;
} gt_adam_config;

#define GT_ADAM_FIELDS                                                                           \
  GT_ROW(gt_adam_config, betas, GT_FIELD_FLOATS, .fallback = "[0.9, 0.999]", .min = 0, .max = 1, \
         .help = "decay rates of the running averages of the gradient and its square",           \
         .flags = GT_FIELD_OPEN_MAX),                                                            \
      GT_ROW(gt_adam_config, eps, GT_FIELD_FLOAT, .fallback = "1e-8", .min = 0, .max = 1,        \
             .help = "added to the denominator for numerical stability")

const char *gt_adam_check(const void *config);
double gt_adam_step_size(const void *config, double lr, uint64_t t);  /* lr / (1 - beta1^t): scalar 0 */
double gt_adam_correction(const void *config, double lr, uint64_t t); /* sqrt(1 - beta2^t): scalar 1 */
/* Updates both running averages m and v; returns start - lr * …, the new parameter. start: the parameter, in
 * AdamW after weight decay. All values are F32 [n]. */
gt_id gt_adam_step(gt_optim_context *context, const gt_adam_config *config, gt_id start, gt_id gradient);
#endif

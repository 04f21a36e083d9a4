/* Cases (op/case.h) of the weights of the steps of sequences. */
#include "op/step_weights.h"
#include "op/case.h"

GT_REGISTER(opcase, step_weights)

/* Input: the lengths. p: the number of steps, the kind, and whether time comes first. */
static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_step_weights(g, x[0], v->c->p[0], (gt_step_weight)v->c->p[1], v->c->p[2]);
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t steps = v->c->p[0], batch = v->shape[0].dim[0];
  const bool time_major = v->c->p[2];
  for (int64_t b = 0; y && b < batch; b++)
    for (int64_t t = 0; t < steps; t++) {
      double weight = (double)t < x[0][b];
      if (v->c->p[1] == GT_STEPS_MEAN && weight > 0) weight = 1 / x[0][b];
      if (v->c->p[1] == GT_STEPS_LAST) weight = (double)t + 1 == x[0][b];
      y[time_major ? t * batch + b : b * steps + t] = weight;
    }
  return time_major ? gt_shape_2(steps, batch) : gt_shape_2(batch, steps);
}

static const gt_case_rule rule = {.name = "step_weights",
                                  .build = build,
                                  .reference = reference,
                                  .tolerance = 1e-6,
                                  .reason = "a division"};
static const gt_case cases[] = {
    {&rule, "i7", {5, GT_STEPS_COUNTED, false}, .v = 6},
    {&rule, "i7", {5, GT_STEPS_MEAN, true}, .v = 6},
    {&rule, "i9", {4, GT_STEPS_LAST, true}, .v = 5},
    {&rule, "i129", {257, GT_STEPS_MEAN, false}, .v = 258},
    {&rule, "i1", {1, GT_STEPS_LAST, false}, .v = 2},
};
GT_CASES(step_weights, cases);

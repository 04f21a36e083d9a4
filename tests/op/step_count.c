/* Cases (op/case.h) of the numbers of steps after a layer that changes them. */
#include "op/step_count.h"
#include "op/case.h"
#include <math.h>

GT_REGISTER(opcase, step_count)

/* Input: the lengths. p: multiplier, offset, divisor and the largest number of steps. */
static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  const int64_t *p = v->c->p;
  return gt_step_count(g, x[0], (gt_step_change){(int32_t)p[0], (int32_t)p[1], (int32_t)p[2], (int32_t)p[3]});
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t *p = v->c->p;
  for (int64_t b = 0; y && b < v->shape[0].dim[0]; b++) {
    const double steps = floor((x[0][b] * (double)p[0] + (double)p[1]) / (double)p[2]);
    y[b] = x[0][b] > 0 ? fmax(0, fmin(steps, (double)p[3])) : 0;
  }
  return v->shape[0];
}

static const gt_case_rule rule = {
    .name = "step_count", .build = build, .reference = reference, .reason = "integers"};
static const gt_case cases[] = {
    {&rule, "i7", {1, -2, 1, 4}, .v = 7},    {&rule, "i9", {1, 3, 1, 8}, .v = 6},
    {&rule, "i33", {1, -3, 2, 9}, .v = 24},  {&rule, "i5", {3, -1, 1, 100}, .v = 9},
    {&rule, "i257", {1, 0, 4, 16}, .v = 99}, {&rule, "i1", {1, -5, 3, 2}, .v = 4},
};
GT_CASES(step_count, cases);

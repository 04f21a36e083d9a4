/* Cases (op/case.h) of sums over groups of rows. */
#include "op/group_sum.h"
#include "op/case.h"

GT_REGISTER(opcase, group_sum)

/* Input: [rows, batch], in which a group is several consecutive rows. p[0]: number of groups; v: scale of the
 * sums. */
static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t groups = v->c->p[0], each = v->shape[0].dim[0] / groups, batch = v->shape[0].dim[1];
  for (int64_t i = 0; y && i < batch * groups; i++) {
    y[i] = 0;
    for (int64_t r = 0; r < each; r++) y[i] += v->c->v * x[0][(i % groups * each + r) * batch + i / groups];
  }
  return gt_shape_2(batch, groups);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_group_sum(g, x[0], v->c->p[0], v->c->v);
}

static const gt_case_rule rule = {.name = "group_sum",
                                  .build = build,
                                  .reference = reference,
                                  .wrt = 1,
                                  .tolerance = 4e-6,
                                  .gradient_tolerance = 1e-5,
                                  .reason = "sums of up to some thousand values"};

#define CASE(rows, batch, groups, scale) \
  { &rule, #rows "," #batch, {groups}, .v = scale }

static const gt_case cases[] = {
    CASE(1, 1, 1, 1),        CASE(6, 4, 2, 0.5),   CASE(6, 5, 3, 3),         CASE(7, 8, 7, 0.1),
    CASE(640, 100, 10, 0.1), CASE(50, 1030, 5, 1), CASE(20, 1028, 10, 0.25), CASE(4100, 12, 2, 0.01),
    CASE(300, 3, 1, 0.1),    CASE(130, 256, 2, 1),
};
GT_CASES(group_sum, cases);

/* Cases (op/case.h) of a flag that tells whether all values of a pack are finite. The kernels that write its
 * parts clear the flag if a value is not: a product, column sums, and elementwise ops. A move cannot clear
 * it, so another kernel checks its part. */
#include "op/case.h"
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/reduce.h"
#include <math.h>

GT_REGISTER(opcase, checks)

enum { PARTS = 4, OVERFLOWS = PARTS + 1, ALIGNED = 64 };

/* The operand of a part: input 2 + part, or in part p[0] its logarithm, which is NaN below 0. p[0] = PARTS:
 * no part has a logarithm; OVERFLOWS: part 0 overflows. */
static gt_id poisoned(gt_graph *g, const gt_case_view *v, const gt_id *x, int part) {
  return v->c->p[0] == part ? gt_log(g, x[2 + part]) : x[2 + part];
}

/* A product that overflows although its operands are finite. */
static gt_id overflows(gt_graph *g, const gt_id *x) {
  return gt_matmul(g, gt_exp(g, x[0]), gt_exp(g, x[1]), true, false);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  static const int order[] = {1, 0};
  const gt_id part[PARTS] = {
      v->c->p[0] == OVERFLOWS ? overflows(g, x)
                              : gt_add(g, gt_matmul(g, x[0], x[1], true, false), poisoned(g, v, x, 0)),
      gt_sum(g, poisoned(g, v, x, 1), 1, false),
      gt_mul(g, poisoned(g, v, x, 2), x[4]),
      gt_permute(g, poisoned(g, v, x, 3), order),
  };
  int64_t offset[PARTS], end = 0;
  for (int i = 0; i < PARTS; i++) {
    offset[i] = end;
    end += (gt_shape_count(gt_node_at(g, part[i])->shape) + ALIGNED - 1) / ALIGNED * ALIGNED;
  }
  return gt_all_finite(g, gt_pack_at(g, part, offset, PARTS, end), gt_neg(g, x[6]));
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t part = v->c->p[0];
  bool finite = part != OVERFLOWS;
  for (int64_t i = 0; y && part < PARTS && i < gt_shape_count(v->shape[2 + part]); i++)
    finite &= (bool)isfinite(log(x[2 + part][i]));
  if (y) y[0] = finite ? -x[6][0] : 0;
  return v->shape[6];
}

static const gt_case_rule rule = {.name = "checks",
                                  .build = build,
                                  .reference = reference,
                                  .low = 0.5,
                                  .high = 2,
                                  .reason = "the initial flag or 0"};

/* A few NaN, and many. */
#define PART(shapes, part) \
  {&rule, shapes, {part}, 0, -0.01, 2}, { &rule, shapes, {part}, 0, -1, 2 }
#define ALL(shapes)                                                                                  \
  {&rule, shapes, {PARTS}}, {&rule, shapes, {0}}, PART(shapes, 0), PART(shapes, 1), PART(shapes, 2), \
      PART(shapes, 3)

static const gt_case cases[] = {
    ALL("64,40 64,24 40,24 70,24 333 9,33 -"), /* the product has partial tiles, the sum one pass */
    ALL("64,32 64,64 32,64 70,24 333 9,33 -"), /* the product has whole tiles */
    {&rule, "64,32 64,64 32,64 70,24 333 9,33 -", {OVERFLOWS}, 0, 45, 50},
    {&rule, "64,128 64,128 128,128 70,24 333 9,33 -", {OVERFLOWS}, 0, 45, 50},
    {&rule, "3000,18 3000,22 18,22 3000,64 300 9,65 -", {OVERFLOWS}, 0, 45, 50},
    ALL("31,17 31,13 17,13 35,13 41 12,17 -"),
    ALL("3000,18 3000,22 18,22 3000,64 300 9,65 -"), /* the product has split-K, the sum two passes */
    ALL("20000,5 20000,3 5,3 5000,7 900 9,65 -"),
    ALL("9,200 9,68 200,68 200,1 900 9,65 -"),
};
GT_CASES(checks, cases);

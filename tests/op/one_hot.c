/* Cases (op/case.h) of the one-hot encoding of stored values. */
#include "op/one_hot.h"
#include "base/philox.h"
#include "op/case.h"
#include <math.h>

GT_REGISTER(opcase, one_hot)

/* Input 0 is x [B, S] with values on a grid of halves, input 1 the features [2, F]: column and code.
 * p[0]: the largest code; p[1]: some columns lie outside. */
static void fill(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t features = v->shape[input].dim[1], stored = v->shape[0].dim[1];
  (void)x;
  for (int64_t f = 0; f < features; f++) {
    const uint32_t bits = gt_random_bits(7, (uint32_t)features, (uint32_t)stored, (uint32_t)f);
    out[f] = v->c->p[1] && bits % 5 == 0 ? (f % 2 ? -3 : (int32_t)stored) : (int32_t)(bits / 8 % stored);
    out[features + f] = (int32_t)(bits / 1024 % (uint32_t)(v->c->p[0] + 2)) - 1;
  }
}

static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->shape[0].dim[0], stored = v->shape[0].dim[1], features = v->shape[1].dim[1];
  for (int64_t i = 0; y && i < rows * features; i++) {
    const int64_t f = i % features, column = (int64_t)x[1][f];
    const double code = x[1][features + f],
                 value = column < 0 || column >= stored ? NAN : x[0][i / features * stored + column];
    if (code < 0)
      y[i] = value;
    else
      y[i] = value == code ? 1 : 0;
  }
  return gt_shape_2(rows, features);
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_one_hot(g, x[0], x[1], false);
}

static const gt_case_rule rule = {.name = "one_hot",
                                  .build = build,
                                  .reference = reference,
                                  .fill = fill,
                                  .low = 0,
                                  .high = 4,
                                  .reason = "copies and comparisons are exact"};

#define CASE(x, features, largest, outside)            \
  {                                                    \
    &rule, "g" x " c2," features, { largest, outside } \
  }

static const gt_case cases[] = {
    CASE("1,1", "1", 0, 0),   CASE("7,3", "5", 3, 0),     CASE("64,9", "40", 3, 0),
    CASE("5,4", "33", 2, 1),  CASE("300,2", "7", 1, 0),   CASE("3,50", "9001", 3, 0),
    CASE("1,20", "16", 4, 1), CASE("1030,5", "12", 3, 0),
};
GT_CASES(one_hot, cases);

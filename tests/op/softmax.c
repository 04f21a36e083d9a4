/* Cases (op/case.h) of softmax and its logarithm. */
#include "op/softmax.h"
#include "op/case.h"
#include "selftest/reference.h"
#include <math.h>

GT_REGISTER(opcase, softmax)

/* p[0]: the axis; p[1]: 1 for log_softmax. */
static gt_shape reference_softmax(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape shape = v->shape[0];
  if (!y) return shape;
  const int axis = (int)v->c->p[0] + (v->c->p[0] < 0 ? shape.rank : 0);
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; d++) outer *= shape.dim[d];
  for (int d = axis + 1; d < shape.rank; d++) inner *= shape.dim[d];
  const int64_t n = shape.dim[axis];
  for (int64_t row = 0; row < outer * inner; row++) {
    const int64_t base = row / inner * n * inner + row % inner;
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, x[0][base + i * inner]);
    for (int64_t i = 0; i < n; i++) sum += exp(x[0][base + i * inner] - largest);
    for (int64_t i = 0; i < n; i++) {
      const double shifted = x[0][base + i * inner] - largest;
      y[base + i * inner] = v->c->p[1] ? shifted - log(sum) : exp(shifted) / sum;
    }
  }
  return shape;
}

static gt_id build_softmax(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return v->c->p[1] ? gt_log_softmax(g, x[0], (int)v->c->p[0]) : gt_softmax(g, x[0], (int)v->c->p[0]);
}

static const gt_case_rule softmax = {.name = "softmax",
                                     .build = build_softmax,
                                     .reference = reference_softmax,
                                     .wrt = 1,
                                     .tolerance = 4e-6,
                                     .gradient_tolerance = 2e-5,
                                     .reason = "an exponential and a sum"};
/* For inputs of large magnitude. */
static const gt_case_rule extreme = {.name = "softmax",
                                     .build = build_softmax,
                                     .reference = reference_softmax,
                                     .tolerance = 1e-5,
                                     .floor = 1e-6,
                                     .reason = "exponents of large differences"};
static const gt_case_rule extreme_log = {.name = "softmax",
                                         .build = build_softmax,
                                         .reference = reference_softmax,
                                         .tolerance = 4e-6,
                                         .floor = 1,
                                         .reason = "a logarithm of a sum near one"};

#define BOTH(...)                 BOTH_(__VA_ARGS__, 0) BOTH_(__VA_ARGS__, 1)
#define BOTH_(shapes, axis, log_) {&softmax, shapes, {axis, log_}},

static const gt_case cases[] = {
    BOTH("1", 0) BOTH("10", 0) BOTH("3,1", -1) BOTH("7,10", -1) BOTH("130,64", 1) BOTH("5,65", 1)
        BOTH("3,1027", -1) BOTH("6,4,5", 1) BOTH("33,5", 0) BOTH("2,1,3,2,1,2,2,3", 3)
            BOTH("1025,10", -1){&extreme, "20,50", {-1, 0}, .low = -90, .high = 90},
    {&extreme_log, "20,50", {-1, 1}, .low = -900, .high = 900},
    {&softmax, "g9,7", {-1, 0}},
    {&softmax, "1,30011", {-1, 1}},
};
GT_CASES(softmax, cases);

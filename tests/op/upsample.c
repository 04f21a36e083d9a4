/* Cases (op/case.h) of upsampling. */
#include "op/upsample.h"
#include "base/memory.h"
#include "op/case.h"
#include <math.h>
#include <stdlib.h>

GT_REGISTER(opcase, upsample)

/* p[0]: the mode; p[1…3]: the new lengths; p[4…6]: tenths of the scale factors, 0: not given. */
enum { NEAREST, LINEAR, CORNERS };

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  gt_upsample_attribute a = {
      .axes = v->shape[0].rank - 2, .linear = v->c->p[0] != NEAREST, .align_corners = v->c->p[0] == CORNERS};
  for (int k = 0; k < a.axes; k++) {
    a.out[k] = v->c->p[1 + k];
    a.factor[k] = (double)v->c->p[4 + k] / 10;
  }
  return gt_upsample(g, x[0], &a);
}

/* The weight of element i of axis k in element o of the result. */
static double weight(const gt_case_view *v, int k, int64_t o, int64_t i) {
  const int64_t in = v->shape[0].dim[1 + k], out = v->c->p[1 + k];
  const double factor = v->c->p[4 + k] ? (double)v->c->p[4 + k] / 10 : (double)out / (double)in;
  double place = ((double)o + 0.5) / factor - 0.5;
  if (v->c->p[0] == NEAREST) {
    const double nearest = floor((double)o / factor + 1e-9);
    return fmin(nearest, (double)(in - 1)) == (double)i;
  }
  if (v->c->p[0] == CORNERS) place = out > 1 ? (double)(o * (in - 1)) / (double)(out - 1) : 0;
  place = fmin(fmax(place, 0), (double)(in - 1));
  return fmax(0, 1 - fabs(place - (double)i));
}

/* One axis after another: [outer, in, inner] to [outer, out, inner]. */
static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  gt_shape shape = v->shape[0];
  double *previous = NULL;
  for (int k = 0; k < v->shape[0].rank - 2; k++) {
    int64_t outer = 1, inner = 1;
    const int64_t in = shape.dim[1 + k], out = v->c->p[1 + k];
    for (int d = 0; d <= k; d++) outer *= shape.dim[d];
    for (int d = k + 2; d < shape.rank; d++) inner *= shape.dim[d];
    shape.dim[1 + k] = out;
    if (!y) continue;
    const bool last = k == v->shape[0].rank - 3;
    const double *from = previous ? previous : x[0];
    double *to = last ? y : gt_alloc((size_t)(outer * out * inner) * sizeof *to);
    for (int64_t i = 0; i < outer * out * inner; i++) {
      to[i] = 0;
      for (int64_t e = 0; e < in; e++)
        to[i] += weight(v, k, i / inner % out, e) * from[(i / inner / out * in + e) * inner + i % inner];
    }
    free(previous);
    previous = last ? NULL : to;
  }
  return shape;
}

static const gt_case_rule rule = {.name = "upsample",
                                  .build = build,
                                  .reference = reference,
                                  .wrt = 1,
                                  .tolerance = 1e-6,
                                  .gradient_tolerance = 1e-5,
                                  .reason = "mixtures of eight values, whose gradients are sums of many"};

#define ALL(shape, ...)                                                            \
  {&rule, shape, {NEAREST, __VA_ARGS__}}, {&rule, shape, {LINEAR, __VA_ARGS__}}, { \
    &rule, shape, { CORNERS, __VA_ARGS__ }                                         \
  }

static const gt_case cases[] = {
    ALL("1,1,1", 1),
    ALL("2,1,3", 5),
    ALL("2,5,4", 10),
    ALL("3,7,5", 3),
    ALL("2,7,4", 1),
    ALL("2,5,3", 17),
    ALL("2,4,5,4", 8, 10),
    ALL("2,3,5,3", 7, 5),
    ALL("1,6,7,8", 13, 3),
    ALL("3,1,4,12", 1, 9),
    ALL("2,9,9,4", 9, 9),
    ALL("1,3,4,5,4", 6, 8, 10),
    ALL("2,2,3,3,3", 5, 1, 7),
    ALL("1,31,4", 501),
    ALL("20,9,9,32", 18, 18), /* more than a tile */
    ALL("2,5,5,4", 7, 12, 0, 15, 25),
    ALL("2,7,4", 6, 0, 0, 9),
};
GT_CASES(upsample, cases);

/* Cases (op/case.h) of cross-entropy, class weights, and whether a prediction is correct. */
#include "op/cross_entropy.h"
#include "op/case.h"
#include <math.h>

GT_REGISTER(opcase, cross_entropy)

/* p[0]: smoothing in percent; p[1]: 1: class weights; p[2]: number of classes, of class_weight; v: labels are
 * in [0, v). */
static gt_shape row_shape(const gt_case_view *v) { return v->shape[1]; }

static double smoothing_of(const gt_case_view *v) { return (double)((float)v->c->p[0] / 100); }

enum { MAX_CLASSES = 5000 };
/* Weights of classes: from 0, which ignores a class, to 3. */
static double weight_of(const gt_case_view *v, int64_t c) {
  return v->c->p[1] ? (double)(c * 7 % 13) / 4 : 1;
}

static const double *weights_of(const gt_case_view *v, double weight[MAX_CLASSES]) {
  for (int64_t c = 0; c < MAX_CLASSES; c++) weight[c] = weight_of(v, c);
  return v->c->p[1] ? weight : NULL;
}

static gt_shape reference_loss(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = row_shape(v);
  const int64_t n = v->shape[0].dim[v->shape[0].rank - 1];
  const double s = smoothing_of(v);
  for (int64_t row = 0; y && row < gt_shape_count(out); row++) {
    const double *logit = x[0] + row * n;
    double largest = -INFINITY, sum = 0;
    for (int64_t c = 0; c < n; c++) largest = fmax(largest, logit[c]);
    for (int64_t c = 0; c < n; c++) sum += exp(logit[c] - largest);
    y[row] = x[1][row] < 0 || x[1][row] >= (double)n ? NAN : 0;
    if (x[1][row] == -1) y[row] = 0;
    for (int64_t c = 0; c < n && x[1][row] >= 0; c++)
      y[row] -= ((c == (int64_t)x[1][row] ? 1 - s : 0) + s / (double)n) * weight_of(v, c) *
                (logit[c] - largest - log(sum));
  }
  return out;
}

/* Every third row is ignored. */
static void fill_labels(const gt_case_view *v, int input, const double *const *x, int32_t *out) {
  const int64_t classes = v->c->v > 0 ? (int64_t)v->c->v : 1;
  (void)x;
  for (int64_t i = 0; i < gt_shape_count(v->shape[input]); i++)
    out[i] = i % 3 ? (int32_t)(i * 7 % classes) : -1;
}

static gt_id build_loss(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  double weight[MAX_CLASSES];
  return gt_cross_entropy(g, x[0], x[1], smoothing_of(v), weights_of(v, weight));
}

static gt_shape reference_weight(const gt_case_view *v, const double *const *x, double *y) {
  for (int64_t i = 0; y && i < gt_shape_count(v->shape[0]); i++)
    y[i] = x[0][i] == -1 ? 0 : x[0][i] < (double)v->c->p[2] ? weight_of(v, (int64_t)x[0][i]) : NAN;
  return v->shape[0];
}

static gt_id build_weight(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  double weight[MAX_CLASSES];
  return gt_class_weight(g, x[0], weights_of(v, weight), v->c->p[2]);
}

static gt_shape reference_correct(const gt_case_view *v, const double *const *x, double *y) {
  const gt_shape out = row_shape(v);
  const int64_t n = v->shape[0].dim[v->shape[0].rank - 1];
  for (int64_t row = 0; y && row < gt_shape_count(out); row++) {
    int64_t best = 0;
    for (int64_t c = n - 1; c >= 0; c--)
      if (x[0][row * n + c] >= x[0][row * n + best]) best = c;
    y[row] = best == (int64_t)x[1][row];
  }
  return out;
}

static gt_id build_correct(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  (void)v;
  return gt_correct(g, x[0], x[1]);
}

static const gt_case_rule loss = {.name = "cross_entropy",
                                  .build = build_loss,
                                  .reference = reference_loss,
                                  .fill = fill_labels,
                                  .wrt = 1,
                                  .tolerance = 4e-6,
                                  .gradient_tolerance = 2e-5,
                                  .reason = "exponentials and their sum"};
/* For logits of large magnitude, and for labels that are no classes, whose loss is NaN. */
static const gt_case_rule extreme = {.name = "cross_entropy",
                                     .build = build_loss,
                                     .reference = reference_loss,
                                     .tolerance = 4e-6,
                                     .floor = 0.1,
                                     .reason = "exponentials and their sum"};
static const gt_case_rule correct = {.name = "correct",
                                     .build = build_correct,
                                     .reference = reference_correct,
                                     .fill = fill_labels,
                                     .tolerance = 0,
                                     .reason = "a comparison"};

/* The gradient p - s/n of a class that is not the target is a difference of small numbers. */
static const gt_case_rule smooth = {.name = "cross_entropy",
                                    .build = build_loss,
                                    .reference = reference_loss,
                                    .fill = fill_labels,
                                    .wrt = 1,
                                    .tolerance = 4e-6,
                                    .gradient_tolerance = 1e-3,
                                    .reason = "exponentials and their sum"};

static const gt_case_rule weight = {.name = "class_weight",
                                    .build = build_weight,
                                    .reference = reference_weight,
                                    .fill = fill_labels,
                                    .reason = "a copy"};

#define ALL(shapes, classes) \
  {&loss, shapes, .v = classes}, {&smooth, shapes, {10}, classes}, { &correct, shapes, .v = classes }

static const gt_case cases[] = {
    ALL("1,1 i1", 1),
    ALL("1,10 i1", 10),
    ALL("128,10 i128", 10),
    ALL("7,64 i7", 64),
    ALL("7,65 i7", 65),
    ALL("131,3 i131", 3),
    ALL("5,1000 i5", 1000),
    ALL("1030,10 i1030", 10),
    ALL("2,3,7 i2,3", 7),
    ALL("9 i-", 9),
    {&smooth, "3,5000 i3", {25}, 5000},
    {&extreme, "40,10 i40", {0}, 10, -80, 80},
    {&extreme, "40,10 i40", {0}, 10, -3000, 3000},
    {&extreme, "12,300 i12", {10}, 300, -80, 80},
    {&extreme, "40,5 i40", {0}, 9},
    {&extreme, "12,100 i12", {10}, 150},
    {&loss, "128,10 i128", {0, 1}, 10},
    {&smooth, "128,10 i128", {10, 1}, 10},
    {&loss, "7,65 i7", {0, 1}, 65},
    {&smooth, "7,65 i7", {30, 1}, 65},
    {&smooth, "3,4099 i3", {25, 1}, 4099},
    {&smooth, "2,3,7 i2,3", {10, 1}, 7},
    {&extreme, "40,10 i40", {0, 1}, 10, -3000, 3000},
    {&extreme, "12,100 i12", {10, 1}, 150},
    {&weight, "i1", {0, 1, 1}, 1},
    {&weight, "i300", {0, 1, 10}, 10},
    {&weight, "i5,7", {0, 1, 1000}, 1200},
    {&correct, "g90,5 i90", .v = 5},
    {&correct, "g30,200 i30", .v = 9},
    {&correct, "40,5 i40", .v = 9},
    {&loss, "128,10 c128", .v = 10},
    {&loss, "7,65 c7", .v = 65},
    {&smooth, "2,3,7 c2,3", {10, 1}, 7},
    {&weight, "c300", {0, 1, 10}, 10},
    {&correct, "40,5 c40", .v = 5},
};
GT_CASES(cross_entropy, cases);

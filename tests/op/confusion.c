/* Cases (op/case.h) of the op that adds to a confusion matrix. */
#include "op/confusion.h"
#include "op/case.h"

GT_REGISTER(opcase, confusion)

/* Inputs: counts, logits, labels, weights. Each run adds the same rows. */
static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->shape[1].dim[0], n = v->shape[1].dim[1];
  for (int64_t i = 0; y && i < n * n; i++) y[i] = x[0][i];
  for (int64_t r = 0; y && r < rows; r++) {
    const int64_t label = (int64_t)x[2][r];
    int64_t best = n - 1;
    for (int64_t c = n - 1; c >= 0; c--)
      if (x[1][r * n + c] >= x[1][r * n + best]) best = c;
    if (label < n && x[3][r] > 0) y[label * n + best] += (double)v->c->rule->times;
  }
  return v->shape[0];
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_confusion(g, v->variable[0], x[1], x[2], x[3]);
}

static const gt_case_rule rule = {.name = "confusion",
                                  .build = build,
                                  .reference = reference,
                                  .reason = "whole numbers",
                                  .result = 1,
                                  .times = 3};

#define CASE(rows, classes, letter, labels) \
  { &rule, "n" #classes "," #classes " " letter #rows "," #classes " i" #rows " " #rows, .v = labels }

static const gt_case cases[] = {
    CASE(1, 1, "", 1),     CASE(7, 2, "", 2),      CASE(100, 10, "", 10), CASE(65, 3, "g", 3),
    CASE(512, 7, "g", 12), CASE(1030, 10, "", 10), CASE(9, 300, "", 300), CASE(3, 5000, "", 4000),
};
GT_CASES(confusion, cases);

/* Cases (op/case.h) of the op that adds to a confusion matrix. */
#include "op/confusion.h"
#include "op/case.h"

GT_REGISTER(opcase, confusion)

static const float scale = 1 << 28; /* with it, sums of a few weights have more than 32 bits */

/* Inputs: counts, logits, labels, weights. Each run adds the same rows. */
static gt_shape reference(const gt_case_view *v, const double *const *x, double *y) {
  const int64_t rows = v->shape[1].dim[0], n = v->shape[1].dim[1],
                words = v->shape[0].rank == 2 ? 1 : GT_CONFUSION_WORDS;
  for (int64_t i = 0; y && i < n * n * words; i++) y[i] = x[0][i];
  for (int64_t r = 0; y && r < rows; r++) {
    const int64_t label = (int64_t)x[2][r];
    int64_t best = n - 1;
    for (int64_t c = n - 1; c >= 0; c--)
      if (x[1][r * n + c] >= x[1][r * n + best]) best = c;
    if (label >= n || !(x[3][r] > 0)) continue;
    double *cell = y + (label * n + best) * words;
    cell[0] += (double)v->c->rule->times;
    if (words == 1) continue;
    const uint64_t before = ((uint64_t)(uint32_t)(int32_t)cell[2] << 32) + (uint32_t)(int32_t)cell[1],
                   sum = before + v->c->rule->times * (uint64_t)(x[3][r] * scale);
    cell[1] = (int32_t)(uint32_t)sum;
    cell[2] = (int32_t)(sum >> 32);
  }
  return v->shape[0];
}

static gt_id build(gt_graph *g, const gt_case_view *v, const gt_id *x) {
  return gt_confusion(g, v->variable[0], x[1], x[2], x[3], scale);
}

static const gt_case_rule rule = {.name = "confusion",
                                  .build = build,
                                  .reference = reference,
                                  .reason = "whole numbers",
                                  .result = 1,
                                  .times = 3};

#define CASE(rows, classes, cell, letter, labels) \
  { &rule, "n" #classes "," #classes cell " " letter #rows "," #classes " i" #rows " " #rows, .v = labels }

static const gt_case cases[] = {
    CASE(1, 1, "", "", 1),       CASE(7, 2, "", "", 2),       CASE(100, 10, "", "", 10),
    CASE(65, 3, "", "g", 3),     CASE(512, 7, "", "g", 12),   CASE(1030, 10, "", "", 10),
    CASE(9, 300, "", "", 300),   CASE(3, 5000, "", "", 4000), CASE(7, 2, ",3", "", 2),
    CASE(100, 10, ",3", "", 10), CASE(512, 7, ",3", "g", 12), CASE(1030, 2, ",3", "", 2),
};
GT_CASES(confusion, cases);

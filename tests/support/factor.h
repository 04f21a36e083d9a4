/* Two products with an operand x [rows, in] whose elements a test knows: y = relu(x w) [rows, units], and
 * d = xT g [in, units], the gradient of w. If `turned`, as in a linear layer: y = relu(x wT) and d = gT x,
 * with w and d [units, in]. */
#ifndef GT_TEST_SUPPORT_FACTOR_H
#define GT_TEST_SUPPORT_FACTOR_H
#include "graph/graph.h"

/* Adds both products to the graph and assigns them to variables "y" and "d". */
void factor_assign(gt_graph *graph, gt_id x, gt_id w, gt_id g, bool turned);

typedef struct factor_case {
  uint32_t rows, in, units;
  bool turned;
  const void *net;                          /* what x computes from, its first argument */
  double (*x)(const void *net, uint64_t i); /* element i of x */
  const float *w, *g, *y, *d;
  /* Fails the test unless `got` is `expected` up to rounding: a sum of `terms` terms whose magnitudes add up
   * to `magnitudes`. Element i of `what`, "y" or "d". */
  void (*check)(double got, double expected, double magnitudes, double terms, const char *what, uint64_t i);
} factor_case;

/* Computes y and d in double and checks each element with c->check. */
void factor_check(const factor_case *c);
#endif

/* Two products with an operand x [rows, in] whose elements a test knows: y = relu(x w), and d = xT g, the
 * gradient of w; or, turned, as in a linear layer, y = relu(x wT) and d = gT x, with w and d [units, in]. */
#ifndef GT_TEST_SUPPORT_FACTOR_H
#define GT_TEST_SUPPORT_FACTOR_H
#include "graph/graph.h"

/* Assigns the results to variables "y" and "d". */
void factor_assign(gt_graph *graph, gt_id x, gt_id w, gt_id g, bool turned);

typedef struct factor_case {
  uint32_t rows, in, units;
  bool turned;
  const void *net;
  double (*x)(const void *net, uint64_t i); /* element i of x */
  const float *w, *g, *y, *d;
  /* Fails the test unless `got` is the sum of `terms` terms whose magnitudes add up to `all`, up to
   * rounding. */
  void (*check)(double got, double sum, double all, double terms, const char *what, uint64_t i);
} factor_case;

void factor_check(const factor_case *c); /* y and d in double */
#endif

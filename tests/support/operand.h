/* Tests of two products with the same operand x [rows, in], which may be computed while it is loaded: y =
 * relu(x w) [rows, units], and d = x^T g [in, units], as the gradient of w from the gradient g of x w. If
 * `transposed`, w and d are transposed, [units, in], as in a linear layer: y = relu(x w^T) and d = g^T x. */
#ifndef GT_TEST_SUPPORT_OPERAND_H
#define GT_TEST_SUPPORT_OPERAND_H
#include "graph/graph.h"

/* Adds both products to the graph and assigns them to variables "y" and "d". */
void operand_assign(gt_graph *graph, gt_id x, gt_id w, gt_id g, bool transposed);

typedef struct operand_case {
  uint32_t rows, in, units;
  bool transposed;
  const void *context;                          /* data from which x() computes; its first argument */
  double (*x)(const void *context, uint64_t i); /* element i of x */
  const float *w, *g, *y, *d;
  /* Fails the test unless `got`, element i of `what` ("y" or "d"), is `expected` up to rounding. To bound the
   * rounding: the value is a sum of `terms` terms, and the sum of their magnitudes is `magnitudes`. */
  void (*check)(double got, double expected, double magnitudes, double terms, const char *what, uint64_t i);
} operand_case;

/* Computes y and d in double precision from x, w and g, and calls c->check for each element of c->y and
 * c->d. */
void operand_check(const operand_case *c);
#endif

/* One edge as c f(a x + b) + d: the best constants for a function of the library, by least squares. */
#ifndef GT_KAN_EDGE_FIT_H
#define GT_KAN_EDGE_FIT_H
#include "layer/kan/kan_function.h"
#include <stdint.h>

typedef struct gt_edge_fit {
  const gt_symbol *symbol;
  double a, b, c, d;
  double r2; /* fraction of the variance of y that the fit explains */
} gt_edge_fit;

/* Fits c f(a x + b) + d to y: tries a and b on a grid that suits the range of x, then refines the best by
 * Levenberg-Marquardt. r2 is -infinity if the function is not defined at every x. */
gt_edge_fit gt_edge_fit_find(const gt_symbol *symbol, const double *x, const double *y, int64_t count);
/* For qsort: orders fits by their cost, complexity + log2(1 - r2 + 1e-9); those without a finite r2 are last.
 */
int gt_edge_fit_compare(const void *a, const void *b);
#endif

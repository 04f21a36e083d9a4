/* Median absolute error, as sklearn.metrics.median_absolute_error; for an even number of items, the mean of
 * the two middle errors. */
#include "base/memory.h"
#include "metric/metric.h"
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double of_scores(const gt_metric_scores *s) {
  const int64_t n = s->items;
  if (!n) return NAN;
  double *error = gt_alloc((size_t)n * sizeof *error);
  bool finite = true;
  for (int64_t i = 0; i < n; i++) {
    error[i] = fabs((double)s->score[i] - (double)s->target[i]);
    finite = finite && isfinite(error[i]);
  }
  qsort(error, (size_t)n, sizeof *error, compare);
  const double median = n % 2 ? error[n / 2] : (error[n / 2 - 1] + error[n / 2]) / 2;
  free(error);
  return finite ? median : NAN;
}

GT_DEFINE(metric, median_error) = {.name = "median_error",
                                   .help = "median absolute error",
                                   .tasks = GT_METRIC_NUMBERS,
                                   .of_scores = of_scores};

/* Detects noise that is proportional to the values, as in measurements with a relative error, and sets
 * factors for the errors. Without these, the few largest values would determine the constants, and the
 * standard errors of the constants would be too small. */
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double min_saved_bits = 10; /* bits by which proportional noise must be more likely */

/* Writes the residuals of all samples to r[samples, outputs]. */
static void find_residuals(const gt_symbolic_data *d, const gt_symbolic *s, double *r) {
  double *y = gt_alloc((size_t)s->width[s->layers] * sizeof *y);
  for (int64_t k = 0; k < d->samples; k++) {
    gt_symbolic_evaluate(s, d->x + k * d->inputs, y);
    for (int o = 0; o < d->outputs; o++)
      r[k * d->outputs + o] = y[d->output ? d->output[o] : o] - d->y[k * d->outputs + o];
  }
  free(y);
}

/* The bits that a normal distribution of r / y saves, compared with one of r; minus infinity if a y is 0 or
 * all residuals are 0. *scale: the geometric mean of |y|. */
static double saved_bits(const gt_symbolic_data *d, const double *r, int output, double *scale) {
  const double n = (double)d->samples;
  double same = 0, relative = 0, logs = 0;
  for (int64_t k = 0; k < d->samples; k++) {
    const double y = d->y[k * d->outputs + output], residual = r[k * d->outputs + output];
    if (y == 0) return -INFINITY;
    same += residual * residual;
    relative += (residual / y) * (residual / y);
    logs += log2(fabs(y));
  }
  *scale = exp2(logs / n);
  return relative > 0 ? n / 2 * log2(same / relative) - logs : -INFINITY;
}

bool gt_symbolic_find_noise(gt_symbolic_data *data, const gt_symbolic *formula, gt_arena *arena) {
  if (data->fits_network || !(gt_symbolic_sum(formula, data) > data->rounding)) return false;
  const size_t values = (size_t)(data->samples * data->outputs);
  double *r = gt_alloc(values * sizeof *r + 1), *factor = gt_arena_alloc_n(arena, values + 1, sizeof *factor);
  bool found = false;
  find_residuals(data, formula, r);
  for (int o = 0; o < data->outputs; o++) {
    double scale = 1;
    const bool relative = saved_bits(data, r, o, &scale) > min_saved_bits;
    for (int64_t k = 0; k < data->samples; k++)
      factor[k * data->outputs + o] = relative ? scale / fabs(data->y[k * data->outputs + o]) : 1;
    found |= relative;
  }
  free(r);
  if (!found) return false;
  data->relative = factor;
  gt_symbolic_measure(data);
  return true;
}

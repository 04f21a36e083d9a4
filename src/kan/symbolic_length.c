/* Description length of a formula in bits, by which formulas are compared. */
#include "base/memory.h"
#include "kan/symbolic.h"
#include <math.h>
#include <stdlib.h>

double gt_symbolic_complexity(const gt_symbolic *s) {
  double sum = 0;
  for (int e = 0; e < s->edges; e++) sum += s->edge[e].symbol->complexity;
  return sum;
}

static double count_values(const gt_symbolic_data *data) { return (double)(data->samples * data->outputs); }

double gt_symbolic_error_bits(const gt_symbolic_data *data, double sum) {
  if (!isfinite(sum)) return INFINITY;
  return 0.5 * count_values(data) * log2(fmax(sum, data->rounding) / data->variation);
}

double gt_symbolic_noise(const gt_symbolic_data *data, double sum, int constants) {
  return fmax(sum, data->rounding) / fmax(count_values(data) - constants, 1);
}

/* The number of redundant constants. A node with a single edge out has two: its bias and its scale, which
 * constants of that edge can replace (gt_symbolic_normalize). */
static int count_redundant(const gt_symbolic *s) {
  int count = 0;
  for (int l = 1; l < s->layers; l++)
    for (int n = 0; n < s->width[l]; n++) {
      int readers = 0;
      for (int e = 0; e < s->edges; e++) readers += s->edge[e].layer == l && s->edge[e].from == n;
      count += readers == 1 ? 2 : 0;
    }
  return count;
}

double gt_symbolic_criterion(const gt_symbolic *s, const gt_symbolic_data *data, double sum) {
  gt_symbolic copy = *s;
  const int constants = gt_symbolic_free_constants(&copy, NULL) - count_redundant(s);
  return gt_symbolic_error_bits(data, sum) + gt_symbolic_complexity(s) +
         0.5 * constants * log2(count_values(data));
}

double gt_symbolic_constant_bits(const gt_symbolic_data *data, double value, double error) {
  return fmax(0.5 * log2(count_values(data)), log2((fabs(value) + 1) / error));
}

double gt_symbolic_length(gt_symbolic *s, const gt_symbolic_data *data, double sum) {
  const int count = gt_symbolic_free_constants(s, NULL);
  gt_symbolic_constant *constant = gt_alloc(((size_t)count + 1) * sizeof *constant);
  double *deviation = gt_alloc(((size_t)count + 1) * sizeof *deviation);
  double bits = gt_symbolic_error_bits(data, sum) + gt_symbolic_complexity(s) + s->rounded_bits;
  const double noise = sqrt(gt_symbolic_noise(data, sum, count));
  gt_symbolic_free_constants(s, constant);
  gt_symbolic_deviations(s, data, deviation);
  for (int i = 0; i < count; i++)
    bits += gt_symbolic_constant_bits(data, *constant[i].value, noise * deviation[i]);
  free(constant);
  free(deviation);
  return bits;
}

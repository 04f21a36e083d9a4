#include "kan/levenberg_marquardt.h"
#include "base/memory.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
  int n;
  double *jtj, *jtr, *factor; /* J'J, J'r; its Cholesky factor with damping */
  double *step, *next;        /* of the parameters; the parameters after it */
} work;

/* factor factor' = jtj + damping * its diagonal, by Cholesky; false if that is not positive definite. */
static bool factorize(const double *jtj, double *factor, int n, double damping) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = jtj[i * n + j];
      if (i == j) sum += damping * (sum > 0 ? sum : 1);
      for (int k = 0; k < j; k++) sum -= factor[i * n + k] * factor[j * n + k];
      if (i == j && !(sum > 1e-300)) return false;
      factor[i * n + j] = i == j ? sqrt(sum) : sum / factor[j * n + j];
    }
  return true;
}

/* x = factor^-1 y; x and y may be the same array. */
static void solve_lower(const double *factor, int n, const double *y, double *x) {
  for (int i = 0; i < n; i++) {
    double sum = y[i];
    for (int k = 0; k < i; k++) sum -= factor[i * n + k] * x[k];
    x[i] = sum / factor[i * n + i];
  }
}

/* Solves (jtj + damping * its diagonal) step = -jtr; false if the matrix is not positive definite. */
static bool solve(const work *w, double damping) {
  const int n = w->n;
  if (!factorize(w->jtj, w->factor, n, damping)) return false;
  for (int i = 0; i < n; i++) w->step[i] = -w->jtr[i];
  solve_lower(w->factor, n, w->step, w->step);
  for (int i = n; i-- > 0;) {
    double sum = w->step[i];
    for (int k = i + 1; k < n; k++) sum -= w->factor[k * n + i] * w->step[k];
    w->step[i] = sum / w->factor[i * n + i];
  }
  return true;
}

/* True if the step changed the sum and the parameters by no more than rounding. */
static bool has_converged(const work *w, const double *p, double sum, double next_sum) {
  double largest_change = 0;
  for (int i = 0; i < w->n; i++)
    largest_change = fmax(largest_change, fabs(w->step[i]) / (fabs(p[i]) + 1e-6));
  return sum - next_sum <= 1e-10 * sum && largest_change < 1e-7;
}

static double descend(const gt_levenberg_marquardt *problem, work *w, double *p, int max_steps) {
  const size_t n = (size_t)w->n;
  double sum = problem->sum(problem->context, p, w->jtj, w->jtr), damping = 1e-3;
  for (int step = 0; step < max_steps && sum > 0 && isfinite(sum) && damping < 1e12; step++) {
    double next_sum = INFINITY;
    if (solve(w, damping)) {
      for (int i = 0; i < w->n; i++) w->next[i] = p[i] + w->step[i];
      next_sum = problem->sum(problem->context, w->next, NULL, NULL);
    }
    if (!(next_sum < sum)) {
      damping *= 4;
      continue;
    }
    const bool converged = has_converged(w, p, sum, next_sum);
    memcpy(p, w->next, n * sizeof *p);
    damping = fmax(damping / 8, 1e-15);
    memset(w->jtj, 0, n * n * sizeof *w->jtj);
    memset(w->jtr, 0, n * sizeof *w->jtr);
    sum = problem->sum(problem->context, p, w->jtj, w->jtr);
    if (converged) break;
  }
  return sum;
}

double gt_levenberg_marquardt_minimize(const gt_levenberg_marquardt *problem, double *p, int max_steps) {
  const size_t n = (size_t)problem->parameters;
  if (!n) return problem->sum(problem->context, p, NULL, NULL);
  double *memory = gt_alloc((2 * n * n + 3 * n) * sizeof *memory);
  work w = {problem->parameters,       memory, memory + n * n, memory + n * n + n, memory + 2 * n * n + n,
            memory + 2 * n * n + 2 * n};
  const double sum = descend(problem, &w, p, max_steps);
  free(memory);
  return sum;
}

void gt_levenberg_marquardt_deviations(const gt_levenberg_marquardt *problem, const double *p,
                                       double *deviation) {
  const int n = problem->parameters;
  const size_t cells = (size_t)n * (size_t)n;
  double *matrix = gt_alloc((2 * cells + 2 * (size_t)n + 1) * sizeof *matrix), *factor = matrix + cells,
         *vector = factor + cells, *scale = vector + n;
  problem->sum(problem->context, p, matrix, vector); /* J'J; J'r is not used */
  for (int i = 0; i < n; i++) scale[i] = sqrt(matrix[i * n + i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const double norm = scale[i] * scale[j];
      matrix[i * n + j] = norm > 0 ? matrix[i * n + j] / norm : i == j;
    }
  const bool ok = factorize(matrix, factor, n, 1e-12); /* the diagonal is 1 */
  for (int i = 0; i < n; i++) {
    double sum = 0;
    memset(vector, 0, (size_t)n * sizeof *vector);
    vector[i] = 1;
    if (ok) solve_lower(factor, n, vector, vector);
    for (int k = i; k < n; k++) sum += vector[k] * vector[k];
    deviation[i] = ok && scale[i] > 0 ? sqrt(sum) / scale[i] : INFINITY;
  }
  free(matrix);
}

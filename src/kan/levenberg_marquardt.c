#include "kan/levenberg_marquardt.h"
#include "base/memory.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
  int n;
  double *square, *side, *factor, *step, *next;
} work;

/* factor factor' = square + damping diagonal, by Cholesky; false if that is not positive definite. */
static bool factorize(const double *square, double *factor, int n, double damping) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = square[i * n + j];
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

/* Solves (square + damping diagonal) step = -side; false if the matrix is not positive definite. */
static bool solve(const work *w, double damping) {
  const int n = w->n;
  if (!factorize(w->square, w->factor, n, damping)) return false;
  for (int i = 0; i < n; i++) w->step[i] = -w->side[i];
  solve_lower(w->factor, n, w->step, w->step);
  for (int i = n; i-- > 0;) {
    double sum = w->step[i];
    for (int k = i + 1; k < n; k++) sum -= w->factor[k * n + i] * w->step[k];
    w->step[i] = sum / w->factor[i * n + i];
  }
  return true;
}

/* True if the step changed neither the sum nor the parameters by more than rounding. */
static bool is_still(const work *w, const double *p, double sum, double next) {
  double most = 0;
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(w->step[i]) / (fabs(p[i]) + 1e-6));
  return sum - next <= 1e-10 * sum && most < 1e-7;
}

static double descend(const gt_levenberg_marquardt *problem, work *w, double *p, int most_steps) {
  const size_t n = (size_t)w->n;
  double sum = problem->sum(problem->owner, p, w->square, w->side), damping = 1e-3;
  for (int step = 0; step < most_steps && sum > 0 && isfinite(sum) && damping < 1e12; step++) {
    double next = INFINITY;
    if (solve(w, damping)) {
      for (int i = 0; i < w->n; i++) w->next[i] = p[i] + w->step[i];
      next = problem->sum(problem->owner, w->next, NULL, NULL);
    }
    if (!(next < sum)) {
      damping *= 4;
      continue;
    }
    const bool still = is_still(w, p, sum, next);
    memcpy(p, w->next, n * sizeof *p);
    damping = fmax(damping / 8, 1e-15);
    memset(w->square, 0, n * n * sizeof *w->square);
    memset(w->side, 0, n * sizeof *w->side);
    sum = problem->sum(problem->owner, p, w->square, w->side);
    if (still) break;
  }
  return sum;
}

double gt_levenberg_marquardt_minimize(const gt_levenberg_marquardt *problem, double *p, int most_steps) {
  const size_t n = (size_t)problem->parameters;
  if (!n) return problem->sum(problem->owner, p, NULL, NULL);
  double *room = gt_alloc((2 * n * n + 3 * n) * sizeof *room);
  work w = {problem->parameters,     room, room + n * n, room + n * n + n, room + 2 * n * n + n,
            room + 2 * n * n + 2 * n};
  const double sum = descend(problem, &w, p, most_steps);
  free(room);
  return sum;
}

void gt_levenberg_marquardt_deviations(const gt_levenberg_marquardt *problem, const double *p,
                                       double *deviation) {
  const int n = problem->parameters;
  const size_t cells = (size_t)n * (size_t)n;
  double *square = gt_alloc((2 * cells + 2 * (size_t)n + 1) * sizeof *square), *factor = square + cells,
         *side = factor + cells, *scale = side + n;
  problem->sum(problem->owner, p, square, side);
  for (int i = 0; i < n; i++) scale[i] = sqrt(square[i * n + i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const double by = scale[i] * scale[j];
      square[i * n + j] = by > 0 ? square[i * n + j] / by : i == j;
    }
  const bool ok = factorize(square, factor, n, 1e-12); /* the diagonal is 1 */
  for (int i = 0; i < n; i++) {
    double sum = 0;
    memset(side, 0, (size_t)n * sizeof *side);
    side[i] = 1;
    if (ok) solve_lower(factor, n, side, side);
    for (int k = i; k < n; k++) sum += side[k] * side[k];
    deviation[i] = ok && scale[i] > 0 ? sqrt(sum) / scale[i] : INFINITY;
  }
  free(square);
}

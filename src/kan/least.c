#include "kan/least.h"
#include "base/memory.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
  int n;
  double *square, *side, *factor, *step, *next;
} work;

/* Solves (square + damping diagonal) step = -side by Cholesky's factor; false: not positive. */
static bool solve(const work *w, double damping) {
  const int n = w->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = w->square[i * n + j];
      if (i == j) sum += damping * (sum > 0 ? sum : 1);
      for (int k = 0; k < j; k++) sum -= w->factor[i * n + k] * w->factor[j * n + k];
      if (i == j && !(sum > 1e-300)) return false;
      w->factor[i * n + j] = i == j ? sqrt(sum) : sum / w->factor[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    double sum = -w->side[i];
    for (int k = 0; k < i; k++) sum -= w->factor[i * n + k] * w->step[k];
    w->step[i] = sum / w->factor[i * n + i];
  }
  for (int i = n; i-- > 0;) {
    double sum = w->step[i];
    for (int k = i + 1; k < n; k++) sum -= w->factor[k * n + i] * w->step[k];
    w->step[i] = sum / w->factor[i * n + i];
  }
  return true;
}

/* Is what is left of the sum only what rounding makes of it? */
static bool is_still(const work *w, const double *p, double sum, double next) {
  double most = 0;
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(w->step[i]) / (fabs(p[i]) + 1e-6));
  return sum - next <= 1e-10 * sum && most < 1e-7;
}

static double descend(const gt_least *problem, work *w, double *p, int most_steps) {
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

double gt_least_squares(const gt_least *problem, double *p, int most_steps) {
  const size_t n = (size_t)problem->parameters;
  if (!n) return problem->sum(problem->owner, p, NULL, NULL);
  double *room = gt_alloc((2 * n * n + 3 * n) * sizeof *room);
  work w = {problem->parameters,     room, room + n * n, room + n * n + n, room + 2 * n * n + n,
            room + 2 * n * n + 2 * n};
  const double sum = descend(problem, &w, p, most_steps);
  free(room);
  return sum;
}

#include "kan/edge_fit.h"
#include "base/memory.h"
#include "kan/levenberg_marquardt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* GRID_SAMPLES: if there are more samples, the grid uses every n-th, at least this many and less than twice
 * as many. BEST: number of fits that are refined. STEPS: of a refinement. */
enum { GRID_SAMPLES = 150, BEST = 3, STEPS = 60 };

typedef struct search {
  const gt_symbol *symbol;
  const double *x, *y;
  int64_t count;
  double middle, half;   /* center and half width of the range of x */
  double sum, variation; /* sum of y; sum of (y - mean)^2 */
  gt_edge_fit best[BEST];
} search;

/* Linear regression of c and d for given a and b, over every `stride`th sample. Subtracts the first g and the
 * mean of y before summing, against cancellation. g: f(a x + b). g1, y1, gg, gy, yy: sums of g, y, g^2, g y
 * and y^2. */
static gt_edge_fit regress(const search *s, double a, double b, int64_t stride) {
  gt_edge_fit fit = {s->symbol, a, b, 0, 0, -INFINITY};
  double g1 = 0, y1 = 0, gg = 0, gy = 0, yy = 0;
  int64_t n = 0;
  const double shift = s->sum / (double)s->count;
  double g0 = 0;
  for (int64_t k = 0; k < s->count; k += stride, n++) {
    const double u = a * s->x[k] + b, y = s->y[k] - shift;
    if (!gt_symbol_defined(s->symbol, u)) return fit;
    double g = gt_symbol_value(s->symbol, u);
    if (!k) g0 = g;
    g -= g0;
    g1 += g, y1 += y, gg += g * g, gy += g * y, yy += y * y;
  }
  const double count = (double)n, spread = gg - g1 * g1 / count, total = yy - y1 * y1 / count;
  if (!(spread > 1e-14 * gg) || !isfinite(gg)) return fit;
  fit.c = (gy - g1 * y1 / count) / spread;
  fit.d = shift + y1 / count - fit.c * (g1 / count + g0);
  const double residual = total - fit.c * (gy - g1 * y1 / count);
  fit.r2 = total > 0 ? 1 - fmax(residual, 0) / total : -INFINITY;
  return fit;
}

/* Keeps the best fits, sorted by r2. */
static void try(search *s, double a, double b) {
  const int64_t stride = s->count > GRID_SAMPLES ? s->count / GRID_SAMPLES : 1;
  gt_edge_fit fit = regress(s, a, b, stride);
  for (int i = 0; i < BEST; i++)
    if (fit.r2 > s->best[i].r2) {
      const gt_edge_fit worse = s->best[i];
      s->best[i] = fit;
      fit = worse;
    }
}

/* Tries f(factor t + offset), where t is x scaled to [-1, 1]. */
static void try_scaled(search *s, double factor, double offset) {
  const double a = factor / s->half;
  try(s, a, offset - a * s->middle);
}

/* Number k of `count` numbers from low to high with evenly spaced logarithms. */
static double log_spaced(double low, double high, int k, int count) {
  return low * pow(high / low, (double)k / (count - 1));
}

/* Candidates for a and b together. `at`: the t where the argument is zero; for even functions the place is
 * within [-1, 1], and for periodic ones it is replaced by a phase. */
static void try_factors(search *s) {
  enum { FACTORS = 28, PLACES = 25 };
  const bool periodic = s->symbol->kind == GT_SYMBOL_PERIODIC, even = s->symbol->kind == GT_SYMBOL_EVEN;
  for (int w = 0; w < FACTORS; w++) {
    const double factor = log_spaced(0.1, 15, w, FACTORS);
    for (int p = 0; p < PLACES; p++) {
      const double at = -2.5 + 5.0 * p / (PLACES - 1);
      try_scaled(s, factor,
                 periodic ? 3.14159265358979 * p / PLACES
                 : even   ? -factor * at / 2.5
                          : -factor * at);
    }
  }
}

/* Candidates for a where b is redundant. */
static void try_exponents(search *s) {
  enum { FACTORS = 60 };
  for (int w = 0; w < FACTORS; w++)
    for (int sign = -1; sign <= 1; sign += 2) try(s, sign * log_spaced(0.05, 12, w, FACTORS) / s->half, 0);
}

/* Candidates for b where a is redundant except for its sign: the x at which the argument is zero. It is
 * outside the range of x for roots and logarithms, anywhere for others. */
static void try_places(search *s) {
  enum { PLACES = 60 };
  const bool sided = s->symbol->free & GT_SYMBOL_SIGN;
  const double low = s->middle - s->half, high = s->middle + s->half;
  for (int p = 0; p < PLACES; p++) {
    const double distance = s->half * log_spaced(1e-5, 30, p, PLACES);
    try(s, 1, distance - low);
    try(s, sided ? -1 : 1, sided ? distance + high : -distance - high);
    if (!sided) try(s, 1, -(low + 2 * s->half * p / (PLACES - 1)));
  }
  if (sided) try(s, 1, -low), try(s, -1, high);
  if (!sided) try(s, 1, 0);
}

/* --- refinement --- */

typedef struct refinement {
  const search *search;
  gt_edge_fit fit;
} refinement;

/* Lists which of a, b, c, d are fitted, as 0 to 3; returns their number. */
static int free_constants(const gt_symbol *s, int which[4]) {
  int n = 0;
  if (s->free & GT_SYMBOL_A) which[n++] = 0;
  if (s->free & GT_SYMBOL_B) which[n++] = 1;
  which[n++] = 2;
  which[n++] = 3;
  return n;
}

static double sum_of_squares(void *context, const double *p, double *jtj, double *jtr) {
  const refinement *r = context;
  const search *s = r->search;
  double value[4] = {r->fit.a, r->fit.b, r->fit.c, r->fit.d}, sum = 0;
  int which[4];
  const int n = free_constants(s->symbol, which);
  for (int i = 0; i < n; i++) value[which[i]] = p[i];
  for (int64_t k = 0; k < s->count; k++) {
    const double u = value[0] * s->x[k] + value[1];
    if (!gt_symbol_defined(s->symbol, u)) return INFINITY;
    const double g = gt_symbol_value(s->symbol, u), residual = value[2] * g + value[3] - s->y[k];
    sum += residual * residual;
    if (!jtj) continue;
    const double slope = value[2] * gt_symbol_slope(s->symbol, u);
    const double gradient[4] = {slope * s->x[k], slope, g, 1};
    for (int i = 0; i < n; i++) {
      jtr[i] += gradient[which[i]] * residual;
      for (int j = 0; j <= i; j++) jtj[i * n + j] += gradient[which[i]] * gradient[which[j]];
    }
  }
  return isfinite(sum) ? sum : INFINITY;
}

static gt_edge_fit refine(const search *s, gt_edge_fit start) {
  refinement r = {s, regress(s, start.a, start.b, 1)};
  double *value[4] = {&r.fit.a, &r.fit.b, &r.fit.c, &r.fit.d}, p[4];
  int which[4];
  const int n = free_constants(s->symbol, which);
  const double before = r.fit.r2;
  if (!isfinite(before)) return r.fit;
  for (int i = 0; i < n; i++) p[i] = *value[which[i]];
  const double sum =
      gt_levenberg_marquardt_minimize(&(gt_levenberg_marquardt){n, &r, sum_of_squares}, p, STEPS);
  for (int i = 0; i < n; i++) *value[which[i]] = p[i];
  r.fit.r2 = 1 - sum / s->variation;
  return r.fit;
}

static void measure(search *s) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t k = 0; k < s->count; k++) {
    low = fmin(low, s->x[k]), high = fmax(high, s->x[k]);
    s->sum += s->y[k];
  }
  const double mean = s->sum / (double)s->count;
  for (int64_t k = 0; k < s->count; k++) s->variation += (s->y[k] - mean) * (s->y[k] - mean);
  s->middle = 0.5 * (low + high);
  s->half = fmax(0.5 * (high - low), 1e-12);
}

gt_edge_fit gt_edge_fit_find(const gt_symbol *symbol, const double *x, const double *y, int64_t count) {
  search s = {.symbol = symbol, .x = x, .y = y, .count = count};
  measure(&s);
  for (int i = 0; i < BEST; i++) s.best[i] = (gt_edge_fit){symbol, 1, 0, 0, 0, -INFINITY};
  if (!(s.variation > 0)) return s.best[0];
  if (!symbol->free)
    try(&s, 1, 0);
  else if ((symbol->free & GT_SYMBOL_A) && (symbol->free & GT_SYMBOL_B))
    try_factors(&s);
  else if (symbol->free & GT_SYMBOL_A)
    try_exponents(&s);
  else
    try_places(&s);
  gt_edge_fit best = {symbol, 1, 0, 0, 0, -INFINITY};
  for (int i = 0; i < BEST; i++) {
    if (!isfinite(s.best[i].r2)) continue;
    const gt_edge_fit fit = refine(&s, s.best[i]);
    if (fit.r2 > best.r2) best = fit;
  }
  return best;
}

static double cost_of(const gt_edge_fit *fit) {
  return isfinite(fit->r2) ? fit->symbol->complexity + log2(1 - fmin(fit->r2, 1) + 1e-9) : INFINITY;
}

int gt_edge_fit_compare(const void *a, const void *b) {
  const double x = cost_of(a), y = cost_of(b);
  return (x > y) - (x < y);
}

#include "layer/kan/spline.h"
#include "base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double gt_spline(uint32_t degree, double v) {
  double n[GT_SPLINE_MAX_DEGREE + 1]; /* N_d(v - j) */
  assert(degree <= GT_SPLINE_MAX_DEGREE);
  for (uint32_t j = 0; j <= degree; j++) n[j] = v >= j && v < j + 1 ? 1 : 0;
  for (uint32_t d = 1; d <= degree; d++)
    for (uint32_t j = 0; j + d <= degree; j++) n[j] = ((v - j) * n[j] + (d + 1 - (v - j)) * n[j + 1]) / d;
  return n[0];
}

void gt_splines(const double *knot, uint32_t knots, uint32_t degree, double x, double *value) {
  const uint32_t count = knots - degree - 1;
  double near[GT_SPLINE_MAX_DEGREE + 1] = {0}; /* the `degree` + 1 splines that are not 0 in x's cell */
  uint32_t cell = 0;
  assert(degree <= GT_SPLINE_MAX_DEGREE);
  memset(value, 0, sizeof *value * count);
  while (cell + 1 < knots && !(x >= knot[cell] && x < knot[cell + 1])) cell++;
  if (cell + 1 == knots) return;
  near[degree] = 1; /* near[j] is spline cell - degree + j */
  for (uint32_t d = 1; d <= degree; d++)
    for (uint32_t j = degree - d; j <= degree; j++) {
      const int64_t i = (int64_t)cell - degree + j;
      double sum = 0;
      if (i >= 0 && i + d < knots && knot[i + d] > knot[i])
        sum += (x - knot[i]) / (knot[i + d] - knot[i]) * near[j];
      if (j < degree && i + 1 >= 0 && i + d + 1 < knots && knot[i + d + 1] > knot[i + 1])
        sum += (knot[i + d + 1] - x) / (knot[i + d + 1] - knot[i + 1]) * near[j + 1];
      near[j] = sum;
    }
  for (uint32_t j = 0; j <= degree; j++) {
    const int64_t i = (int64_t)cell - degree + j;
    if (i >= 0 && i < count) value[i] = near[j];
  }
}

/* The nonzero part of the lower half of a symmetric band matrix (a band, because splines overlap only their
 * neighbors): row i is 0 before first[i], column i after last[i]. Its Cholesky factor has the same profile
 * (George and Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981, chapter 4). */
typedef struct profile {
  uint32_t *first, *last; /* [n] */
} profile;

static profile profile_of(const double *s, uint32_t n) {
  profile p = {.first = gt_alloc(2 * n * sizeof *p.first)};
  p.last = p.first + n;
  for (uint32_t i = 0; i < n; i++) {
    while (p.first[i] < i && s[i * n + p.first[i]] == 0) p.first[i]++;
    for (uint32_t j = p.first[i]; j <= i; j++) p.last[j] = i;
  }
  return p;
}

/* Replaces the lower half of s [n, n] by its Cholesky factor. A pivot within rounding errors of 0, relative
 * to the largest diagonal element, is set to 0. */
static void factorize(double *s, uint32_t n, const profile *p) {
  double largest = 0;
  for (uint32_t i = 0; i < n; i++) largest = fmax(largest, s[i * n + i]);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = p->first[i]; j <= i; j++) {
      double sum = s[i * n + j];
      for (uint32_t k = p->first[i] > p->first[j] ? p->first[i] : p->first[j]; k < j; k++)
        sum -= s[i * n + k] * s[j * n + k];
      if (i == j)
        s[i * n + i] = sum > 1e-13 * largest ? sqrt(sum) : 0;
      else
        s[i * n + j] = s[j * n + j] > 0 ? sum / s[j * n + j] : 0;
    }
  }
}

static void subtract(double *from, double times, const double *row, uint32_t count) {
  for (uint32_t c = 0; c < count; c++) from[c] -= times * row[c];
}

static void divide(double *row, double by, uint32_t count) {
  for (uint32_t c = 0; c < count; c++) row[c] = by > 0 ? row[c] / by : 0;
}

/* Solves s x = b for each of `count` right-hand sides b [n, count], in place; s [n, n] is symmetric and
 * positive semidefinite, and is overwritten by its Cholesky factor. Unknowns with a singular pivot are set to
 * 0; LAPACK's dpbsv would fail. */
static void solve(double *s, uint32_t n, double *b, uint32_t count) {
  const profile p = profile_of(s, n);
  factorize(s, n, &p);
  for (uint32_t i = 0; i < n; i++) {
    double *row = b + (size_t)i * count;
    for (uint32_t k = p.first[i]; k < i; k++) subtract(row, s[i * n + k], b + (size_t)k * count, count);
    divide(row, s[i * n + i], count);
  }
  for (uint32_t i = n; i-- > 0;) {
    double *row = b + (size_t)i * count;
    for (uint32_t k = i + 1; k <= p.last[i]; k++) subtract(row, s[k * n + i], b + (size_t)k * count, count);
    divide(row, s[i * n + i], count);
  }
  free(p.first);
}

/* out [n, n] = the sum of v vᵀ over `count` vectors v [n] at a, a + step, …, whose elements are `stride`
 * apart. Most values of splines are zero, and are skipped. */
static void gram_matrix(const double *a, uint32_t count, uint32_t step, uint32_t n, uint32_t stride,
                        double *out) {
  memset(out, 0, sizeof *out * n * n);
  for (uint32_t k = 0; k < count; k++, a += step)
    for (uint32_t i = 0; i < n; i++) {
      const double left = a[(size_t)i * stride];
      for (uint32_t j = 0; left != 0 && j < n; j++) out[i * n + j] += left * a[(size_t)j * stride];
    }
}

void gt_pseudo_inverse(const double *a, uint32_t rows, uint32_t columns, double *inverse) {
  const bool tall = rows > columns;
  const uint32_t n = tall ? columns : rows;
  double *s = gt_alloc(sizeof *s * n * n), *right_side = gt_alloc(sizeof *right_side * rows * columns);
  if (tall)
    gram_matrix(a, rows, columns, n, 1, s);
  else
    gram_matrix(a, columns, 1, n, columns, s);
  /* Tall: (aᵀ a)⁻¹ aᵀ. Wide: ((a aᵀ)⁻¹ a)ᵀ, because a aᵀ is symmetric. */
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < columns; j++)
      right_side[tall ? j * rows + i : i * columns + j] = a[i * columns + j];
  solve(s, n, right_side, tall ? rows : columns);
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t j = 0; j < columns; j++)
      inverse[j * rows + i] = right_side[tall ? j * rows + i : i * columns + j];
  free(s);
  free(right_side);
}

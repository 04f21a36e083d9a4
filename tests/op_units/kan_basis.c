/* Basis functions of KAN layers on the CPU, and their three derivatives, against independent formulas in
 * double: B-splines of every degree against de Boor's recursion, on a uniform grid and on unequal knots,
 * inside the grid, on its knots, at its ends and outside; Chebyshev polynomials against cos(n acos x). */
#include "layer/kan/spline.h"
#include "op/kan/basis.h"
#include "op/kan/kan.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_KNOTS = 64, GRID = 8 };

/* Function `term` of an attribute at x, as the CPU kernels compute it, or its derivative of this order;
 * knot_rows: the knots, or NULL. */
static double evaluate(gt_kan_attribute a, uint32_t order, uint32_t term, float x, const float *knot_rows) {
  uint32_t geometry[GT_BASIS_WORDS], spec[GT_FACTOR_SPEC_END] = {0};
  float value;
  a.block = 1;
  a.order = order;
  gt_basis_geometry(&a, 1, 1, 1, geometry, spec + GT_FACTOR_SPEC_OWN);
  gt_basis_fill(geometry, spec, term, &x, knot_rows, 1, 1, &value);
  return (double)value;
}

/* The spline over knots t_0 … t_{degree+1} at x, or its derivative of this order, by de Boor's recursion. */
static double de_boor(const double *t, uint32_t degree, uint32_t order, double x) {
  if (order > degree) return 0;
  if (!degree) return x >= t[0] && x < t[1] ? 1 : 0;
  const double left = t[degree] - t[0], right = t[degree + 1] - t[1], lower = order ? order - 1 : 0;
  const double a = left > 0 ? de_boor(t, degree - 1, (uint32_t)lower, x) / left : 0;
  const double b = right > 0 ? de_boor(t + 1, degree - 1, (uint32_t)lower, x) / right : 0;
  return order ? degree * (a - b) : (x - t[0]) * a + (t[degree + 1] - x) * b;
}

/* Writes test points and returns their number: inside cells, on all knots, and a little and far outside the
 * grid. */
static int write_points(const double *knot, uint32_t knots, float *x) {
  int count = 0;
  for (uint32_t k = 0; k < knots; k++) {
    x[count++] = (float)knot[k];
    for (int part = 1; part < 4 && k + 1 < knots; part++)
      x[count++] = (float)(knot[k] + (knot[k + 1] - knot[k]) * (0.31 * part));
  }
  x[count++] = (float)(knot[0] - 0.25);
  x[count++] = (float)(knot[0] - 100);
  x[count++] = (float)(knot[knots - 1] + 0.25);
  x[count++] = (float)(knot[knots - 1] + 1e6);
  return count;
}

/* Compares all splines and their derivatives with de_boor. An error in float is relative to the possible size
 * of a derivative, about (2 degree / cell)^order. */
static void compare(gt_kan_attribute a, const double *knot, const float *knot_rows, double cell) {
  float x[5 * MAX_KNOTS];
  const uint32_t knots = a.terms + a.degree + 1;
  const int points = write_points(knot, knots, x);
  for (uint32_t order = 0; order <= GT_BASIS_MOST_ORDER; order++)
    for (uint32_t t = 0; t < a.terms; t++)
      for (int p = 0; p < points; p++) {
        const double want = de_boor(knot + t, a.degree, order, (double)x[p]);
        const double got = evaluate(a, order, t, x[p], knot_rows);
        /* Rounding of the position in the cell: a few 2^-24 of the derivative of the next order. */
        const double tolerance = 4e-6 * pow(2 * (order ? a.degree : 1) / cell, order);
        if (!(fabs(got - want) <= tolerance))
          fail_msg("degree %u, order %u, spline %u at %.9g: %.9g, not %.9g", a.degree, order, t, (double)x[p],
                   got, want);
      }
}

/* The cell size is a power of two: knots are floats, and rounding does not change the cell of a point. */
static void splines_on_a_grid(void **state) {
  (void)state;
  for (uint32_t degree = 0; degree <= GT_BASIS_MOST_DEGREE; degree++) {
    double knot[MAX_KNOTS];
    const double low = -1, cell = 0.25;
    for (uint32_t k = 0; k < GRID + 2 * degree + 1; k++) knot[k] = low + ((double)k - degree) * cell;
    compare(gt_kan_bspline(low, low + GRID * cell, GRID, degree), knot, NULL, cell);
  }
}

static void splines_over_knots(void **state) {
  (void)state;
  for (uint32_t degree = 0; degree <= GT_BASIS_MOST_DEGREE; degree++) {
    double knot[MAX_KNOTS], narrowest = 1;
    float knot_rows[MAX_KNOTS];
    for (uint32_t k = 0; k < GRID + 2 * degree + 1; k++) {
      knot_rows[k] = (float)(-1 + 0.25 * ((double)k - degree) + 0.09 * sin(1 + 3.0 * k));
      knot[k] = (double)knot_rows[k];
      if (k && knot[k] - knot[k - 1] < narrowest) narrowest = knot[k] - knot[k - 1];
    }
    compare(gt_kan_knots(GRID, degree), knot, knot_rows, narrowest);
  }
}

/* gt_splines, also with coinciding knots, and at points without a knot on the left or right. */
static void splines_on_the_host(void **state) {
  (void)state;
  for (uint32_t degree = 0; degree <= 5; degree++) {
    double knot[MAX_KNOTS], value[MAX_KNOTS];
    float x[5 * MAX_KNOTS];
    const uint32_t knots = GRID + 2 * degree + 1;
    for (uint32_t k = 0; k < knots; k++) knot[k] = 0.1 * k + (k > 4 ? -0.1 : 0);
    const int points = write_points(knot, knots, x);
    for (int p = 0; p < points; p++) {
      gt_splines(knot, knots, degree, (double)x[p], value);
      for (uint32_t t = 0; t < GRID + degree; t++)
        assert_true(fabs(value[t] - de_boor(knot + t, degree, 0, (double)x[p])) < 1e-13);
    }
  }
}

/* T_n = cos(n a), T_n' = n sin(n a) / sin a, T_n'' = (n sin(n a) cos a / sin a - n² cos(n a)) / sin² a, a =
 * acos x. */
static void chebyshev_is_a_cosine(void **state) {
  (void)state;
  for (uint32_t n = 0; n <= 12; n++)
    for (double at = -0.98; at < 1; at += 0.07) {
      const float x = (float)at;
      const double a = acos((double)x), s = sin(a), k = n;
      const double want[] = {cos(k * a), k * sin(k * a) / s,
                             (k * sin(k * a) * cos(a) / s - k * k * cos(k * a)) / (s * s)};
      for (uint32_t order = 0; order <= 2; order++) {
        const double got = evaluate(gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 12, 0, 0), order, n, x, NULL);
        const double large = order == 0 ? 1 : order == 1 ? k * k : k * k * (k * k - 1) / 3; /* at an end */
        if (fabs(got - want[order]) > 4e-6 * (1 + large))
          fail_msg("T_%u, order %u at %.9g: %.9g, not %.9g", n, order, (double)x, got, want[order]);
      }
    }
}

/* gt_basis_peak is an upper bound, and not much too large, however far outside the grid the inputs are. (The
 * bound of polynomials on a part of [-1, 1] is that on the whole interval.) */
static void peaks_are_upper_bounds(void **state) {
  (void)state;
  static const double limits[] = {0.25, 1, 1.5, 4, 20};
  const gt_kan_attribute bases[] = {gt_kan_bspline(-1, 1, GRID, 3),
                                    gt_kan_piecewise_linear(-1, 1, GRID),
                                    gt_kan_piecewise_linear(0, 1, GRID),
                                    gt_kan_bumps(GT_BASIS_RBF, -1, 1, GRID, 0),
                                    gt_kan_bumps(GT_BASIS_RSWAF, -1, 1, GRID, 0),
                                    gt_kan_bumps(GT_BASIS_WAVELET, -1, 1, GRID, 0),
                                    gt_kan_bumps(GT_BASIS_SINC, -1, 1, GRID, 0),
                                    gt_kan_waves(GRID),
                                    gt_kan_polynomials(GT_BASIS_CHEBYSHEV, 9, 0, 0),
                                    gt_kan_polynomials(GT_BASIS_LEGENDRE, 9, 0, 0),
                                    gt_kan_polynomials(GT_BASIS_HERMITE, 9, 0, 0),
                                    gt_kan_polynomials(GT_BASIS_JACOBI, 9, 1, -0.5),
                                    gt_kan_polynomials(GT_BASIS_JACOBI, 9, -0.75, 2),
                                    gt_kan_polynomials(GT_BASIS_JACOBI, 9, -0.9, -0.6)};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
      gt_kan_attribute a = bases[b];
      double largest = 0, bound = 0;
      a.base = 1;
      for (uint32_t term = 0; term <= a.terms; term++) {
        const double peak = (double)gt_basis_peak(&a, term, limits[l]);
        if (peak > bound) bound = peak;
        for (int i = -200; i <= 200; i++) {
          const double value = fabs(evaluate(a, 0, term, (float)(limits[l] * i / 200), NULL));
          if (value > largest) largest = value;
          if (value > peak * (1 + 1e-5))
            fail_msg("basis %u, function %u within %g: %.9g, more than %.9g", a.basis, term, limits[l], value,
                     peak);
        }
      }
      if (bound > (limits[l] < 1 ? 64 : 16) * largest)
        fail_msg("basis %u within %g: largest value %.9g, bound %.9g", a.basis, limits[l], largest, bound);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splines_on_a_grid),      cmocka_unit_test(splines_over_knots),
      cmocka_unit_test(splines_on_the_host),    cmocka_unit_test(chebyshev_is_a_cosine),
      cmocka_unit_test(peaks_are_upper_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

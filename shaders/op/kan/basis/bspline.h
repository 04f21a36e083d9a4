/* B-splines on a uniform grid: Liu et al., "KAN: Kolmogorov-Arnold Networks", 2024; the grid is extended as in
 * efficient-kan (Blealtan, 2024). On G cells over [low, high], h = (high - low) / G, there are G + p splines of degree
 * p = GT_DEGREE, on the knots low + (i - p) h, i = 0 … G + 2 p:
 *   B_i(x) = N_p((x - low) / h + p - i),  N_0(v) = 1 for 0 <= v < 1, else 0,
 *   N_d(v) = (v N_{d-1}(v) + (d + 1 - v) N_{d-1}(v - 1)) / d      (de Boor, "On Calculating with B-Splines", 1972),
 *   N_d'(v) = N_{d-1}(v) - N_{d-1}(v - 1).
 * Outside the extended knots all are 0. All functions use the same cell for x, so that they add up to 1 whatever the
 * rounding.
 *
 * On GPUs cubic splines are computed without the cell. Their values and first two derivatives are continuous, so if u
 * is rounded to the other side of a knot, the error is no larger than a rounding error. */
#define GT_BSPLINE_MOST 9u /* the largest degree */
/* For cubic splines: the position relative to the middle of the spline's support, in cells. */
#ifdef GL_core_profile
#define GT_FROM_MIDDLE(t, piece) (u - (GT_NUMBER(term) - 1.0f))
#else
#define GT_FROM_MIDDLE(t, piece) ((t) + ((piece)-2.0f))
#endif

GT_BASIS(gt_basis_bspline) {
  REAL cell = GT_FLOOR(u), t = u - cell, piece = cell + (GT_NUMBER(GT_DEGREE) - GT_NUMBER(term));
  REAL y = GT_EACH(0.0f);
  if (GT_DEGREE == 3u && GT_ORDER < 3u) {
    REAL w = GT_FROM_MIDDLE(t, piece), a = GT_ABS(w), r = GT_PICK(GT_BELOW(2.0f, a), 0.0f, 2.0f - a);
    if (GT_ORDER == 0u)
      y = GT_PICK(GT_BELOW(a, 1.0f), (0.5f * a - 1.0f) * a * a + 0.666666667f, r * r * r * 0.166666667f);
    if (GT_ORDER == 1u) y = GT_PICK(GT_BELOW(a, 1.0f), (1.5f * a - 2.0f) * w, -GT_SIGNED(r * r * 0.5f, w));
    if (GT_ORDER == 2u) y = GT_PICK(GT_BELOW(a, 1.0f), 3.0f * a - 2.0f, r);
  } else if (GT_ORDER < GT_DEGREE) {
    /* The sum of truncated powers, from the nearer end of the support: it has few terms there and little
     * cancellation. */
    uint power = GT_DEGREE - GT_ORDER;
    float end = GT_NUMBER(GT_DEGREE + 1u), mirror_sign = GT_ORDER % 2u == 1u ? -1.0f : 1.0f, factor = 1.0f;
    REAL v = t + piece, other = end - v, near = GT_PICK(GT_BELOW(other, v), other, v);
    for (uint k = 0u; 2u * k <= GT_DEGREE; k++) {
      REAL x = near - GT_NUMBER(k), each = GT_PICK(GT_BELOW(x, 0.0f), 0.0f, x), product = each * factor;
      for (uint i = 1u; i < power; i++) product = product * each / GT_NUMBER(i + 1u);
      y = y + product;
      factor = -factor * (GT_NUMBER(GT_DEGREE) + 1.0f - GT_NUMBER(k)) / GT_NUMBER(k + 1u);
    }
    y = GT_PICK(GT_BELOW(other, v), mirror_sign * y, y);
  } else if (GT_ORDER == GT_DEGREE) {
    /* This derivative is an integer, constant in each cell. */
    float factor = 1.0f;
    for (uint k = 0u; k <= GT_DEGREE; k++) {
      y = y + GT_PICK(GT_SAME(piece, GT_NUMBER(k)), factor, 0.0f);
      factor = -factor * (GT_NUMBER(GT_DEGREE) - GT_NUMBER(k)) / GT_NUMBER(k + 1u);
    }
  }
  return y;
}
/* The splines are not negative and add up to 1. */
GT_BASIS_PEAK(gt_basis_bspline_peak) { return GT_EACH(1.0f); }

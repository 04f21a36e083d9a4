/* B-splines over any knots t_0 <= t_1 <= … (de Boor, "On Calculating with B-Splines", 1972; Cox, 1972), which may differ
 * from input to input, as grids that follow the data do (pykan's update_grid):
 *   B_{i,0}(x) = 1 for t_i <= x < t_{i+1}, else 0,
 *   B_{i,d}(x) = (x - t_i) / (t_{i+d} - t_i) B_{i,d-1}(x) + (t_{i+d+1} - x) / (t_{i+d+1} - t_{i+1}) B_{i+1,d-1}(x),
 *   B'_{i,d}(x) = d (B_{i,d-1}(x) / (t_{i+d} - t_i) - B_{i+1,d-1}(x) / (t_{i+d+1} - t_{i+1})),
 * where a quotient by nothing is 0. GT_KNOT(j) is t_{term + j} of the input;
 * GT_MOST_DEGREE, where loops end that are to be unrolled. A derivative of some order takes its last
 * levels by the third line. */
GT_KNOTS(gt_basis_knots) {
  REAL t[GT_BSPLINE_MOST + 2u], n[GT_BSPLINE_MOST + 1u];
  GT_UNROLLED for (uint j = 0u; j < GT_BSPLINE_MOST + 2u; j++) {
    t[j] = GT_EACH(0.0f);
    if (j < GT_DEGREE + 2u) t[j] = GT_KNOT(j);
  }
  GT_UNROLLED for (uint j = 0u; j < GT_BSPLINE_MOST + 1u; j++) {
    n[j] = GT_EACH(0.0f);
    if (j <= GT_DEGREE) n[j] = GT_PICK(GT_BELOW(x, t[j]), 0.0f, GT_PICK(GT_BELOW(x, t[j + 1u]), 1.0f, 0.0f));
  }
  GT_UNROLLED for (uint d = 1u; d < GT_MOST_DEGREE + 1u; d++) {
    if (d <= GT_DEGREE) {
      GT_UNROLLED for (uint j = 0u; j + d < GT_MOST_DEGREE + 1u; j++) {
        if (j + d <= GT_DEGREE) {
          REAL left = t[j + d] - t[j], right = t[j + d + 1u] - t[j + 1u];
          left = GT_PICK(GT_BELOW(0.0f, left), n[j] / left, 0.0f);
          right = GT_PICK(GT_BELOW(0.0f, right), n[j + 1u] / right, 0.0f);
          if (d + GT_ORDER <= GT_DEGREE) n[j] = (x - t[j]) * left + (t[j + d + 1u] - x) * right;
          else n[j] = GT_NUMBER(d) * (left - right);
        }
      }
    }
  }
  return GT_ORDER <= GT_DEGREE ? n[0] : GT_EACH(0.0f);
}

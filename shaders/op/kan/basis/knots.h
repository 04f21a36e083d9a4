/* B-splines over any knots t_0 <= t_1 <= … (de Boor, "On Calculating with B-Splines", 1972; Cox, 1972). The knots may
 * differ between inputs, as in grids that follow the data (pykan's update_grid):
 *   B_{i,0}(x) = 1 for t_i <= x < t_{i+1}, else 0,
 *   B_{i,d}(x) = (x - t_i) / (t_{i+d} - t_i) B_{i,d-1}(x) + (t_{i+d+1} - x) / (t_{i+d+1} - t_{i+1}) B_{i+1,d-1}(x),
 *   B'_{i,d}(x) = d (B_{i,d-1}(x) / (t_{i+d} - t_i) - B_{i+1,d-1}(x) / (t_{i+d+1} - t_{i+1})),
 * where a quotient with denominator 0 is 0. For a derivative of order r the last r levels use the third formula. (The C
 * version, src/op/kan/basis.c, processes many values at once.) */
#ifdef GL_core_profile
/* The spline whose first knots are at from.at[behind], for four neighboring inputs, of which left_ exist. */
vec4 gt_basis_knots(vec4 x, GT_FLOATS from, uint behind, int left_) {
  vec4 t[GT_BSPLINE_MOST + 2u], n[GT_BSPLINE_MOST + 1u];
  [[unroll]] for (uint j = 0u; j < GT_BSPLINE_MOST + 2u; j++) {
    t[j] = GT_EACH(0.0);
    if (j < GT_DEGREE + 2u) t[j] = basis_behind(from, behind, j, left_);
  }
  [[unroll]] for (uint j = 0u; j < GT_BSPLINE_MOST + 1u; j++) {
    n[j] = GT_EACH(0.0);
    if (j <= GT_DEGREE) n[j] = GT_PICK(GT_BELOW(x, t[j]), 0.0, GT_PICK(GT_BELOW(x, t[j + 1u]), 1.0, 0.0));
  }
  [[unroll]] for (uint d = 1u; d < GT_BSPLINE_MOST + 1u; d++) {
    if (d <= GT_DEGREE) {
      [[unroll]] for (uint j = 0u; j + d < GT_BSPLINE_MOST + 1u; j++) {
        if (j + d <= GT_DEGREE) {
          vec4 left = t[j + d] - t[j], right = t[j + d + 1u] - t[j + 1u];
          left = GT_PICK(GT_BELOW(0.0, left), n[j] / left, 0.0);
          right = GT_PICK(GT_BELOW(0.0, right), n[j + 1u] / right, 0.0);
          if (d + GT_ORDER <= GT_DEGREE) n[j] = (x - t[j]) * left + (t[j + d + 1u] - x) * right;
          else n[j] = GT_NUMBER(d) * (left - right);
        }
      }
    }
  }
  return GT_ORDER <= GT_DEGREE ? n[0] : GT_EACH(0.0);
}
#endif

/* Reflectional switch activation functions on a grid (FasterKAN: Delis, 2024): B_i(x) = 1 - tanh^2((x - c_i) / w), with
 * centers c_i, u and GT_FIRST as in rbf.h. */
GT_BASIS(gt_basis_rswaf) {
  REAL t = GT_TANH((u - GT_NUMBER(term)) * GT_FIRST), y = 1.0f - t * t;
  if (GT_ORDER == 1u) y = y * t * (-2.0f * GT_FIRST);
  if (GT_ORDER == 2u) y = y * (6.0f * t * t - 2.0f) * (GT_FIRST * GT_FIRST);
  if (GT_ORDER == 3u) y = y * t * (16.0f - 24.0f * t * t) * (GT_FIRST * GT_FIRST * GT_FIRST);
  return y;
}
GT_BASIS_PEAK(gt_basis_rswaf_peak) { return GT_EACH(1.0f); }

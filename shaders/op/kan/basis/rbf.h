/* Gaussians on a grid: Li, "Kolmogorov-Arnold Networks are Radial Basis Function Networks" (FastKAN), 2024.
 * Centers c_i = low + i h, i = 0 … G - 1, h = (high - low) / (G - 1): B_i(x) = exp(-((x - c_i) / w)^2).
 * u = (x - low) / h; GT_FIRST is h / w, 1 by default. */
GT_BASIS(gt_basis_rbf) {
  REAL v = (u - GT_NUMBER(term)) * GT_FIRST, y = GT_DECAY(v * v);
  if (GT_ORDER == 1u) y = y * v * (-2.0f * GT_FIRST);
  if (GT_ORDER == 2u) y = y * (4.0f * v * v - 2.0f) * (GT_FIRST * GT_FIRST);
  if (GT_ORDER == 3u) y = y * v * (12.0f - 8.0f * v * v) * (GT_FIRST * GT_FIRST * GT_FIRST);
  return y;
}
GT_BASIS_PEAK(gt_basis_rbf_peak) { return GT_EACH(1.0f); }

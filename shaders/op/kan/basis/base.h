/* The base branch of a KAN (Liu et al., 2024): silu(x) = x s, s = 1 / (1 + exp(-x)), and its derivatives
 * s (1 + x (1 - s)), q (2 + x (1 - 2 s)) and q (3 (1 - 2 s) + x (1 - 6 q)), q = s (1 - s). Here u is x. */
GT_BASIS(gt_basis_base) {
  REAL s = GT_SIGMOID(u), y = u * s;
  if (GT_ORDER == 1u) y = s * (1.0f + u * (1.0f - s));
  if (GT_ORDER == 2u) y = s * (1.0f - s) * (2.0f + u * (1.0f - 2.0f * s));
  if (GT_ORDER == 3u) y = s * (1.0f - s) * (3.0f * (1.0f - 2.0f * s) + u * (1.0f - 6.0f * s * (1.0f - s)));
  return y;
}
/* |silu(x)| <= |x|. */
GT_BASIS_PEAK(gt_basis_base_peak) { return GT_LARGER(-least, most); }

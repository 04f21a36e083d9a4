/* Mexican hat wavelets on a grid, after Bozorgasl and Chen, "Wav-KAN", 2024 (whose wavelets have a learned center and
 * width per edge): B_i(x) = 2 / (sqrt(3) pi^(1/4)) (v^2 - 1) exp(-v^2 / 2), v = (x - c_i) / w, with centers c_i, u and
 * GT_FIRST as in rbf.h. */
GT_BASIS(gt_basis_wavelet) {
  REAL v = (u - GT_NUMBER(term)) * GT_FIRST, z = v * v, y = 0.867325071f * GT_DECAY(0.5f * z);
  if (GT_ORDER == 0u) y = y * (z - 1.0f);
  if (GT_ORDER == 1u) y = y * v * (3.0f - z) * GT_FIRST;
  if (GT_ORDER == 2u) y = y * ((z - 6.0f) * z + 3.0f) * (GT_FIRST * GT_FIRST);
  if (GT_ORDER == 3u) y = y * v * ((10.0f - z) * z - 15.0f) * (GT_FIRST * GT_FIRST * GT_FIRST);
  return y;
}
/* The maximum of |B| is 0.867, at the center. */
GT_BASIS_PEAK(gt_basis_wavelet_peak) { return GT_EACH(1.0f); }

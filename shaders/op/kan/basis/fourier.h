/* Cosines and sines (FourierKAN: Liu, 2024): cos(k u) for k = 1 … GT_TERMS / 2, then sin(k u) for the same k. */
GT_BASIS(gt_basis_fourier) {
  uint pairs = GT_TERMS / 2u, is_sine = GT_UINT(term >= pairs), number = term + 1u - is_sine * pairs;
  float k = GT_NUMBER(number), scale = 1.0f;
  if (GT_ORDER >= 1u) scale = scale * k;
  if (GT_ORDER >= 2u) scale = scale * k;
  if (GT_ORDER >= 3u) scale = scale * k;
  return scale * GT_COSINE(k * u, GT_ORDER + 3u * is_sine);
}
GT_BASIS_PEAK(gt_basis_fourier_peak) { return GT_EACH(1.0f); }

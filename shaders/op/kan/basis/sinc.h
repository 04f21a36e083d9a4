/* Sinc functions on a grid: Yu et al., "Sinc Kolmogorov-Arnold Network", 2024, here with a single step h. Centers
 * c_i = low + i h, i = 0 … G - 1, h = (high - low) / (G - 1): B_i(x) = sin(v) / v, v = pi (x - c_i) / h.
 * For |v| < 1, where the formulas would cancel, a power series is used. */
GT_BASIS(gt_basis_sinc) {
  REAL v = 3.14159265f * (u - GT_NUMBER(term)), z = v * v;
  REAL far = GT_PICK(GT_BELOW(z, 1.0f), 1.0f, v), value = GT_COSINE(far, 3u) / far;
  REAL slope = (GT_COSINE(far, 0u) - value) / far, y = value, near = y;
  if (GT_ORDER == 0u)
    near = (((z * 2.75573192e-6f - 1.98412698e-4f) * z + 8.33333333e-3f) * z - 0.166666667f) * z + 1.0f;
  if (GT_ORDER == 1u) {
    near = ((((z * -2.50521084e-7f + 2.20458554e-5f) * z - 1.19047619e-3f) * z + 3.33333333e-2f) * z - 0.333333333f) *
           (3.14159265f * v);
    y = 3.14159265f * slope;
  }
  if (GT_ORDER == 2u) {
    near = ((((z * -2.25468975e-6f + 1.54320988e-4f) * z - 5.95238095e-3f) * z + 0.1f) * z - 0.333333333f) *
           9.86960440f;
    y = -9.86960440f * (value + 2.0f * slope / far);
  }
  if (GT_ORDER == 3u) {
    near = ((((z * 2.11979535e-7f - 1.80375180e-5f) * z + 9.25925926e-4f) * z - 2.38095238e-2f) * z + 0.2f) *
           (31.0062767f * v);
    y = 31.0062767f * (2.0f * (value + 3.0f * slope / far) / far - slope);
  }
  return GT_PICK(GT_BELOW(z, 1.0f), near, y);
}
GT_BASIS_PEAK(gt_basis_sinc_peak) { return GT_EACH(1.0f); }

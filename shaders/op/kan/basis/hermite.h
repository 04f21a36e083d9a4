/* Hermite polynomials as in physics: H_{n+1} = 2 u H_n - 2 n H_{n-1}. */
GT_POLYNOMIAL(gt_basis_hermite, 2.0f, 0.0f, 2.0f * GT_NUMBER(n))
/* The smaller of two bounds: the recurrence with all terms positive, M_{n+1} = 2 |u| M_n + 2 n M_{n-1}, which is good
 * for large |u|, and 1.0865 sqrt(2^n n!) exp(u^2 / 2) (Abramowitz and Stegun, 22.14.17), which is good near 0. */
GT_BASIS_PEAK(gt_basis_hermite_peak) {
  REAL u = GT_LARGER(-least, most), last = GT_EACH(0.0f), now = GT_EACH(1.0f), near = 1.0865f * GT_EXP(0.5f * u * u);
  for (uint n = 0u; n < term; n++) {
    REAL next = 2.0f * u * now + 2.0f * GT_NUMBER(n) * last;
    last = now;
    now = next;
    near = near * GT_ROOT(2.0f * GT_NUMBER(n) + 2.0f);
  }
  return GT_SMALLER(now, near);
}

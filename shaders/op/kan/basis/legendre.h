/* Legendre polynomials: (n + 1) P_{n+1} = (2 n + 1) u P_n - n P_{n-1}. Inputs should be in [-1, 1]. */
GT_POLYNOMIAL(gt_basis_legendre, (2.0f * GT_NUMBER(n) + 1.0f) / (GT_NUMBER(n) + 1.0f), 0.0f, GT_NUMBER(n) / (GT_NUMBER(n) + 1.0f))
/* |P_n| is at most 1 in [-1, 1] and grows outside. */
GT_BASIS_PEAK(gt_basis_legendre_peak) { return GT_POLYNOMIAL_AT(gt_basis_legendre, GT_FARTHEST); }

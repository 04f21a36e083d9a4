/* Chebyshev polynomials of the first kind (SS, "Chebyshev Polynomial-Based Kolmogorov-Arnold Networks", 2024):
 * T_n(cos a) = cos(n a), T_{n+1} = 2 u T_n - T_{n-1}. Inputs should be in [-1, 1]; ChebyKAN applies tanh to them. */
GT_POLYNOMIAL(gt_basis_chebyshev, n == 0u ? 1.0f : 2.0f, 0.0f, 1.0f)
/* |T_n| is at most 1 in [-1, 1] and grows outside. */
GT_BASIS_PEAK(gt_basis_chebyshev_peak) { return GT_POLYNOMIAL_AT(gt_basis_chebyshev, GT_FARTHEST); }

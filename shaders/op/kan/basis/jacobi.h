/* Jacobi polynomials P_n^(a, b), a = GT_FIRST and b = GT_SECOND above -1 (JacobiKAN: SpaceLearner, 2024). With
 * k = n + 1 and s = 2 k + a + b (Abramowitz and Stegun, 22.7.1):
 *   2 k (k + a + b) (s - 2) P_k = (s - 1) (s (s - 2) u + a^2 - b^2) P_{k-1} - 2 (k + a - 1) (k + b - 1) s P_{k-2}
 *   P_1 = (a + b + 2) / 2 u + (a - b) / 2
 * Inputs should be in [-1, 1]. */
#define GT_JACOBI_K           (GT_NUMBER(n) + 1.0f)
#define GT_JACOBI_S           (2.0f * GT_JACOBI_K + GT_FIRST + GT_SECOND)
#define GT_JACOBI_DENOMINATOR (2.0f * GT_JACOBI_K * (GT_JACOBI_K + GT_FIRST + GT_SECOND))
GT_POLYNOMIAL(gt_basis_jacobi,
                n == 0u ? 0.5f * GT_JACOBI_S : (GT_JACOBI_S - 1.0f) * GT_JACOBI_S / GT_JACOBI_DENOMINATOR,
                n == 0u ? 0.5f * (GT_FIRST - GT_SECOND)
                        : (GT_JACOBI_S - 1.0f) * (GT_FIRST + GT_SECOND) * (GT_FIRST - GT_SECOND) /
                              (GT_JACOBI_DENOMINATOR * (GT_JACOBI_S - 2.0f)),
                2.0f * (GT_NUMBER(n) + GT_FIRST) * (GT_NUMBER(n) + GT_SECOND) * GT_JACOBI_S /
                    (GT_JACOBI_DENOMINATOR * (GT_JACOBI_S - 2.0f)))
/* |P_n| grows outside [-1, 1], because all roots are inside. In [-1, 1] its maximum is at an end if a or b is at least
 * -1/2 (Abramowitz and Stegun, 22.14.1), otherwise it is less than 1. The sum of 1 and the values at both ends bounds
 * all. */
GT_BASIS_PEAK(gt_basis_jacobi_peak) {
  REAL right = GT_POLYNOMIAL_AT(gt_basis_jacobi, GT_FARTHEST), left = GT_POLYNOMIAL_AT(gt_basis_jacobi, -GT_FARTHEST);
  return 1.0f + GT_ABS(right) + GT_ABS(left);
}

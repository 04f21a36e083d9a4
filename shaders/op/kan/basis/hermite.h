/* Hermite polynomials, the physicists': H_{n+1} = 2 u H_n - 2 n H_{n-1}. */
GT_POLYNOMIAL(gt_basis_hermite, 2.0f, 0.0f, 2.0f * GT_NUMBER(n))

/* The left operand of a layer of a Kolmogorov-Arnold network (KAN): basis functions of inputs x [lines,
 * inputs]. A line of the operand has, for each block of neighboring inputs, all functions one after another,
 * each at all inputs of the block: element (p * total + b) * block + j is B_b(x[line, p * block + j]). total:
 * the number of functions, the last of which is silu(x) if `base` is set. So neighboring elements are the
 * same function of neighboring inputs.
 *
 * Coefficients [inputs * total, outputs] have their rows in the same order. The gradient of x is a GEMM whose
 * K consists of segments, one per function:
 *
 *   dx[line, i] = sum over b of B'_b(x[line, i]) * (sum over o of g[line, o] * C[row of (b, i), o])
 *
 * Its operands are g, repeated in each segment, and the coefficients (load_segments.glsl). At the end of a
 * segment the kernel multiplies the segment's sums by B' and adds them to the total. A segment has `outputs`
 * elements, padded to whole K tiles.
 *
 * Coefficients may be multiplied by factors of their edges: one factor per edge for all functions, [inputs,
 * outputs], or two, the second of which is for the base: [blocks, 2, block, outputs]. With one factor the
 * base is not multiplied (load_scaled.glsl).
 *
 * The base may be apart (GT_BASIS_APART): it reads inputs of its own, another [lines, inputs] after those of
 * the functions, and its columns, one per input, follow all other columns, as do its rows of coefficients.
 *
 * Functions may differ between inputs. Then rows of numbers, [rows, inputs], follow the lines of x in the
 * same tensor (in the code: behind x). For splines with knots per input these are the knots; for placed
 * functions (GT_BASIS_PLACED) they are the centers of all functions, then the scales: u = (x - center) *
 * scale. */
#ifndef GT_OP_BASIS_H
#define GT_OP_BASIS_H
#include "op/matmul/factor.h"
/* The basis (GT_BASIS_BSPLINE, …) plus bits (GT_BASIS_BASE, …). */
#define GT_BASIS_SPEC_KIND   (GT_FACTOR_SPEC_OWN + 3)
#define GT_BASIS_SPEC_DEGREE (GT_FACTOR_SPEC_OWN + 4) /* of B-splines */
#define GT_BASIS_SPEC_TERMS  (GT_FACTOR_SPEC_OWN + 5) /* functions, without the base */
#define GT_BASIS_SPEC_BLOCK  (GT_FACTOR_SPEC_OWN + 6) /* inputs per block, a divisor of the inputs */
#define GT_BASIS_SPEC_ORDER  (GT_FACTOR_SPEC_OWN + 7) /* of the derivative: 0 to 3, or GT_BASIS_BY_SCALE */

/* Words of the geometry. LOW, INVERSE, FIRST, SECOND and PEAK_OF are floats. */
#define GT_BASIS_INPUTS  0
#define GT_BASIS_LOW     1 /* u = (x - low) * inverse */
#define GT_BASIS_BEHIND  1 /* instead of LOW if rows of numbers follow x: the number of lines of x */
#define GT_BASIS_INVERSE 2
#define GT_BASIS_FIRST   3 /* FIRST and SECOND: parameters of the basis */
#define GT_BASIS_SECOND  4
#define GT_BASIS_OUTPUTS 5
#define GT_BASIS_PEAK_OF 6 /* upper bound of |B|, if GT_BASIS_EVEN or GT_BASIS_RAW_ONLY */
#define GT_BASIS_RAW     7 /* offset from x of the inputs of a base that is apart */
#define GT_BASIS_WORDS   8

#define GT_BASIS_BSPLINE          0
#define GT_BASIS_RBF              1
#define GT_BASIS_FOURIER          2
#define GT_BASIS_PIECEWISE_LINEAR 3
#define GT_BASIS_SINC             4
#define GT_BASIS_RSWAF            5
#define GT_BASIS_WAVELET          6
#define GT_BASIS_CHEBYSHEV        7
#define GT_BASIS_LEGENDRE         8
#define GT_BASIS_HERMITE          9
#define GT_BASIS_JACOBI           10
#define GT_BASIS_KNOTS            11 /* B-splines over knots that follow x: basis/knots.h */
#define GT_PLAIN_BASES(X)                                                   \
  X(GT_BASIS_BSPLINE, bspline, gt_basis_bspline)                            \
  X(GT_BASIS_RBF, rbf, gt_basis_rbf)                                        \
  X(GT_BASIS_FOURIER, fourier, gt_basis_fourier)                            \
  X(GT_BASIS_PIECEWISE_LINEAR, piecewise_linear, gt_basis_piecewise_linear) \
  X(GT_BASIS_SINC, sinc, gt_basis_sinc)                                     \
  X(GT_BASIS_RSWAF, rswaf, gt_basis_rswaf)                                  \
  X(GT_BASIS_WAVELET, wavelet, gt_basis_wavelet)
#define GT_POLYNOMIALS(X) /* basis/recurrence.h */     \
  X(GT_BASIS_CHEBYSHEV, chebyshev, gt_basis_chebyshev) \
  X(GT_BASIS_LEGENDRE, legendre, gt_basis_legendre)    \
  X(GT_BASIS_HERMITE, hermite, gt_basis_hermite)       \
  X(GT_BASIS_JACOBI, jacobi, gt_basis_jacobi)
#define GT_BASES(X)                   GT_PLAIN_BASES(X) GT_POLYNOMIALS(X)
#define GT_BASIS_IS_POLYNOMIAL(basis) ((basis) >= GT_BASIS_CHEBYSHEV && (basis) <= GT_BASIS_JACOBI)
#define GT_BASIS_MOST_POLYNOMIALS     128 /* per input */
/* Bits of GT_BASIS_SPEC_KIND. */
#define GT_BASIS_BASE   256
#define GT_BASIS_PLACED 512
#define GT_BASIS_SCALED 1024 /* times 1 or 2: the number of factors per edge */
/* How a GEMM finds the scales of this operand (op/matmul/range.h). EVEN: a line has one scale for all of K;
 * it follows from GT_BASIS_PEAK_OF, which bounds the functions, and the amax of the base's inputs. KNOWN:
 * GT_BASIS_PEAK_OF bounds the base as well, so nothing is measured. */
#define GT_BASIS_EVEN  4096
#define GT_BASIS_KNOWN 8192
#define GT_BASIS_QUADS 16384 /* the number of outputs is a multiple of 4 */
#define GT_BASIS_APART 32768
/* For kernel product_range: only the inputs of the base are measured, and A points to them; GT_BASIS_PEAK_OF
 * bounds the functions. */
#define GT_BASIS_RAW_ONLY 65536
/* Value of GT_BASIS_SPEC_ORDER: the derivative with respect to the scale of a placed function. */
#define GT_BASIS_BY_SCALE 4
/* Function `term` of a placed basis is this function of u. Its own center and scale replace its position on
 * the grid, so all are the first function of the basis; with GT_BASIS_FOURIER the first cosine or sine. */
#define GT_BASIS_FIRST_OF(basis, term, terms) \
  ((basis) == GT_BASIS_FOURIER ? (term) / ((terms) / 2u) * ((terms) / 2u) : 0u)
#endif

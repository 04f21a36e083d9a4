/* The factor of a Kolmogorov-Arnold network (KAN): basis functions of inputs. x is [lines, inputs]; a line of
 * the factor holds for each block of neighbouring inputs all functions one after another, each at all inputs
 * of the block: element (p * total + b) * block + j is B_b(x[line, p * block + j]), where total counts the
 * functions, and silu(x) as the last where `base` is set. Neighbours are the same function of neighbouring
 * inputs.
 *
 * Coefficients [inputs * total, outputs] have their rows in the same order. The gradient of x is a product of
 * both with segments of k, one for each function:
 *   dx[line, i] = sum over b of B'_b(x[line, i]) * (sum over o of g[line, o] * C[row of (b, i), o])
 * Its factors are g, once for each segment, and the coefficients (load_segments.glsl); at the end of a
 * segment the kernel multiplies what it has with B' and begins anew. k of a segment: outputs, rounded up to
 * slices.
 *
 * Coefficients may have factors, one for all functions of an edge, [inputs, outputs]; or two, of which the
 * second is that of the base: [blocks, 2, block, outputs]. Without it the base has none (load_scaled.glsl).
 *
 * The base may be apart (GT_BASIS_APART): it reads inputs of its own, as many lines again that stand behind
 * those of the functions, and its columns, one for each input, stand behind all others, as do its rows of
 * coefficients.
 *
 * Where functions stand may differ from input to input: then rows of numbers, [rows, inputs], lie behind the
 * lines of x, in the same tensor. Of splines over knots of their own these are the knots, of functions that
 * are placed (GT_BASIS_PLACED) the centres of all of them and then their scales: u = (x - centre) * scale. */
#ifndef GT_OP_BASIS_H
#define GT_OP_BASIS_H
#include "op/matmul/factor.h"
#define GT_BASIS_SPEC_KIND                                                                            \
  (GT_FACTOR_SPEC_OWN + 3) /* GT_BASIS_…, and GT_BASIS_BASE where the base is set, GT_BASIS_PLACED, \
                            * GT_BASIS_SCALED */
#define GT_BASIS_SPEC_DEGREE (GT_FACTOR_SPEC_OWN + 4) /* of B-splines */
#define GT_BASIS_SPEC_TERMS  (GT_FACTOR_SPEC_OWN + 5) /* functions, without the base */
#define GT_BASIS_SPEC_BLOCK  (GT_FACTOR_SPEC_OWN + 6) /* a divisor of the inputs */
#define GT_BASIS_SPEC_ORDER  (GT_FACTOR_SPEC_OWN + 7) /* of the derivative: 0 to 3; GT_BASIS_BY_SCALE */

#define GT_BASIS_INPUTS  0 /* words of the geometry */
#define GT_BASIS_LOW     1 /* floats: u = (x - low) * inverse */
#define GT_BASIS_BEHIND  1 /* instead: the lines of x, where rows lie behind them */
#define GT_BASIS_INVERSE 2
#define GT_BASIS_FIRST   3 /* floats for a basis to use as it likes */
#define GT_BASIS_SECOND  4
#define GT_BASIS_OUTPUTS 5
#define GT_BASIS_PEAK_OF \
  6                      /* float: what functions are no larger than, if GT_BASIS_EVEN or GT_BASIS_RAW_ONLY */
#define GT_BASIS_RAW   7 /* where the inputs of a base that is apart begin, seen from x */
#define GT_BASIS_WORDS 8

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
#define GT_BASIS_KNOTS            11 /* B-splines over knots that lie behind x: basis/knots.h */
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
#define GT_BASIS_MOST_POLYNOMIALS     128 /* of an input */
#define GT_BASIS_BASE                 256
#define GT_BASIS_PLACED               512
#define GT_BASIS_SCALED               1024 /* times 1, 2: coefficients have factors of their edges, in so many parts */
/* How a product finds the powers of two of its lines (op/matmul/range.h). One does for all of a line, that of
 * GT_BASIS_PEAK_OF, the base not among its functions; or among them, and nothing is measured. */
#define GT_BASIS_EVEN  4096
#define GT_BASIS_KNOWN 8192
#define GT_BASIS_QUADS 16384 /* outputs are a multiple of four */
#define GT_BASIS_APART 32768
/* Its base's inputs are all that is measured, as the functions' peak is known: they are what A points to
 * then. */
#define GT_BASIS_RAW_ONLY 65536
#define GT_BASIS_BY_SCALE 4 /* the derivative by the scale of a function that is placed */
/* What a placed function is of u: the first of its kind. */
#define GT_BASIS_FIRST_OF(form, term, terms) \
  ((form) == GT_BASIS_FOURIER ? (term) / ((terms) / 2u) * ((terms) / 2u) : 0u)
#endif

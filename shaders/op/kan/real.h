/* The macros in which basis functions are written, for C and GLSL at once. A REAL is one value in C and four
 * neighboring values in GLSL. A basis is a file in basis/ with a function GT_BASIS(gt_basis_NAME) { … return
 * REAL; } of u = (x - low) * inverse. It returns function number `term` of GT_TERMS, or its derivative of
 * order GT_ORDER (0 to 3) with respect to u. GT_DEGREE, GT_FIRST and GT_SECOND are parameters of the basis.
 * Float literals end in f, integer literals in u.
 *
 * A second function, GT_BASIS_PEAK(gt_basis_NAME_peak), returns an upper bound of |B(u)| for least <= u <=
 * most, close to the maximum where that is simple. The scales of a GEMM's operand follow from it
 * (op/matmul/range.h) without evaluating the functions.
 *
 * Polynomials (basis/recurrence.h) and splines over knots (basis/knots.h) are defined in other ways. */
#ifndef GT_KAN_REAL_H
#define GT_KAN_REAL_H
#ifdef GL_core_profile
#define REAL                    vec4
#define GT_BASIS(name)          vec4 name(vec4 u, uint term)
#define GT_BASIS_PEAK(name)     vec4 name(vec4 least, vec4 most, uint term)
#define GT_TERMS                BASIS_TERMS
#define GT_DEGREE               BASIS_DEGREE
#define GT_ORDER                BASIS_DERIVED
#define GT_FIRST                basis_first
#define GT_SECOND               basis_second
#define GT_NUMBER(n)            float(n)
#define GT_UINT(condition)      uint(condition)
#define GT_EACH(x)              vec4(x)
#define GT_BELOW(a, b)          lessThan(vec4(a), vec4(b))
#define GT_SAME(a, b)           equal(vec4(a), vec4(b))
#define GT_PICK(which, yes, no) mix(vec4(no), vec4(yes), which)
#define GT_SIGNED(size, x)      ((size)*sign(x))
#define GT_ABS(x)               abs(x)
#define GT_FLOOR(x)             floor(x)
#define GT_ROOT(x)              sqrt(x)
#define GT_LARGER(a, b)         max(a, b)
#define GT_SMALLER(a, b)        min(a, b)
#define GT_EXP(x)               gt_exp(x)
#define GT_DECAY(x)             gt_decay(x)
#define GT_TANH(x)              gt_tanh(x)
#define GT_SIGMOID(x)           gt_basis_sigmoid(x)
#define GT_COSINE(x, quarters)  gt_cosine(x, quarters)
vec4 gt_basis_sigmoid(vec4 x) { /* with the accuracy of gt_decay */
  vec4 e = gt_decay(abs(x)), s = 1.0 / (1.0 + e);
  return mix(s, e * s, lessThan(x, vec4(0.0)));
}
vec4 gt_cosine(vec4 x, uint quarters) { /* cos(x + quarters * pi/2) */
  ivec4 quadrant;
  vec4 r = gt_reduce(x, quadrant);
  return gt_sin_quadrant(r, quadrant + int(quarters) + 1);
}
#else
#include "step/math.h"
#include <sys/types.h>
#define REAL      float
#define GT_UNUSED __attribute__((unused))
#define GT_BASIS(name)                                                                                    \
  GT_MATH float name(float u GT_UNUSED, uint term GT_UNUSED, uint terms GT_UNUSED, uint degree GT_UNUSED, \
                     uint order GT_UNUSED, float first GT_UNUSED, float second GT_UNUSED)
#define GT_BASIS_PEAK(name)                                                                                  \
  GT_MATH float name(float least GT_UNUSED, float most GT_UNUSED, uint term GT_UNUSED, uint terms GT_UNUSED, \
                     float first GT_UNUSED, float second GT_UNUSED)
#define GT_TERMS                terms
#define GT_DEGREE               degree
#define GT_ORDER                order
#define GT_FIRST                first
#define GT_SECOND               second
#define GT_NUMBER(n)            (float)(n)
#define GT_UINT(condition)      (uint)(condition)
#define GT_EACH(x)              (float)(x)
#define GT_BELOW(a, b)          ((a) < (b))
#define GT_SAME(a, b)           ((a) == (b))
#define GT_PICK(which, yes, no) gt_pick(which, yes, no)
#define GT_SIGNED(size, x)      gt_with_sign(size, x) /* size >= 0 */
#define GT_ABS(x)               gt_absf(x)
#define GT_FLOOR(x)             gt_floorf(x)
#define GT_ROOT(x)              sqrtf(x)
#define GT_LARGER(a, b)         gt_pick((a) > (b), a, b)
#define GT_SMALLER(a, b)        gt_pick((a) < (b), a, b)
#define GT_EXP(x)               gt_expf(x)
#define GT_DECAY(x)             gt_expf(-(x)) /* x >= 0 */
#define GT_TANH(x)              gt_tanhf(x)
#define GT_SIGMOID(x)           gt_sigmoidf(x)
#define GT_COSINE(x, quarters)  gt_cosine(x, quarters)
/* floorf without its instruction, which compilers do not use in vectorized loops. Values from 2^22 on, far
 * beyond any grid, are returned unchanged. */
GT_MATH float gt_floorf(float x) {
  const float nearest = (x + GT_ROUND_MAGIC) - GT_ROUND_MAGIC;
  return gt_pick(gt_absf(x) < 0x1p22f, nearest - gt_pick(nearest > x, 1.0f, 0.0f), x);
}
/* cos(x + quarters * pi/2). Whole turns are subtracted in double, so that x may be large. */
GT_MATH float gt_cosine(float x, uint quarters) {
  const double turns = ((double)x * 0.15915494309189535 + GT_ROUND_MAGICD) - GT_ROUND_MAGICD;
  return gt_sine((float)((double)x - turns * 6.283185307179586), quarters + 1);
}
#endif
#endif

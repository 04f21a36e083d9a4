/* Orthogonal polynomials: P_0 = 1, P_{n+1} = (A u + B) P_n - C P_{n-1}. A, B and C are expressions in n, GT_FIRST and
 * GT_SECOND; C is used from n = 1 on. In GLSL such a basis is a function as in real.h. In C it is a function that
 * returns A, B and C, and src/op/kan/basis.c evaluates the recurrence for many values at once.
 *
 * For the functions that bound polynomials (GT_BASIS_PEAK): GT_FARTHEST is the largest |u|, at least 1, and
 * GT_POLYNOMIAL_AT the value of polynomial number `term` at u. In GT_POLYNOMIAL slope, bend and twist are the first,
 * second and third derivatives. */
#define GT_FARTHEST GT_LARGER(GT_EACH(1.0f), GT_LARGER(-least, most))
#ifdef GL_core_profile
#define GT_POLYNOMIAL_AT(name, u) name(u, term)
#define GT_POLYNOMIAL(name, A, B, C) \
  vec4 name(vec4 u, uint term) { \
    uint n = 0u; \
    float a = A, b = B; \
    vec4 last = vec4(1.0), now = a * u + b, slope_last = vec4(0.0), slope = vec4(a); \
    vec4 bend_last = vec4(0.0), bend = vec4(0.0), twist_last = vec4(0.0), twist = vec4(0.0), next; \
    for (n = 1u; n < term; n++) { \
      float c = C; \
      a = A, b = B; \
      vec4 linear = a * u + b; \
      if (GT_ORDER >= 3u) { \
        next = 3.0 * a * bend + linear * twist - c * twist_last; \
        twist_last = twist; \
        twist = next; \
      } \
      if (GT_ORDER >= 2u) { \
        next = 2.0 * a * slope + linear * bend - c * bend_last; \
        bend_last = bend; \
        bend = next; \
      } \
      if (GT_ORDER >= 1u) { \
        next = a * now + linear * slope - c * slope_last; \
        slope_last = slope; \
        slope = next; \
      } \
      next = linear * now - c * last; \
      last = now; \
      now = next; \
    } \
    if (term == 0u) now = vec4(1.0), slope = vec4(0.0); \
    return GT_ORDER == 0u ? now : GT_ORDER == 1u ? slope : GT_ORDER == 2u ? bend : twist; \
  }
#else
typedef struct gt_recurrence {
  float a, b, c;
} gt_recurrence;
typedef gt_recurrence gt_recurrence_step(uint n, float first, float second);
GT_MATH float gt_polynomial_at(gt_recurrence_step *step, float u, uint term, float first, float second) {
  float last = 0, now = 1;
  for (uint n = 0; n < term; n++) {
    const gt_recurrence r = step(n, first, second);
    const float next = (r.a * u + r.b) * now - r.c * last;
    last = now;
    now = next;
  }
  return now;
}
#define GT_POLYNOMIAL_AT(name, u) gt_polynomial_at(name, u, term, first, second)
#define GT_POLYNOMIAL(name, A, B, C)                                                             \
  static inline gt_recurrence name(uint n, float first GT_UNUSED, float second GT_UNUSED) {      \
    return (gt_recurrence){A, B, n == 0u ? 0.0f : C};                                            \
  }
#endif

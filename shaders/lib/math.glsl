/* Elementary functions to about one unit in the last place. Vulkan allows large errors in its built-in functions (sin
 * and cos: 2^-11 absolute), so they are not used: arguments are reduced exactly, then a minimax polynomial is
 * evaluated. Written once for the value type V: vec4, or float if GT_SCALAR is defined before the inclusion. NaN and
 * infinity are detected by their bits, because drivers may assume that there are none. */
#ifndef GT_MATH_GLSL
#define GT_MATH_GLSL
#ifdef GT_SCALAR
#define V float
#define VI int
#define VB bool
#define GT_LESS(a, b) ((a) < (b))
#define GT_LESS_INT(a, b) ((a) < (b))
#define GT_LESS_EQUAL(a, b) ((a) <= (b))
#define GT_EQUAL(a, b) ((a) == (b))
#define GT_ANY(a) (a)
#else
#define V vec4
#define VI ivec4
#define VB bvec4
#define GT_LESS(a, b) lessThan(V(a), V(b))
#define GT_LESS_INT(a, b) lessThan(VI(a), VI(b))
#define GT_LESS_EQUAL(a, b) lessThanEqual(V(a), V(b))
#define GT_EQUAL(a, b) equal(a, b)
#define GT_ANY(a) any(a)
#endif

const float GT_LN2_HIGH = 0.693359375; /* 9 bits: its product with a small integer is exact */
const float GT_LN2_LOW = -2.12194440e-4;
const float GT_LOG2_E = 1.44269504;

float gt_infinity() { return uintBitsToFloat(0x7f800000u); }
float gt_nan() { return uintBitsToFloat(0x7fc00000u); }
VB gt_is_nan(V x) { return GT_LESS_INT(0x7f800000, floatBitsToInt(x) & 0x7fffffff); }
VB gt_finite(V x) { return GT_LESS_INT(floatBitsToInt(x) & 0x7fffffff, 0x7f800000); }

/* These three propagate NaN. The max() of drivers drops it, and drivers compile a comparison with a select to that
 * max(). gt_relu compares bits as signed integers: those of negative floats are at most 0xff800000 (-infinity), those
 * of a negative NaN are larger. */
V gt_max(V a, V b) { return mix(mix(max(a, b), b, gt_is_nan(b)), a, gt_is_nan(a)); }
V gt_min(V a, V b) { return mix(mix(min(a, b), b, gt_is_nan(b)), a, gt_is_nan(a)); }
V gt_relu(V x) { return mix(x, V(0.0), GT_LESS_INT(floatBitsToInt(x), int(0xff800001u))); }

/* Rounds x to the nearest integer, ties to even, for |x| < 2^22, and sets `whole` to that integer. Adding 1.5 * 2^23
 * moves the integer to the last bits. Conversions and roundEven would be at least four times as slow as additions. */
V gt_round(V x, out VI whole) {
  precise V shifted = x + 12582912.0;
  precise V n = shifted - 12582912.0;
  whole = floatBitsToInt(shifted) - 0x4b400000;
  return n;
}

/* exp(f) * 2^whole for |f| <= ln(2)/2 and whole in [-150, 129]. Scales in two steps because 2^whole may be out of
 * range. */
V gt_exp_scaled(V f, VI whole) {
  V p = V(0.00139261759) * f + 0.00836317334;
  p = p * f + 0.0416665561;
  p = p * f + 0.166665778;
  p = p * f + 0.5;
  VI first = whole >> 1;
  V y = 1.0 + (f + f * f * p);
  return y * intBitsToFloat((first + 127) << 23) * intBitsToFloat((whole - first + 127) << 23);
}

V gt_exp(V x) {
  V t = clamp(x, V(-104.0), V(89.0));
  VI whole;
  precise V scaled = t * GT_LOG2_E, n = gt_round(scaled, whole), f = t - n * GT_LN2_HIGH;
  f = f - n * GT_LN2_LOW;
  return mix(gt_exp_scaled(f, whole), x, gt_is_nan(x));
}

/* exp(-x) for x >= 0, with an absolute error of a few 2^-24: Vulkan allows exp2(y) an error of 3 + 2 |y| units in the
 * last place, and GPUs have an instruction for it. */
V gt_decay(V x) { return exp2(x * -GT_LOG2_E); }

V gt_exp2(V x) {
  V t = clamp(x, V(-150.0), V(129.0));
  VI whole;
  V n = gt_round(t, whole);
  return mix(gt_exp_scaled((t - n) * 0.693147181, whole), x, gt_is_nan(x));
}

/* log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1]. */
V gt_log_near_1(V f) {
  V p = V(0.0697161183) * f - 0.114797339;
  p = p * f + 0.116854198;
  p = p * f - 0.124256872;
  p = p * f + 0.142490581;
  p = p * f - 0.166678026;
  p = p * f + 0.200007156;
  p = p * f - 0.24999997;
  p = p * f + 0.333333313;
  return f + f * f * (f * p - 0.5);
}

/* x = 2^exponent * (1 + f), with f in the domain of gt_log_near_1, for positive x. */
V gt_frexp(V x, out V exponent) {
  VB tiny = GT_LESS(x, 1.17549435e-38);
  VI bits = floatBitsToInt(mix(x, x * 8388608.0, tiny)) - 0x3f3504f3; /* sqrt(1/2) */
  exponent = V(bits >> 23) - mix(V(0.0), V(23.0), tiny);
  return intBitsToFloat((bits & 0x007fffff) + 0x3f3504f3) - 1.0;
}

/* Replaces y, the logarithm of x, by the values for negative x, 0, infinity and NaN. */
V gt_log_ends(V x, V y) {
  y = mix(x, y, gt_finite(x));
  y = mix(y, V(-gt_infinity()), GT_EQUAL(x, V(0.0)));
  return mix(y, V(gt_nan()), GT_LESS(x, 0.0));
}

V gt_log(V x) {
  V e, f = gt_frexp(x, e);
  return gt_log_ends(x, e * GT_LN2_HIGH + (e * GT_LN2_LOW + gt_log_near_1(f)));
}

V gt_log2(V x) {
  V e, f = gt_frexp(x, e);
  return gt_log_ends(x, e + gt_log_near_1(f) * GT_LOG2_E);
}

/* log(1 + t) for t in [0, 1]. */
V gt_log1p(V t) {
  VB near = GT_LESS(t, 0.414213562);
  V f = mix((t - 1.0) * 0.5, t, near);
  return gt_log_near_1(f) + mix(V(0.693147181), V(0.0), near);
}

/* x = quadrant * pi/2 + result for any large |x| (Payne and Hanek, "Radian Reduction for Trigonometric Functions",
 * 1983): the 24-bit mantissa of x is multiplied by the 96 bits of 2/pi that affect the product modulo 4. */
float gt_reduce_large(float x, out int quadrant) {
  const uint two_over_pi[8] = uint[8](0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u,
                                      0x3C439041u, 0xFE5163ABu);
  uint bits = floatBitsToUint(x) & 0x7fffffffu;
  uint mantissa = (bits & 0x007fffffu) | 0x00800000u;
  uint start = clamp((bits >> 23u) - 120u, 0u, 134u); /* the first of the 96 bits in the table */
  uint word = start >> 5u, shift = start & 31u;
  uint w[3];
  for (uint i = 0u; i < 3u; i++) {
    w[i] = two_over_pi[word + i] << shift;
    if (shift > 0u) w[i] |= two_over_pi[word + i + 1u] >> (32u - shift);
  }
  uint high1, low1, high2, low2, carry, r0, r1;
  umulExtended(mantissa, w[1], high1, low1);
  umulExtended(mantissa, w[2], high2, low2);
  r1 = uaddCarry(low1, high2, carry);
  r0 = mantissa * w[0] + high1 + carry;
  uint high = r0 << 2u | r1 >> 30u, low = r1 << 2u | low2 >> 30u;
  quadrant = int(r0 >> 30u);
  bool negative = (high >> 31u) != 0u;
  if (negative) { /* to the nearest quadrant: 64-bit negation */
    quadrant++;
    low = ~low + 1u;
    high = ~high + (low == 0u ? 1u : 0u);
  }
  float r = (float(high) * 2.3283064365386963e-10 + float(low) * 5.421010862427522e-20) * 1.57079633;
  if (negative != (x < 0.0)) r = -r;
  if (x < 0.0) quadrant = -quadrant;
  return bits >= 0x7f800000u ? gt_nan() : r;
}

/* x = quadrant * pi/2 + result. pi/2 is the sum of three constants; the first two have few bits, so their products with
 * a quadrant are exact. */
V gt_reduce(V x, out VI quadrant) {
  V n = gt_round(clamp(x, V(-16384.0), V(16384.0)) * 0.636619772, quadrant);
  precise V r = x - n * 1.5703125;
  r = r - n * 4.837512969970703125e-4;
  r = r - n * 7.54978995489188216e-8;
  V size = abs(x);
  if (GT_ANY(GT_LESS(V(4000.0), size))) {
#ifdef GT_SCALAR
    r = gt_reduce_large(x, quadrant);
#else
    for (int i = 0; i < 4; i++) {
      int q;
      float large = gt_reduce_large(x[i], q);
      if (size[i] > 4000.0) {
        r[i] = large;
        quadrant[i] = q;
      }
    }
#endif
  }
  return r;
}

V gt_sin_quadrant(V r, VI quadrant) {
  V z = r * r;
  V s = V(-0.000195878907) * z + 0.00833274797;
  s = r + r * z * (s * z - 0.166666642);
  V c = V(2.45479423e-05) * z - 0.00138883025;
  c = 1.0 - 0.5 * z + z * z * (c * z + 0.0416666642);
  V y = mix(s, c, GT_EQUAL(quadrant & 1, VI(1)));
  return mix(y, -y, GT_EQUAL(quadrant & 2, VI(2)));
}

V gt_sin(V x) {
  VI quadrant;
  V r = gt_reduce(x, quadrant);
  return gt_sin_quadrant(r, quadrant);
}

V gt_cos(V x) {
  VI quadrant;
  V r = gt_reduce(x, quadrant);
  return gt_sin_quadrant(r, quadrant + 1);
}

V gt_tanh(V x) {
  V a = abs(x), z = x * x;
  V p = V(-0.00609671418) * z + 0.0209971797;
  p = p * z - 0.0538509078;
  p = p * z + 0.133327693;
  p = p * z - 0.333333284;
  V near = x + x * z * p;
  V far = sign(x) * (1.0 - 2.0 / (gt_exp(2.0 * min(a, V(10.0))) + 1.0));
  return mix(near, far, GT_LESS_EQUAL(V(0.625), a));
}

/* Reduces the argument a = |x| with t = tan(pi/8): atan(a) is pi/2 + atan(-1 / a) for a > 1/t,
 * and pi/4 + atan((a - 1) / (a + 1)) for a in (t, 1/t]. */
V gt_atan(V x) {
  V a = min(abs(x), V(1e30));
  VB middle = GT_LESS(0.414213562, a), far = GT_LESS(2.41421356, a);
  V r = mix(mix(a, a - 1.0, middle), V(-1.0), far) / mix(mix(V(1.0), a + 1.0, middle), a, far), z = r * r;
  V p = V(-0.0607799068) * z + 0.105937272;
  p = p * z - 0.142435223;
  p = p * z + 0.199984714;
  p = p * z - 0.333333164;
  V y = mix(mix(V(0.0), V(0.785398163), middle), V(1.57079633), far) + (r + r * z * p);
  return mix(sign(x) * y, x, gt_is_nan(x));
}

/* erf(x) for |x| < 1. */
V gt_erf_near_0(V x) {
  V z = x * x;
  V p = V(7.87587487e-05) * z - 0.00080168643;
  p = p * z + 0.00518908724;
  p = p * z - 0.0268542115;
  p = p * z + 0.112835944;
  p = p * z - 0.37612626;
  return x * (p * z + 1.12837911);
}

/* 1 - erf(a) for a >= 1: exp(-a^2) times a polynomial in u = 1 / (a + 1). */
V gt_erfc_tail(V a) {
  V u = 1.0 / (a + 1.0);
  V p = V(2.79727197) * u - 6.40852451;
  p = p * u + 5.12571096;
  p = p * u - 0.915801108;
  p = p * u - 0.60584867;
  p = p * u - 0.289393276;
  p = p * u + 0.282376289;
  p = p * u + 0.564185023;
  p = p * u + 0.564189613;
  return gt_exp(-a * a) * u * p;
}

V gt_erf(V x) {
  V a = abs(x);
  V far = sign(x) * (1.0 - gt_erfc_tail(clamp(a, V(1.0), V(16.0))));
  return mix(gt_erf_near_0(x), far, GT_LESS_EQUAL(V(1.0), a));
}

/* x Φ(x), Φ being the distribution function of the standard normal distribution. For x < 0, Φ(x) is half of
 * erfc(|x| / sqrt(2)), which is computed directly: 1 - erf would cancel. */
V gt_gelu(V x) {
  V a = abs(x) * 0.707106781;
  V tail = mix(1.0 - gt_erf_near_0(a), gt_erfc_tail(clamp(a, V(1.0), V(16.0))), GT_LESS_EQUAL(V(1.0), a));
  return x * mix(1.0 - 0.5 * tail, 0.5 * tail, GT_LESS(x, 0.0));
}

V gt_sigmoid(V x) {
  V t = gt_exp(-abs(x));
  return mix(V(1.0), t, GT_LESS(x, 0.0)) / (1.0 + t);
}

V gt_softplus(V x) { return max(x, V(0.0)) + gt_log1p(gt_exp(-abs(x))); }

/* Remainder with the sign of the divisor. */
V gt_mod(V a, V b) {
  V q = floor(a / b);
  V r = fma(-q, b, a), next = fma(-q - 1.0, b, a);
  /* The quotient may have been rounded past an integer, up or down. */
  r = mix(r, r + b, GT_LESS(r * sign(b), 0.0));
  return mix(r, next, GT_LESS_EQUAL(V(0.0), next * sign(b)));
}

V gt_pow(V a, V b) {
  VB whole = GT_EQUAL(floor(b), b), negative = GT_LESS(a, 0.0);
  V size = abs(b), odd = size - 2.0 * floor(0.5 * size);
  V y = gt_exp(b * gt_log(abs(a)));
  y = mix(mix(y, V(gt_nan()), negative), mix(y, y * (1.0 - 2.0 * odd), negative), whole);
  /* Small integer powers by squaring: exact if the products are. */
  V product = V(1.0), base = a, rest = min(size, V(63.0));
  for (int i = 0; i < 6; i++) {
    V halved = floor(0.5 * rest);
    product = mix(product, product * base, GT_LESS(halved + halved, rest));
    base *= base;
    rest = halved;
  }
  product = mix(product, 1.0 / product, GT_LESS(b, 0.0));
  y = mix(y, product, GT_LESS(mix(V(64.0), size, whole), 64.0));
  y = mix(y, sqrt(a), GT_EQUAL(b, V(0.5)));
  return y;
}
#endif

/* Float functions of the CPU kernels, written without branches or library calls so that a loop over them
 * becomes vector code. The build forbids contraction, so every instruction set gives the same bits. Errors
 * are a few units in the last place (measured by tests/step/program.c); infinities, NaN, zeros and
 * denormals are handled as in C's math.h. Method: argument reduction to a short interval (Cody and Waite,
 * "Software Manual for the Elementary Functions", 1980) and a polynomial there, fitted for this file by the
 * Remez exchange algorithm. */
#ifndef GT_STEP_MATH_H
#define GT_STEP_MATH_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A function marked GT_CLONES is compiled once per instruction set and chosen when the program starts. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define GT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GT_CLONES
#endif
/* Before a loop whose iterations access only their own index; arrays may be identical. */
#if defined(__clang__)
#define GT_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define GT_VECTOR_LOOP _Pragma("GCC ivdep")
#else
#define GT_VECTOR_LOOP
#endif
#define GT_MATH static inline __attribute__((always_inline))

GT_MATH uint32_t gt_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

GT_MATH float gt_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Selects by mask: unlike ?:, it never becomes a branch that would stop the compiler from vectorizing (a
 * conditional floating-point operation might trap). */
GT_MATH float gt_pick(bool condition, float yes, float no) {
  const uint32_t mask = 0u - (uint32_t)condition;
  return gt_from_bits((gt_bits(yes) & mask) | (gt_bits(no) & ~mask));
}

GT_MATH double gt_pick_double(bool condition, double yes, double no) {
  const uint64_t mask = 0u - (uint64_t)condition;
  uint64_t y, n;
  memcpy(&y, &yes, sizeof y);
  memcpy(&n, &no, sizeof n);
  n = (y & mask) | (n & ~mask);
  memcpy(&no, &n, sizeof n);
  return no;
}

GT_MATH float gt_absf(float x) { return gt_from_bits(gt_bits(x) & 0x7fffffffu); }

GT_MATH float gt_with_sign(float magnitude, float sign) {
  return gt_from_bits((gt_bits(magnitude) & 0x7fffffffu) | (gt_bits(sign) & 0x80000000u));
}

/* Adding this moves the fraction out of a float: the sum's low bits are the rounded integer. */
#define GT_ROUND_MAGIC  0x1.8p23f
#define GT_ROUND_MAGICD 0x1.8p52

/* 2^n for n in [-126, 127]; meaningless for other n. */
GT_MATH float gt_power_of_two(int32_t n) { return gt_from_bits((uint32_t)(n + 127) << 23); }

/* x * 2^n, rounded once, for |n| <= 250. */
GT_MATH float gt_scale(float x, int32_t n) {
  const int32_t half = n >> 1;
  return x * gt_power_of_two(half) * gt_power_of_two(n - half);
}

/* The integer in the low 22 bits of a sum with GT_ROUND_MAGIC, sign-extended. Its magnitude is at most 2^21
 * even if the sum is NaN, so that later integer arithmetic does not overflow. */
GT_MATH int32_t gt_rounded(float sum) { return (int32_t)(gt_bits(sum) << 10) >> 10; }

/* exp(high + low), low being a small correction of high. */
GT_MATH float gt_exp_sum(float high, float low) {
  float x = gt_pick(high < -110.0f, -110.0f, high);
  x = gt_pick(x > 110.0f, 110.0f, x);
  const float sum = x * 1.44269504f + GT_ROUND_MAGIC, n = sum - GT_ROUND_MAGIC;
  const float r =
      ((x - n * 0.693359375f) - n * -2.12194440e-4f) + low; /* ln 2 in two parts: n * first is exact */
  float p = 0.00137905218f;
  p = p * r + 0.00838041212f;
  p = p * r + 0.0416697077f;
  p = p * r + 0.166664079f;
  p = p * r + 0.499999851f;
  return gt_scale((r * r * p + r) + 1.0f, gt_rounded(sum));
}

GT_MATH float gt_expf(float x) { return gt_exp_sum(x, 0.0f); }

GT_MATH float gt_exp2f(float x) {
  x = gt_pick(x < -160.0f, -160.0f, x);
  x = gt_pick(x > 160.0f, 160.0f, x);
  const float sum = x + GT_ROUND_MAGIC, r = x - (sum - GT_ROUND_MAGIC);
  float p = 1.51961076e-05f;
  p = p * r + 0.000154667548f;
  p = p * r + 0.00133339351f;
  p = p * r + 0.00961803831f;
  p = p * r + 0.0555041023f;
  p = p * r + 0.240226507f;
  p = p * r + 0.693147182f;
  return gt_scale(p * r + 1.0f, gt_rounded(sum));
}

/* log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1]. */
GT_MATH float gt_log_rest(float f) {
  const float square = f * f;
  float p = 0.0691558644f;
  p = p * f + -0.11789839f;
  p = p * f + 0.118728951f;
  p = p * f + -0.123843387f;
  p = p * f + 0.142186686f;
  p = p * f + -0.16669251f;
  p = p * f + 0.200022265f;
  p = p * f + -0.249999866f;
  p = p * f + 0.333333105f;
  return square * f * p - 0.5f * square;
}

/* Returns m for x = m * 2^n with m in [sqrt(1/2), sqrt(2)), x > 0. 0x3f3504f3 are the bits of sqrt(1/2). */
GT_MATH float gt_frexp(float x, int32_t *n) {
  const bool tiny = x < 0x1p-126f;
  const uint32_t bits = gt_bits(gt_pick(tiny, x * 0x1p23f, x));
  const int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
  *n = exponent - 23 * (int32_t)tiny;
  return gt_from_bits(bits - ((uint32_t)exponent << 23));
}

/* Special cases of the logarithm, for arguments <= 0, infinity and NaN; `value` otherwise. */
GT_MATH float gt_log_special(float x, float value) {
  value = gt_pick(x == INFINITY, INFINITY, value);
  return gt_pick(x > 0.0f, value, gt_pick(x == 0.0f, -INFINITY, NAN));
}

GT_MATH float gt_logf(float x) {
  int32_t exponent;
  const float f = gt_frexp(x, &exponent) - 1.0f, n = (float)exponent;
  return gt_log_special(x, (f + (gt_log_rest(f) + n * -2.12194440e-4f)) + n * 0.693359375f);
}

GT_MATH float gt_log2f(float x) {
  int32_t exponent;
  const float f = gt_frexp(x, &exponent) - 1.0f, rest = gt_log_rest(f);
  /* log2(e) - 1; x * log2(e) = x * part + x, where the larger term is exact */
  const float part = 0.442695041f;
  return gt_log_special(x, (((rest * part + f * part) + rest) + f) + (float)exponent);
}

/* log(1 + u) for u in [0, 1]. */
GT_MATH float gt_log1p_unit(float u) {
  const bool upper = u > 0.41421354f; /* there 1 + u = 2 (1 + f) */
  const float f = gt_pick(upper, (u - 1.0f) * 0.5f, u);
  return (f + gt_log_rest(f)) + gt_pick(upper, 0.693147181f, 0.0f);
}

/* Larger arguments of sin and cos use the C library: n below is a rounded product that is wrong by up to
 * x 2^-24, and r must stay in the range of the polynomials. */
#define GT_SINE_LIMIT 65536.0f

/* sin(x + quarters * pi/2) for |x| <= GT_SINE_LIMIT. The reduction runs in double, pi/2 in two parts of which
 * the first has 33 bits, so that n * first is exact. */
GT_MATH float gt_sine(float x, uint32_t quarters) {
  const float sum = x * 0.636619772f + GT_ROUND_MAGIC, n = sum - GT_ROUND_MAGIC;
  const uint32_t quadrant = gt_bits(sum) + quarters;
  const float r = (float)(((double)x - (double)n * 0x1.921fb544p+0) - (double)n * 0x1.0b4611a626331p-34);
  const float z = r * r;
  const float sine = r + r * z * ((-0.000195108762f * z + 0.00833213143f) * z + -0.166666538f);
  const float cosine =
      (1.0f - 0.5f * z) + z * z * ((2.44312469e-05f * z + -0.0013887306f) * z + 0.0416666456f);
  const float value = gt_pick(quadrant & 1, cosine, sine);
  return gt_from_bits(gt_bits(value) ^ (quadrant & 2) << 30);
}

/* NAME_simple, NAME_slow: if an argument is not simple, the CPU evaluates NAME by its slow form. */
GT_MATH bool gt_sin_simple(float x) { return gt_absf(x) <= GT_SINE_LIMIT; }
GT_MATH bool gt_cos_simple(float x) { return gt_absf(x) <= GT_SINE_LIMIT; }
GT_MATH float gt_sinf(float x) { return gt_sine(x, 0); }
GT_MATH float gt_cosf(float x) { return gt_sine(x, 1); }
static inline float gt_sin_slow(float x) { return sinf(x); }
static inline float gt_cos_slow(float x) { return cosf(x); }

GT_MATH float gt_sigmoidf(float x) {
  const float e = gt_expf(-gt_absf(x));
  return gt_pick(x >= 0.0f, 1.0f, e) / (1.0f + e);
}

GT_MATH float gt_tanhf(float x) {
  const float a = gt_absf(x), z = x * x;
  float p = -0.00570951262f;
  p = p * z + 0.0206441507f;
  p = p * z + -0.0537416264f;
  p = p * z + 0.133314699f;
  p = p * z + -0.333332837f;
  const float large = gt_with_sign(1.0f - 2.0f / (gt_expf(2.0f * a) + 1.0f), x);
  return gt_pick(a < 0.625f, x + x * z * p, large);
}

/* With t = tan(pi/8): atan(a) = pi/2 + atan(-1 / a) for a > 1/t, and atan(a) = pi/4 + atan((a - 1) / (a + 1))
 * for t < a <= 1/t. */
GT_MATH float gt_atanf(float x) {
  const float a = gt_absf(x);
  const bool middle = a > 0.414213562f, far = a > 2.41421356f;
  const float numerator = gt_pick(far, -1.0f, gt_pick(middle, a - 1.0f, a));
  const float divisor = gt_pick(far, a, gt_pick(middle, a + 1.0f, 1.0f));
  const float r = numerator / divisor, z = r * r;
  float p = -0.0607799068f;
  p = p * z + 0.105937272f;
  p = p * z + -0.142435223f;
  p = p * z + 0.199984714f;
  p = p * z + -0.333333164f;
  const float eighths = gt_pick(far, 2.0f, gt_pick(middle, 1.0f, 0.0f)); /* of a turn */
  const float rest = r * z * p + eighths * -2.18556951e-8f;              /* pi/4 in two parts */
  return gt_with_sign((rest + r) + eighths * 0.785398185f, x);
}

/* erf(x) for |x| <= 1. */
GT_MATH float gt_erf_small(float x) {
  const float z = x * x;
  float p = 7.88906109e-05f;
  p = p * z + -0.000802082359f;
  p = p * z + 0.00518953335f;
  p = p * z + -0.0268544443f;
  p = p * z + 0.112836003f;
  p = p * z + -0.37612626f;
  p = p * z + 0.128379166f;
  return x + x * p;
}

/* erfc(a) exp(a^2) for a in [0.68, 10.2], a polynomial in t = 1 / (1 + 0.4 a). */
GT_MATH float gt_erfc_scaled(float a) {
  const float t = 1.0f / (1.0f + 0.4f * a);
  float p = 0.0633338392f;
  p = p * t + -0.232706726f;
  p = p * t + 0.248371944f;
  p = p * t + -0.0740672275f;
  p = p * t + 0.17627652f;
  p = p * t + 0.157898262f;
  p = p * t + 0.209741145f;
  p = p * t + 0.225488588f;
  p = p * t + 0.225682989f;
  return t * p;
}

/* exp(-factor a^2), factor a power of two: the square is computed in two parts, the first exact. */
GT_MATH float gt_exp_square(float a, float factor) {
  const float head = gt_from_bits(gt_bits(a) & 0xfffff000u);
  return gt_exp_sum(-factor * head * head, -factor * (a - head) * (a + head));
}

GT_MATH float gt_erff(float x) {
  const float a = gt_absf(x), b = gt_pick(a > 10.2f, 10.2f, a);
  const float large = gt_with_sign(1.0f - gt_exp_square(b, 1.0f) * gt_erfc_scaled(b), x);
  return gt_pick(a < 1.0f, gt_erf_small(x), large);
}

/* x * Phi(x); for negative x, Phi(x) is computed directly as the tail: 1 - (a value near 1) would cancel. */
GT_MATH float gt_geluf(float x) {
  const float a = gt_absf(x), b = gt_pick(a > 14.4f, 14.4f, a), u = x * 0.707106781f;
  float tail = 0.5f * gt_exp_square(b, 0.5f) * gt_erfc_scaled(b * 0.707106781f);
  tail = gt_pick(a > 14.4f, 0.0f, tail);
  const float large = gt_pick(x < 0.0f, tail, 1.0f - tail);
  return x * gt_pick(a < 1.0f, 0.5f + 0.5f * gt_erf_small(u), large);
}

GT_MATH float gt_softplusf(float x) {
  return gt_pick(x > 0.0f, x, 0.0f) + gt_log1p_unit(gt_expf(-gt_absf(x)));
}

/* log2(x) for x > 0, in double. */
GT_MATH double gt_log2_double(float x) {
  int32_t exponent;
  const double m = (double)gt_frexp(x, &exponent), s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 0x1.f18de76e45f29p-3;
  p = p * z + 0x1.0bb75b67d5e9ap-2;
  p = p * z + 0x1.484faf3b05286p-2;
  p = p * z + 0x1.a617566b9d81dp-2;
  p = p * z + 0x1.2776c516b2e06p-1;
  p = p * z + 0x1.ec709dc39c989p-1;
  p = p * z + 0x1.71547652b82ffp+1;
  return s * p + (double)exponent;
}

/* 2^y as a float, for any y. */
GT_MATH float gt_exp2_double(double y) {
  y = gt_pick_double(y < -200.0, -200.0, y);
  y = gt_pick_double(y > 200.0, 200.0, y);
  const double sum = y + GT_ROUND_MAGICD, n = sum - GT_ROUND_MAGICD, r = y - n;
  double p = 0x1.ca5b9fd65419ep-24;
  p = p * r + 0x1.63297fd6c2188p-20;
  p = p * r + 0x1.ffbf49e3112bap-17;
  p = p * r + 0x1.430916b75894ap-13;
  p = p * r + 0x1.5d88004d7f8d3p-10;
  p = p * r + 0x1.3b2ab6f68dff4p-7;
  p = p * r + 0x1.c6b08d700e15ap-5;
  p = p * r + 0x1.ebfbdff82d73ap-3;
  p = p * r + 0x1.62e42fefa3a00p-1;
  /* Converted to float, so that gt_rounded extracts the integer with 32-bit operations, which vectorize. */
  const float whole = (float)n;
  return gt_scale((float)(p * r + 1.0), gt_rounded(whole + GT_ROUND_MAGIC));
}

GT_MATH float gt_powf(float a, float b) {
  const float base = gt_absf(a), exponent = gt_absf(b);
  /* From 2^24 on every float is an even integer. */
  const int32_t whole = (int32_t)gt_pick(exponent < 0x1p24f, b, 0.0f);
  const bool integer = (exponent >= 0x1p24f) | ((float)whole == b);
  const double log_base = gt_log2_double(gt_pick(base == 0.0f, 1.0f, base));
  float value = gt_exp2_double((double)b * log_base);
  /* 0^b and inf^b are 0 or infinity, depending on the base and the sign of b. */
  value = gt_pick(base == 0.0f, gt_pick(b < 0.0f, INFINITY, 0.0f), value);
  value = gt_pick(base == INFINITY, gt_pick(b < 0.0f, 0.0f, INFINITY), value);
  value =
      gt_from_bits(gt_bits(value) | (gt_bits(a) & ((uint32_t)whole & 1) << 31 & (0u - (uint32_t)integer)));
  value = gt_pick((a < 0.0f) & (base < INFINITY) & !integer, NAN, value);
  value = gt_pick((a != a) | (b != b), NAN, value);
  const bool one = (b == 0.0f) | (a == 1.0f) | ((a == -1.0f) & (exponent == INFINITY));
  return gt_pick(one, 1.0f, value);
}

/* True if gt_floor_modf is exact for these arguments. Otherwise (huge quotients, division by zero,
 * infinities, NaN) gt_mod_slow computes it. */
GT_MATH bool gt_mod_simple(float a, float b) {
  const float x = gt_absf(a), y = gt_absf(b);
  return ((int)(x <= y * 0x1p28f) & (int)(y < INFINITY) & (int)(y > 0.0f) & (int)(x < INFINITY)) != 0;
}

/* a - b floor(a / b): in double the product of b with a quotient below 2^29 is exact, and so is the
 * difference. */
GT_MATH float gt_floor_modf(float a, float b) {
  const double quotient = ((double)a / (double)b + GT_ROUND_MAGICD) - GT_ROUND_MAGICD;
  const double rest = (double)a - quotient * (double)b;
  return (float)(rest + gt_pick_double(rest * (double)b < 0.0, (double)b, 0.0));
}

static inline float gt_mod_slow(float a, float b) {
  const float rest = fmodf(a, b);
  return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}
#endif

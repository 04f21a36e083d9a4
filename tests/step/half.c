/* Conversion from and to 16-bit floats: all values, values between two of them, and NaN. */
#include "step/half.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The value of an f16, from its three fields. */
static double value_of(uint32_t h) {
  const int exponent = (int)(h >> 10 & 31);
  const double significand = (double)(h & 1023) + (exponent ? 1024 : 0);
  return (h & 0x8000u ? -1 : 1) * ldexp(significand, (exponent ? exponent : 1) - 25);
}

static void every_f16(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000u; h++) {
    if ((h & 0x7c00u) == 0x7c00u) continue;
    assert_true((double)gt_from_f16((uint16_t)h) == value_of(h));
    assert_int_equal(gt_to_f16((float)value_of(h)), h);
  }
}

static void between_two_f16(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x7bffu; h++) {
    const double low = value_of(h), high = value_of(h + 1), middle = (low + high) / 2;
    assert_int_equal(gt_to_f16((float)middle), h & 1 ? h + 1 : h);
    assert_int_equal(gt_to_f16(nextafterf((float)middle, 0)), h);
    assert_int_equal(gt_to_f16(nextafterf((float)middle, INFINITY)), h + 1);
    assert_int_equal(gt_to_f16((float)-middle), 0x8000u | (h & 1 ? h + 1 : h));
  }
  assert_int_equal(gt_to_f16(65519.99f), 0x7bff);
  assert_int_equal(gt_to_f16(65520), 0x7c00);
  assert_int_equal(gt_to_f16(1e30f), 0x7c00);
  assert_int_equal(gt_to_f16(-INFINITY), 0xfc00);
  assert_true(isnan(gt_from_f16(gt_to_f16(NAN))));
  assert_true(gt_from_f16(0x7c00) == INFINITY);
}

static void bf16(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000u; h++) {
    const float x = gt_from_bf16((uint16_t)h);
    if (isnan(x))
      assert_true(isnan(gt_from_bf16(gt_to_bf16(x))));
    else
      assert_int_equal(gt_to_bf16(x), h);
  }
  assert_int_equal(gt_to_bf16(gt_from_bits(0x3f808000u)), 0x3f80); /* ties to even */
  assert_int_equal(gt_to_bf16(gt_from_bits(0x3f818000u)), 0x3f82);
  assert_int_equal(gt_to_bf16(gt_from_bits(0x3f808001u)), 0x3f81);
  assert_int_equal(gt_to_bf16(gt_from_bits(0x7f7fffffu)), 0x7f80); /* too large: infinite */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_f16),
      cmocka_unit_test(between_two_f16),
      cmocka_unit_test(bf16),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

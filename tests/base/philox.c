/* Random numbers: Philox against its published values; shuffles are permutations and all orders are equally
 * likely. */
#include "base/philox.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Philox 4x32 with 10 rounds, from kat_vectors of the Random123 library. */
static void test_known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } rows[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const gt_philox got = gt_philox4x32(rows[i].counter, rows[i].key[0], rows[i].key[1]);
    assert_memory_equal(got.v, rows[i].answer, sizeof got.v);
  }
}

static void test_uniform(void **state) {
  (void)state;
  double sum = 0;
  for (uint32_t i = 0; i < 100000; i++) {
    const float u = gt_random_uniform(42, GT_PURPOSE_SAMPLE, 7, i);
    assert_true(u >= 0 && u < 1);
    sum += u;
  }
  assert_true(sum > 49500 && sum < 50500); /* expected: 50000, with a standard deviation of 91 */
}

static void check_permutation(uint32_t n, uint64_t seed, uint32_t epoch) {
  unsigned char *seen = calloc(n ? n : 1, 1);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t position = gt_shuffle_index(i, n, seed, epoch);
    assert_true(position < n);
    assert_false(seen[position]);
    seen[position] = 1;
  }
  free(seen);
}

static void test_permutation(void **state) {
  (void)state;
  for (uint32_t n = 0; n <= 300; n++) check_permutation(n, n, n / 3);
  static const uint32_t sizes[] = {1023, 1024, 1025, 4096, 60000, 65535, 65536, 65537, 262145};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_permutation(sizes[i], 0x123456789abcdefull, 2);
}

/* Other epochs and seeds give different orders, in which few of 1000 positions hold the same sample. */
static void test_orders_differ(void **state) {
  (void)state;
  int same_in_next_epoch = 0, same_with_next_seed = 0, unmoved = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    const uint32_t a = gt_shuffle_index(i, 1000, 1, 0);
    same_in_next_epoch += a == gt_shuffle_index(i, 1000, 1, 1);
    same_with_next_seed += a == gt_shuffle_index(i, 1000, 2, 0);
    unmoved += a == i;
  }
  assert_true(same_in_next_epoch < 20 && same_with_next_seed < 20 && unmoved < 20);
}

/* Chi-square test that draw(n, i), for i from 0 to draws - 1, returns each number below `values` equally
 * often. The limit, 4.5 standard deviations above the mean plus 8, is so high that with other seeds at most
 * about one call in ten thousand would fail by chance. */
static void check_equally_likely(uint32_t n, uint32_t values, uint32_t draws,
                                 uint32_t (*draw)(uint32_t n, uint32_t i)) {
  uint32_t *count = calloc(values, sizeof *count);
  for (uint32_t i = 0; i < draws; i++) count[draw(n, i)]++;
  const double expected = (double)draws / values, freedom = values - 1.0;
  double chi_square = 0;
  for (uint32_t v = 0; v < values; v++)
    chi_square += (count[v] - expected) * (count[v] - expected) / expected;
  free(count);
  if (chi_square > freedom + 4.5 * sqrt(2 * freedom) + 8)
    fail_msg("%u samples: chi-square is %g with %g degrees of freedom", n, chi_square, freedom);
}

/* The sample at position `index` of order number i. The orders are those of 512 epochs of each seed. */
static uint32_t sample_at(uint32_t index, uint32_t n, uint32_t i) {
  return gt_shuffle_index(index, n, 5 + i / 512, i % 512);
}
static uint32_t first_sample(uint32_t n, uint32_t i) { return sample_at(0, n, i); }
static uint32_t third_sample(uint32_t n, uint32_t i) { return sample_at(2, n, i); }
static uint32_t middle_sample(uint32_t n, uint32_t i) { return sample_at(n / 2, n, i); }
static uint32_t last_sample(uint32_t n, uint32_t i) { return sample_at(n - 1, n, i); }
/* The first two samples of an order, as one number below n (n - 1). */
static uint32_t first_two_samples(uint32_t n, uint32_t i) {
  const uint32_t a = sample_at(0, n, i), b = sample_at(1, n, i);
  return a * (n - 1) + (b > a ? b - 1 : b);
}
/* The index, 0 to 119, of an order of n = 5 samples in the list of all permutations. */
static uint32_t permutation_of_five(uint32_t n, uint32_t i) {
  uint32_t number = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t smaller = 0;
    for (uint32_t j = k + 1; j < n; j++) smaller += sample_at(j, n, i) < sample_at(k, n, i);
    number = number * (n - k) + smaller;
  }
  return number;
}

static void test_orders_are_equally_likely(void **state) {
  (void)state;
  enum { DRAWS = 60000 };
  static const uint32_t larger[] = {50, 64, 65, 100, 129, 200, 256, 257, 300, 500};
  for (uint32_t n = 3; n <= 40; n += n < 20 ? 1 : 7) {
    check_equally_likely(n, n, DRAWS, first_sample);
    check_equally_likely(n, n, DRAWS, third_sample);
    check_equally_likely(n, n, DRAWS, middle_sample);
    check_equally_likely(n, n, DRAWS, last_sample);
    check_equally_likely(n, n * (n - 1), DRAWS, first_two_samples);
  }
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
    check_equally_likely(larger[i], larger[i], DRAWS, first_sample);
    check_equally_likely(larger[i], larger[i], DRAWS, last_sample);
  }
  check_equally_likely(5, 120, DRAWS, permutation_of_five);
}

/* The split into training and test samples must not change between versions: existing models were trained on
 * it. */
static void test_split_never_changes(void **state) {
  (void)state;
  static const uint32_t all_of_ten[10] = {1, 7, 6, 2, 0, 8, 3, 9, 4, 5};
  static const uint32_t some_of_150[5] = {94, 42, 144, 140, 76};
  for (uint32_t i = 0; i < 10; i++)
    assert_int_equal(gt_feistel_index(i, 10, 0x123456789abcdefull, 0, 4), all_of_ten[i]);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(gt_feistel_index(31 * i, 150, 99, 0, 4), some_of_150[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_answers),
      cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_orders_differ),
      cmocka_unit_test(test_orders_are_equally_likely),
      cmocka_unit_test(test_split_never_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

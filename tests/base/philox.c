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
  assert_true(sum > 49500 && sum < 50500);
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

/* Other epochs and seeds give different orders. */
static void test_orders_differ(void **state) {
  (void)state;
  int same_epoch = 0, same_seed = 0, fixed = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    const uint32_t a = gt_shuffle_index(i, 1000, 1, 0);
    same_epoch += a == gt_shuffle_index(i, 1000, 1, 1);
    same_seed += a == gt_shuffle_index(i, 1000, 2, 0);
    fixed += a == i;
  }
  assert_true(same_epoch < 20 && same_seed < 20 && fixed < 20);
}

/* Chi-square test that all `values` results of `draw` are equally frequent over the seeds. With other seeds
 * about one test in ten thousand would fail by chance. */
static void check_equally_likely(uint32_t n, uint32_t values, uint32_t draws,
                                 uint32_t (*draw)(uint32_t n, uint32_t i)) {
  uint32_t *count = calloc(values, sizeof *count);
  for (uint32_t i = 0; i < draws; i++) count[draw(n, i)]++;
  const double expected = (double)draws / values, freedom = values - 1.0;
  double chi = 0;
  for (uint32_t v = 0; v < values; v++) chi += (count[v] - expected) * (count[v] - expected) / expected;
  free(count);
  if (chi > freedom + 4.5 * sqrt(2 * freedom) + 8)
    fail_msg("%u samples: chi-square %g of %g", n, chi, freedom);
}

/* The sample at `index` in order number i: 512 epochs of each seed. */
static uint32_t order(uint32_t index, uint32_t n, uint32_t i) {
  return gt_shuffle_index(index, n, 5 + i / 512, i % 512);
}
static uint32_t first(uint32_t n, uint32_t i) { return order(0, n, i); }
static uint32_t third(uint32_t n, uint32_t i) { return order(2, n, i); }
static uint32_t middle(uint32_t n, uint32_t i) { return order(n / 2, n, i); }
static uint32_t last(uint32_t n, uint32_t i) { return order(n - 1, n, i); }
/* The first two samples of an order, as one number below n (n - 1). */
static uint32_t pair(uint32_t n, uint32_t i) {
  const uint32_t a = order(0, n, i), b = order(1, n, i);
  return a * (n - 1) + (b > a ? b - 1 : b);
}
/* The index, 0 to 119, of an order of five samples among all permutations. */
static uint32_t order_of_five(uint32_t n, uint32_t i) {
  uint32_t number = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t smaller = 0;
    for (uint32_t j = k + 1; j < n; j++) smaller += order(j, n, i) < order(k, n, i);
    number = number * (n - k) + smaller;
  }
  return number;
}

static void test_orders_are_equally_likely(void **state) {
  (void)state;
  enum { DRAWS = 60000 };
  static const uint32_t larger[] = {50, 64, 65, 100, 129, 200, 256, 257, 300, 500};
  for (uint32_t n = 3; n <= 40; n += n < 20 ? 1 : 7) {
    check_equally_likely(n, n, DRAWS, first);
    check_equally_likely(n, n, DRAWS, third);
    check_equally_likely(n, n, DRAWS, middle);
    check_equally_likely(n, n, DRAWS, last);
    check_equally_likely(n, n * (n - 1), DRAWS, pair);
  }
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
    check_equally_likely(larger[i], larger[i], DRAWS, first);
    check_equally_likely(larger[i], larger[i], DRAWS, last);
  }
  check_equally_likely(5, 120, DRAWS, order_of_five);
}

/* The split into training and test samples must not change between versions: existing models were trained on
 * it. */
static void test_split_never_changes(void **state) {
  (void)state;
  static const uint32_t ten[10] = {1, 7, 6, 2, 0, 8, 3, 9, 4, 5};
  static const uint32_t selected[5] = {94, 42, 144, 140, 76};
  for (uint32_t i = 0; i < 10; i++)
    assert_int_equal(gt_feistel_index(i, 10, 0x123456789abcdefull, 0, 4), ten[i]);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(gt_feistel_index(31 * i, 150, 99, 0, 4), selected[i]);
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

#include "base/philox.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* philox4x32 10 rounds, from Random123's kat_vectors. */
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
    const uint32_t to = gt_shuffle_index(i, n, seed, epoch);
    assert_true(to < n);
    assert_false(seen[to]);
    seen[to] = 1;
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

/* Other epochs and seeds give other orders. */
static void test_permutation_moves(void **state) {
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_answers),
      cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_permutation),
      cmocka_unit_test(test_permutation_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fingerprints depend on every bit, the length and the order, but not on the alignment of the bytes or how
 * they are split into calls. */
#include "base/fingerprint.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 131 };

static void fill(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 37 + 11);
}

static void every_bit_counts(void **unused) {
  (void)unused;
  uint8_t bytes[MOST];
  for (size_t size = 1; size <= MOST; size++) {
    fill(bytes, size);
    const uint64_t whole = gt_fingerprint(7, bytes, size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
      assert_true(gt_fingerprint(7, bytes, size) != whole);
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(gt_fingerprint(8, bytes, size) != whole);
    assert_true(gt_fingerprint(7, bytes, size) == whole);
  }
}

static void length_and_order_count(void **unused) {
  (void)unused;
  uint8_t zeros[MOST] = {0}, bytes[MOST], turned[MOST];
  uint64_t seen[MOST + 1];
  for (size_t size = 0; size <= MOST; size++) {
    seen[size] = gt_fingerprint(0, zeros, size);
    for (size_t i = 0; i < size; i++) assert_true(seen[i] != seen[size]);
  }
  fill(bytes, MOST);
  for (size_t step = 8; step <= 64; step *= 2) { /* words swapped */
    memcpy(turned, bytes, MOST);
    memcpy(turned, bytes + step, 8);
    memcpy(turned + step, bytes, 8);
    assert_true(gt_fingerprint(0, turned, MOST) != gt_fingerprint(0, bytes, MOST));
  }
  const uint64_t first = gt_fingerprint(gt_fingerprint(0, bytes, 40), bytes + 40, 40);
  assert_true(first != gt_fingerprint(gt_fingerprint(0, bytes + 40, 40), bytes, 40));
}

static void place_does_not_count(void **unused) {
  (void)unused;
  uint8_t bytes[MOST], moved[MOST + 8];
  fill(bytes, MOST);
  for (size_t shift = 0; shift < 8; shift++) {
    memcpy(moved + shift, bytes, MOST);
    assert_true(gt_fingerprint(3, moved + shift, MOST) == gt_fingerprint(3, bytes, MOST));
  }
}

static void cuts_do_not_count(void **unused) {
  (void)unused;
  uint8_t bytes[MOST];
  fill(bytes, MOST);
  for (size_t a = 0; a <= MOST; a += 13)
    for (size_t b = a; b <= MOST; b += 17) {
      const gt_span piece[] = {{bytes, a}, {bytes + a, b - a}, {bytes + b, MOST - b}};
      assert_true(gt_fingerprint_of(piece, 3) == gt_fingerprint(0, bytes, MOST));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_counts), cmocka_unit_test(length_and_order_count),
      cmocka_unit_test(place_does_not_count), cmocka_unit_test(cuts_do_not_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

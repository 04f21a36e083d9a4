/* Fingerprints depend on every bit, the length and the order, but not on the alignment of the bytes;
 * gt_fingerprint_of does not depend on how they are split into pieces. */
#include "base/fingerprint.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_SIZE = 131 };

static void fill(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 37 + 11);
}

static void every_bit_matters(void **unused) {
  (void)unused;
  uint8_t bytes[MAX_SIZE];
  for (size_t size = 1; size <= MAX_SIZE; size++) {
    fill(bytes, size);
    const uint64_t original = gt_fingerprint(7, bytes, size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
      assert_true(gt_fingerprint(7, bytes, size) != original);
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(gt_fingerprint(8, bytes, size) != original); /* `before` counts, too */
    assert_true(gt_fingerprint(7, bytes, size) == original);
  }
}

static void length_and_order_matter(void **unused) {
  (void)unused;
  uint8_t zeros[MAX_SIZE] = {0}, bytes[MAX_SIZE], exchanged[MAX_SIZE];
  uint64_t seen[MAX_SIZE + 1];
  for (size_t size = 0; size <= MAX_SIZE; size++) {
    seen[size] = gt_fingerprint(0, zeros, size);
    for (size_t i = 0; i < size; i++) assert_true(seen[i] != seen[size]);
  }
  fill(bytes, MAX_SIZE);
  for (size_t distance = 8; distance <= 64; distance *= 2) { /* two words of 8 bytes swapped */
    memcpy(exchanged, bytes, MAX_SIZE);
    memcpy(exchanged, bytes + distance, 8);
    memcpy(exchanged + distance, bytes, 8);
    assert_true(gt_fingerprint(0, exchanged, MAX_SIZE) != gt_fingerprint(0, bytes, MAX_SIZE));
  }
  const uint64_t chained = gt_fingerprint(gt_fingerprint(0, bytes, 40), bytes + 40, 40);
  assert_true(chained != gt_fingerprint(gt_fingerprint(0, bytes + 40, 40), bytes, 40));
}

static void alignment_does_not_matter(void **unused) {
  (void)unused;
  uint8_t bytes[MAX_SIZE], moved[MAX_SIZE + 8];
  fill(bytes, MAX_SIZE);
  for (size_t shift = 0; shift < 8; shift++) {
    memcpy(moved + shift, bytes, MAX_SIZE);
    assert_true(gt_fingerprint(3, moved + shift, MAX_SIZE) == gt_fingerprint(3, bytes, MAX_SIZE));
  }
}

static void pieces_do_not_matter(void **unused) {
  (void)unused;
  uint8_t bytes[MAX_SIZE];
  fill(bytes, MAX_SIZE);
  for (size_t a = 0; a <= MAX_SIZE; a += 13)
    for (size_t b = a; b <= MAX_SIZE; b += 17) {
      const gt_span piece[] = {{bytes, a}, {bytes + a, b - a}, {bytes + b, MAX_SIZE - b}};
      assert_true(gt_fingerprint_of(piece, 3) == gt_fingerprint(0, bytes, MAX_SIZE));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_matters), cmocka_unit_test(length_and_order_matter),
      cmocka_unit_test(alignment_does_not_matter), cmocka_unit_test(pieces_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

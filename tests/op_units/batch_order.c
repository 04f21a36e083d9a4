/* The order of samples, computed for many rows at once, against the permutation one by one: few samples and
 * many, parts of a batch, an epoch's last batch and the rows past its end, later epochs. */
#include "base/philox.h"
#include "op/batch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 1200, SEED = 99 };

static uint32_t expected(const gt_batch_attribute *a, uint32_t step, uint32_t row) {
  const uint32_t at = step - a->first_step, steps = (uint32_t)gt_batch_steps(a);
  const int64_t place = at % steps * a->batch + row;
  if (place >= a->samples) return GT_NONE;
  if (a->sequential) return (uint32_t)place;
  return gt_shuffle_index((uint32_t)place, (uint32_t)a->samples, SEED, at / steps + a->first_epoch);
}

static void check(gt_batch_attribute a) {
  uint32_t sample[MOST];
  const uint32_t batch = (uint32_t)a.batch, steps = (uint32_t)gt_batch_steps(&a);
  for (uint32_t step = a.first_step; step < a.first_step + 2 * steps + 1; step += 1 + steps / 7)
    for (uint32_t first = 0; first < batch; first += 1 + batch / 3) {
      gt_batch_samples(&a, SEED, step, first, batch - first, sample);
      for (uint32_t i = 0; i < batch - first; i++) assert_int_equal(sample[i], expected(&a, step, first + i));
    }
}

static void test_order(void **state) {
  (void)state;
  static const int64_t samples[] = {1, 2, 15, 16, 17, 100, 256, 257, 1797, 8192, 65537};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    for (uint32_t sequential = 0; sequential < 2; sequential++) {
      check((gt_batch_attribute){.batch = 1, .samples = samples[i], .sequential = sequential});
      check((gt_batch_attribute){
          .batch = 67, .samples = samples[i], .sequential = sequential, .first_epoch = 3});
      check((gt_batch_attribute){
          .batch = MOST, .samples = samples[i], .sequential = sequential, .first_step = 5});
      check(
          (gt_batch_attribute){.batch = 64, .samples = samples[i], .sequential = sequential, .steps = 1100});
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The order of samples, computed for many rows at once, against the permutation of each row: few samples and
 * many, parts of a batch, the last batch of an epoch and the rows past its end, later epochs. */
#include "base/philox.h"
#include "op/batch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_BATCH = 1200, SEED = 99 };

static uint32_t expected(const gt_batch_attribute *a, uint32_t step, uint32_t row) {
  const uint32_t at = step - a->first_step, steps = (uint32_t)gt_batch_steps(a);
  const int64_t place = at % steps * a->batch + row;
  if (place >= a->samples) return GT_NONE;
  if (a->sequential) return (uint32_t)place;
  return gt_shuffle_index((uint32_t)place, (uint32_t)a->samples, SEED, at / steps + a->first_epoch);
}

static void check(gt_batch_attribute a) {
  uint32_t sample[MAX_BATCH];
  const uint32_t batch = (uint32_t)a.batch, steps = (uint32_t)gt_batch_steps(&a);
  for (uint32_t step = a.first_step; step < a.first_step + 2 * steps + 1; step += 1 + steps / 7)
    for (uint32_t first = 0; first < batch; first += 1 + batch / 3) {
      gt_batch_samples(&a, NULL, SEED, step, first, batch - first, sample);
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
          .batch = MAX_BATCH, .samples = samples[i], .sequential = sequential, .first_step = 5});
      check(
          (gt_batch_attribute){.batch = 64, .samples = samples[i], .sequential = sequential, .steps = 1100});
    }
}

/* Balanced classes: one of a single sample, one of 600 samples, one of the other 59399. Each class is drawn a
 * third of the time, each sample of a class equally often; two epochs differ. Counts are binomial: the limits
 * are at least five standard deviations. */
static void test_balanced(void **state) {
  (void)state;
  enum { CLASSES = 3, SAMPLES = 60000, RARE = 600, TABLE = CLASSES + 1 + SAMPLES };
  static int32_t members[TABLE];
  static uint32_t sample[2][SAMPLES];
  const int32_t starts[] = {0, 1, 1 + RARE, SAMPLES};
  const gt_batch_attribute a = {.batch = SAMPLES, .samples = SAMPLES, .classes = CLASSES};
  memcpy(members, starts, sizeof starts);
  for (int32_t i = 0; i < SAMPLES; i++) members[CLASSES + 1 + i] = SAMPLES - 1 - i;
  for (uint32_t epoch = 0; epoch < 2; epoch++)
    gt_batch_samples(&a, members, SEED, epoch, 0, SAMPLES, sample[epoch]);
  int drawn[CLASSES] = {0}, halves[2] = {0}, same = 0; /* halves: of the samples of class 1 */
  for (int i = 0; i < SAMPLES; i++) {
    const int32_t place = SAMPLES - 1 - (int32_t)sample[0][i];
    const int class = place < starts[1] ? 0 : place < starts[2] ? 1 : 2;
    drawn[class]++;
    if (class == 1) halves[place - starts[1] >= RARE / 2]++;
    same += class && sample[0][i] == sample[1][i];
  }
  for (int c = 0; c < CLASSES; c++) assert_in_range(drawn[c], 20000 - 577, 20000 + 577);
  assert_in_range(halves[0], drawn[1] / 2 - 354, drawn[1] / 2 + 354);
  assert_in_range(same, 0, 35); /* expected: 60000 / 9 * (1 / 600 + 1 / 59399), 11 */
  assert_int_equal(gt_batch_member_count(&a), TABLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_balanced)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The search for a decision threshold, compared with trying every probability as the threshold: with ties,
 * weights, probabilities that are equal as floats, and outputs that are not finite. Also: metrics of a
 * ranking read no score behind the last one. */
#include "base/philox.h"
#include "train/config/threshold.h"
#include "train/eval/threshold_search.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_ITEMS = 64 };

/* The metric's value if class 1 is predicted for probabilities above the threshold. */
static double value_at(const gt_scored *item, int64_t items, const gt_metric_type *metric, double threshold) {
  double count[4] = {0};
  for (int64_t i = 0; i < items; i++)
    count[2 * item[i].label + (item[i].probability > threshold)] += item[i].weight;
  return metric->of_counts(&(gt_metric_counts){2, count, 1});
}

static void check(gt_scored *item, int64_t items, const char *name) {
  const gt_metric_type *metric = gt_metric_find(name)->type;
  gt_chosen_threshold chosen;
  double best = value_at(item, items, metric, 0);
  for (int64_t i = 0; i < items; i++) best = fmax(best, value_at(item, items, metric, item[i].probability));
  assert_true(gt_threshold_search(item, items, metric, &chosen));
  assert_true(chosen.value > 0 && chosen.value < 1);
  if (chosen.best != best) fail_msg("%s %g: %.17g, not %.17g", name, chosen.value, chosen.best, best);
  assert_true(chosen.half == value_at(item, items, metric, 0.5));
  assert_true(chosen.best == value_at(item, items, metric, chosen.value));
  /* A float logit plus gt_threshold_shift gives the same prediction. */
  for (int64_t i = 0; i < items; i++) {
    const float logit = (float)-log(1 / item[i].probability - 1);
    assert_int_equal(logit + gt_threshold_shift(chosen.value) > 0, item[i].probability > chosen.value);
  }
}

static void test_random(void **state) {
  (void)state;
  static const char *const names[] = {"f1", "f1_macro", "balanced_accuracy", "iou"};
  gt_scored item[MAX_ITEMS];
  for (uint32_t run = 0; run < 200; run++) {
    const int64_t items = 2 + run % (MAX_ITEMS - 1);
    for (uint32_t i = 0; i < items; i++) {
      const gt_philox bits = gt_philox_block(7, 0, run, i);
      const uint32_t levels = run % 2 ? 8 : 1000; /* with few levels, there are ties */
      item[i].probability = (1 + bits.v[0] % (levels - 1)) / (double)levels;
      item[i].label = bits.v[1] % 4 == 0 || i == 0;
      item[i].weight = run % 3 ? 1 : 1 + bits.v[2] % 3;
    }
    item[1].label = false;
    check(item, items, names[run % 4]);
  }
}

/* The probability, weight and label of each item are given. */
static void test_special(void **state) {
  (void)state;
  const gt_metric_type *f1 = gt_metric_find("f1")->type;
  gt_chosen_threshold chosen;
  gt_scored apart[] = {{0.2, 1, false}, {0.4, 1, true}, {0.3, 1, false}, {0.35, 1, true}};
  assert_true(gt_threshold_search(apart, 4, f1, &chosen));
  /* Numbers between 0.3 and 0.35 have at least two digits; of those, 0.32 is nearest to the middle. */
  assert_true(chosen.value == 0.32 && chosen.best == 1 && chosen.half == 0);
  gt_scored half[] = {{0.2, 1, false}, {0.9, 1, true}}; /* no threshold is better than 1/2 */
  assert_true(gt_threshold_search(half, 2, f1, &chosen));
  assert_true(chosen.value == 0.5 && chosen.best == 1);
  gt_scored close[] = {{0.7, 1, false}, {0.7 + 1e-9, 1, true}}; /* equal as float */
  assert_true(gt_threshold_search(close, 2, f1, &chosen));
  assert_true(chosen.value == 0.5 && chosen.best == chosen.half);
  gt_scored nan[] = {{0.2, 1, false}, {(double)NAN, 1, true}};
  assert_false(gt_threshold_search(nan, 2, f1, &chosen));
}

/* The scores of a model of one class end where a page ends that cannot be read beyond. */
static void test_ranking_of_one_class(void **state) {
  (void)state;
  static const char *const names[] = {"roc_auc", "average_precision"};
  enum { ITEMS = 3 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  // cppcheck-suppress invalidFunctionArg ; an anonymous mapping has descriptor -1
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  const gt_metric_scores scores = {.items = ITEMS,
                                   .outputs = 1,
                                   .score = (float *)(void *)(pages + page) - ITEMS,
                                   .label = (const int32_t[ITEMS]){0}};
  for (int i = 0; i < 2; i++) assert_true(isnan(gt_metric_find(names[i])->type->of_scores(&scores)));
  munmap(pages, 2 * page);
}

/* Metrics of one class depend on which class is positive, not on its number: the same items with classes 0
 * and 1 exchanged have the same value for the other class. */
static void test_positive(void **state) {
  (void)state;
  static const char *const of_counts[] = {"precision", "recall", "f1", "f1_macro"};
  const double count[4] = {8, 2, 1, 29}, exchanged[4] = {29, 1, 2, 8};
  /* As scikit-learn's pos_label=0: precision 8 / 9, recall 8 / 10, f1 16 / 19. */
  const double of_first[] = {8.0 / 9, 8.0 / 10, 16.0 / 19, (16.0 / 19 + 58.0 / 61) / 2};
  for (int m = 0; m < 4; m++) {
    const gt_metric_type *type = gt_metric_find(of_counts[m])->type;
    const double first = type->of_counts(&(gt_metric_counts){2, count, 0});
    assert_true(fabs(first - of_first[m]) < 1e-15);
    assert_true(first == type->of_counts(&(gt_metric_counts){2, exchanged, 1}));
    assert_true(type->of_positive == (first != type->of_counts(&(gt_metric_counts){2, count, 1})));
  }
  const float score[] = {2, 0, 1, 0, 0, 3, 1, 2}, mirrored[] = {0, 2, 0, 1, 3, 0, 2, 1};
  const int32_t label[] = {0, 1, 1, 0}, other[] = {1, 0, 0, 1};
  const gt_metric_type *type = gt_metric_find("average_precision")->type;
  gt_metric_scores scores = {.items = 4, .outputs = 2, .score = score, .label = label, .positive = 0};
  /* Class 0 has the ranks 1 and 3: (1 / 1 + 2 / 3) / 2. */
  assert_true(fabs(type->of_scores(&scores) - 5.0 / 6) < 1e-15);
  scores = (gt_metric_scores){.items = 4, .outputs = 2, .score = mirrored, .label = other, .positive = 1};
  assert_true(fabs(type->of_scores(&scores) - 5.0 / 6) < 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_special),
                                     cmocka_unit_test(test_ranking_of_one_class),
                                     cmocka_unit_test(test_positive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What shares of mixtures are drawn from, where their distribution is known in closed form. */
#include "op/augment/augment_table.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { COUNT = 1000 };

static void close_to(double got, double want) {
  if (!(fabs(got - want) < 1e-9)) fail_msg("%.12f, not %.12f", got, want);
}

static void closed_forms(void **state) {
  double even[COUNT], arcsine[COUNT], hill[COUNT];
  (void)state;
  gt_beta_quantiles(1, COUNT, even);
  gt_beta_quantiles(0.5, COUNT, arcsine);
  gt_beta_quantiles(2, COUNT, hill);
  for (int k = 0; k < COUNT; k++) {
    const double part = (k + 0.5) / COUNT, root = sin(acos(-1) / 2 * part);
    close_to(even[k], part);
    close_to(arcsine[k], root * root);
    close_to(3 * hill[k] * hill[k] - 2 * hill[k] * hill[k] * hill[k], part);
  }
}

/* Of any alpha: the mean is 1/2 and the variance 1 / (8 alpha + 4); an odd number has a middle. */
static void moments(void **state) {
  static const double alphas[] = {0.01, 0.2, 0.4, 7, 100};
  double x[COUNT + 1];
  (void)state;
  for (int i = 0; i < 5; i++) {
    double mean = 0, square = 0;
    gt_beta_quantiles(alphas[i], COUNT + 1, x);
    for (int k = 0; k <= COUNT; k++) {
      mean += x[k] / (COUNT + 1);
      square += (x[k] - 0.5) * (x[k] - 0.5) / (COUNT + 1);
      assert_true(x[k] >= 0 && x[k] <= 1 && (!k || x[k] >= x[k - 1]));
    }
    close_to(mean, 0.5);
    close_to(x[COUNT / 2], 0.5);
    assert_true(fabs(square * (8 * alphas[i] + 4) - 1) < 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(moments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

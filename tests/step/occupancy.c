/* Occupancy: workgroups of a multiprocessor, waves, resident workgroups, cycles of loads, registers. */
#include "step/occupancy.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const gt_target gpu = {.device = true, .subgroup = GT_WARP, .shared_bytes = 48 << 10, .units = 100};

static void check(double got, double want) {
  if (got < want || got > want) fail_msg("%.17g, should be %.17g", got, want);
}

static void test_workgroups_per_unit(void **state) {
  (void)state;
  check(gt_workgroups_per_unit(7, 100), 1);
  check(gt_workgroups_per_unit(100, 100), 1);
  check(gt_workgroups_per_unit(101, 100), 2);
  check(gt_workgroups_per_unit(800, 100), 8);
  check(gt_workgroups_per_unit(850, 100), 8.5); /* many: the mean */
  check(gt_workgroups_per_unit(5, 0), 5);
}

static void test_waves(void **state) {
  (void)state;
  check(gt_waves(1, 4), 1);
  check(gt_waves(5, 4), 2);
  check(gt_waves(8, 3), 3);
  check(gt_waves(9, 4), 2.25); /* many: not rounded up */
}

static void test_resident_workgroups(void **state) {
  (void)state;
  check(gt_resident_workgroups(8 << 10, 16, &gpu), 6); /* 54 KiB in shares of 9 */
  check(gt_resident_workgroups(8 << 10, 4, &gpu), 4);
  check(gt_resident_workgroups(60 << 10, 4, &gpu), 1);
}

static void test_loads(void **state) {
  (void)state;
  check(gt_load_cycles(6400, 1, &gpu), 100); /* from the L1 cache */
  check(gt_load_cycles(2400, 100, &gpu), 100);
  check(gt_load_cycles(2400, 1000, &gpu), 100); /* no more multiprocessors read than there are */
  check(gt_load_cycles(4800, 50, &gpu), 100);
}

static void test_registers(void **state) {
  gt_target other = gpu;
  (void)state;
  other.subgroup = 64;
  assert_true(gt_fits_registers(232, 256, &gpu));
  assert_false(gt_fits_registers(233, 256, &gpu));
  assert_true(gt_fits_registers(128, 512, &gpu));
  assert_false(gt_fits_registers(129, 512, &gpu));
  assert_true(gt_fits_registers(128, 64, &other));
  assert_false(gt_fits_registers(129, 64, &other));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_workgroups_per_unit), cmocka_unit_test(test_waves),
                                     cmocka_unit_test(test_resident_workgroups), cmocka_unit_test(test_loads),
                                     cmocka_unit_test(test_registers)};
  return cmocka_run_group_tests_name("occupancy", tests, NULL, NULL);
}

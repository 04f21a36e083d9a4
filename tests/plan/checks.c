/* The flag that all values of a pack are finite. On a device, a kernel that writes a part of the pack also
 * checks that part; a separate kernel checks the other parts. */
#include "op/core.h"
#include "op/elementwise.h"
#include "op/matmul/matmul.h"
#include "op/move.h"
#include "op/reduce.h"
#include "plan/plan.h"
#include "shaders/op/reduce.h"
#include "support/fixture.h"
#include "support/pin.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 96, UNITS = 64, PART = ROWS * UNITS };

static gt_id matrix(fixture *f, const char *name) {
  return fixture_variable(f, name, gt_shape_2(ROWS, UNITS));
}

static gt_id product(fixture *f) {
  return gt_matmul(f->graph, matrix(f, "a"), fixture_variable(f, "b", gt_shape_2(UNITS, UNITS)), false,
                   false);
}

/* Assigns the flag of a pack of parts; `first` is its initial value. */
static void keep_flag(fixture *f, const gt_id *part, int parts, gt_id first) {
  gt_graph *g = f->graph;
  int64_t offset[8];
  for (int i = 0; i < parts; i++) offset[i] = (int64_t)i * PART;
  const gt_id pack = gt_pack_at(g, part, offset, parts, (int64_t)parts * PART);
  const gt_id flag = gt_all_finite(g, pack, first);
  gt_assign(g, gt_graph_variable(g, "ok", gt_shape_1(1), GT_F32, false), 0, flag);
}

/* The initial value of the flag: computed by a kernel from variable "ok". */
static gt_id initial_flag(fixture *f) {
  return gt_neg(f->graph,
                gt_variable_read(f->graph, gt_graph_variable(f->graph, "ok", gt_shape_1(1), GT_F32, false)));
}

/* The number of kernels that only check for values that are not finite, and how many bytes they read. */
static int separate_checks(const gt_plan *plan, uint64_t *bytes) {
  int count = 0;
  *bytes = 0;
  for (uint32_t s = 0; s < plan->steps; s++) {
    const gt_step *step = &plan->step[s];
    if (strcmp(step->kernel->name, "reduce") || step->spec[GT_REDUCE_SPEC_KIND] != GT_REDUCE_FINITE) continue;
    count++;
    for (int a = 0; a < step->accesses; a++) *bytes += step->access[a].read ? step->access[a].bytes : 0;
  }
  return count;
}

/* The number of kernels that check the values that they write. */
static int checking_writers(const gt_plan *plan) {
  int count = 0;
  for (uint32_t s = 0; s < plan->steps; s++) count += plan->step[s].spec[GT_SPEC_CHECKED] == 1;
  return count;
}

static void writers_check_what_they_write(void **state) {
  fixture *f = *state;
  uint64_t bytes;
  const gt_id part[] = {product(f), gt_exp(f->graph, matrix(f, "c")),
                        gt_sum(f->graph, matrix(f, "d"), 1, false)};
  keep_flag(f, part, 3, initial_flag(f));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(separate_checks(plan, &bytes), 0);
  assert_int_equal(checking_writers(plan), 3);
  assert_int_equal(plan->levels, 2); /* the initial flag, and the kernels that clear it */
  plan = fixture_plan_for(f, true, true);
  assert_int_equal(separate_checks(plan, &bytes), 1);
  assert_int_equal(checking_writers(plan), 0);
  plan = fixture_plan_for(f, false, false);
  assert_int_equal(separate_checks(plan, &bytes), 1);
  assert_int_equal(checking_writers(plan), 0);
}

/* Parts that are moved or copied into the pack are checked there by the flag's kernel; adjacent parts at
 * once. */
static void other_parts_are_checked_separately(void **state) {
  fixture *f = *state;
  static const int order[] = {1, 0};
  uint64_t bytes;
  const gt_id part[] = {gt_permute(f->graph, matrix(f, "c"), order), product(f), matrix(f, "d"),
                        gt_permute(f->graph, matrix(f, "e"), order)};
  keep_flag(f, part, 4, initial_flag(f));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(checking_writers(plan), 1);
  assert_int_equal(separate_checks(plan, &bytes), 2);
  assert_int_equal(bytes, 3 * 4 * PART);
}

/* If the initial value of a flag depends on a part, the kernel that writes the part cannot clear the flag. */
static void no_cycle_is_created(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  uint64_t bytes;
  const gt_id part[] = {product(f), gt_exp(g, matrix(f, "c"))};
  keep_flag(f, part, 2, gt_neg(g, gt_sum(g, part[0], 0, false)));
  const gt_plan *plan = fixture_plan_for(f, true, false);
  assert_int_equal(checking_writers(plan), 1);
  assert_int_equal(separate_checks(plan, &bytes), 1);
  assert_int_equal(bytes, 4 * PART);
}

/* If a product has few rows and only its column sums are used, its kernel computes the final sums and checks
 * them. */
static void final_sums_are_checked(void **state) {
  enum { FEW = 64, WIDE = 4224, DEEP = 64 };
  fixture *f = *state;
  gt_graph *g = f->graph;
  uint64_t bytes;
  const gt_id a = fixture_variable(f, "a", gt_shape_2(FEW, DEEP)),
              b = fixture_variable(f, "b", gt_shape_2(DEEP, WIDE)),
              x = fixture_variable(f, "x", gt_shape_2(FEW, WIDE));
  const gt_id y = gt_matmul(g, a, b, false, false);
  const gt_id part[] = {gt_sum(g, gt_mul(g, y, x), 1, false), gt_sum(g, y, 1, false)};
  keep_flag(f, part, 2, initial_flag(f));
  const gt_plan *plan = fixture_plan(f, &(gt_plan_options){.target = fixture_fast_gpu, .no_overlap = true});
  assert_int_equal(checking_writers(plan), 1);
  assert_int_equal(separate_checks(plan, &bytes), 0);
  assert_int_equal(plan->levels, 2);
}

static float ones_but_one(uint32_t v, int64_t i) { return v == 0 && i == 5 ? INFINITY : 1; }

/* A flag whose initial value is another flag in the same memory: both may be cleared in the same level. (The
 * plan for a device is verified when it is created, but it is not run.) */
static void a_flag_may_start_as_another(void **state) {
  fixture *f = *state;
  gt_graph *g = f->graph;
  float ok = 1;
  const gt_id c = matrix(f, "c"), initial = initial_flag(f), first = gt_all_finite(g, c, initial);
  keep_flag(f, (gt_id[]){matrix(f, "d")}, 1, first);
  fixture_plan_for(f, true, false);
  fixture_run(f, fixture_plan_for(f, false, false), ones_but_one, 1, 1, &ok);
  assert_true(ok == 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define PIN(name)  pin_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      PIN(writers_check_what_they_write), PIN(other_parts_are_checked_separately), PIN(no_cycle_is_created),
      PIN(final_sums_are_checked),        TEST(a_flag_may_start_as_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
